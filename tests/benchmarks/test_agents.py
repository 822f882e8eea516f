"""The agents' benchmark measures what it says: the same work in every design, and cures that are the right ones."""

import asyncio

import pytest

from benchmarks.agents.designs import AppendOnly, Forgetful
from benchmarks.agents.routes import KINDS
from benchmarks.agents.stage import LINT, cluster_of, clusters_of, places_in, shift, sources
from benchmarks.agents.tasks import TASKS
from healing.repair.agents.profiles import GENERALIST, registry
from healing.repair.agents.routing import route
from tests.model_standin.replies import Body
from tests.model_standin.rules import blocks_of
from tests.pipeline.bench import Bench


# LM-3
async def test_both_designs_do_the_same_work_and_only_one_drops_what_is_done(bench: Bench) -> None:
    clusters, errors = clusters_of((LINT,), 2)
    trunk = await shift(bench, clusters, errors)
    longer = await shift(bench, clusters, errors, wrap=AppendOnly)
    forgetful = await shift(bench, clusters, errors, wrap=Forgetful)
    assert trunk.spending.calls == longer.spending.calls == 7, "the file is read once"
    assert forgetful.spending.calls == 8
    output = [[len(blocks_of(m["content"])) for m in e.body["messages"]] for e in longer.standin.answered]
    assert [len(one) for one in output] == sorted(len(one) for one in output), "it only grows"
    assert [len(e.body["messages"]) for e in trunk.standin.answered] == [1, 3, 5, 7, 1, 3, 5]
    assert longer.spending.cache_read_tokens > trunk.spending.cache_read_tokens
    assert longer.standin.cache_misses() == []


def test_every_fix_is_unique_in_its_file_and_the_errors_are_where_they_say() -> None:
    for task in TASKS:
        for path, (old, new) in task.cures.items():
            assert task.files[path].count(old) == 1
            assert task.cured(path) == task.files[path].replace(old, new)
    for file, source in list(sources().items())[:4]:
        for line, words in places_in(source, 2):
            assert source.splitlines()[line - 1] == words, file


# AG-8
def test_the_kinds_that_routing_is_measured_on_go_to_several_specialists() -> None:
    clusters, errors = clusters_of(KINDS, 4)
    by_id = {error.id: error for error in errors}
    chosen = {route(c, [by_id[i] for i in c.error_ids], registry()).chosen[0] for c in clusters}
    assert len(chosen - {GENERALIST}) >= 4
    assert cluster_of("C", [[errors[0]]]).error_ids == (errors[0].id,)


# AG-7
@pytest.mark.parametrize(("phase", "most"), [("fast", 8), ("slow", 4)])
async def test_so_many_agents_work_at_the_same_time_and_no_more(bench: Bench, phase: str, most: int) -> None:
    at_work, peak = 0, 0

    async def before(body: Body, number: int) -> None:
        nonlocal at_work, peak
        at_work += body["max_tokens"] > 0
        peak = max(peak, at_work)
        await asyncio.sleep(0.3)
        at_work -= body["max_tokens"] > 0

    clusters, errors = clusters_of((LINT,) * 10, 1)
    clusters = [cluster.model_copy(update={"phase": phase}) for cluster in clusters]
    await shift(bench, clusters, errors, at_once=None, before=before)
    assert peak == most
