"""What the queue page and a run's timeline say is true (OP-4)."""

import re

import pytest

from bot.store.beats import REDELIVERY, REDELIVERY_SECONDS, WORKER, Beats
from tests.web.conftest import Stage
from tests.web.rows import outcome, told_run

pytestmark = pytest.mark.asyncio(loop_scope="session")
SHA = "4f1c09d2" * 5


def states(page: str) -> dict[str, str]:
    """Whether the queue page calls each part alive or silent."""
    found = re.findall(r'<li><span class="badge[^"]*">.*?</span>(\w+)</span> ([^:<]+):', page)
    return {name: state for state, name in found}


# OP-4
@pytest.mark.parametrize(
    ("since", "worker", "search"),
    [
        (0.0, "alive", "alive"),
        (REDELIVERY_SECONDS, "silent", "alive"),
        (7 * REDELIVERY_SECONDS, "silent", "silent"),
    ],
)
async def test_the_queue_page_calls_a_part_silent_only_after_several_of_its_own_intervals(
    stage: Stage, since: float, worker: str, search: str
) -> None:
    for part in (WORKER, REDELIVERY):
        await Beats(stage.database, part, stage.clock).beat()
    async with stage.signed_in("maya") as maya:
        stage.clock.at += since
        page = (await maya.get("/queue")).text
    assert states(page) == {"Worker": worker, "Search for webhooks that never arrived": search}


# OP-4
async def test_the_timeline_of_a_run_draws_its_phases_and_not_the_total_as_one_more(stage: Stage) -> None:
    seconds = {"baseline": 40.0, "autofix": 20.0, "total": 3600.0}
    run = await told_run(stage.store("tally"), SHA, made=outcome(seconds=seconds, routings=()))
    async with stage.signed_in("maya") as maya:
        page = (await maya.get(f"/runs/corner-shop/tally/{SHA}/{run.attempt}")).text
    label = re.search(r'aria-label="(Timeline of [^"]*)"', page)
    assert label is not None, page[:3000]
    assert "baseline 40 s; autofix 20 s" in label[1]
    assert "total" not in label[1]
