"""What a worker is asked to do for another one's run, through the durable queue (OP-2)."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bot import __version__
from bot.cluster_tasks import ClusterTask, ClusterTaskDistributor
from bot.contexts import RepoSite
from bot.durable.engine import DurableEngine, SharedClusterTasks
from bot.durable.work import Work
from bot.store.attempts import Origin, ref_of
from bot.store.cluster_tasks import ClusterTaskRows
from bot.store.repo import RepoStore
from bot.store.workers import Workers
from handlers.model import Run
from healing.model import Category, CIError, Cluster
from healing.pipeline.agent_work.spreading import ClusterJob
from healing.repair.agents.profiles import GENERALIST, load_profile
from healing.repair.agents.task import AgentTask
from healing.steps import MemorySteps
from tests.bot.conftest import Clock
from tests.bot.hub import Place, place

SHA = "a" * 40


class NotingHealer:
    """A repository's engine that notes errands, and breaks at those for a run called `breaks`."""

    def __init__(self, done: list[ClusterTask]) -> None:
        self.done = done

    async def run_cluster_task(self, cluster_task: ClusterTask) -> None:
        self.done.append(cluster_task)
        if cluster_task.run_id == "breaks":
            raise ConnectionError("the model can't be reached")


@pytest.fixture
async def here(tmp_path: Path, store: RepoStore, clock: Clock) -> AsyncIterator[Place]:
    async with place(tmp_path, store._db, clock) as made:
        yield made


def cluster_task_of(run: Run, **other: Any) -> ClusterTask:
    given = {"run": ref_of(run), "number": 1, "origin": Origin(head=SHA), "rules_sha": SHA, "of_fork": False}
    return ClusterTask.model_validate({**given, "run_id": "r1", "order": "o1", **other})


# OP-2, OP-3
async def test_a_cluster_task_is_done_once_however_often_it_is_asked_for_and_a_broken_one_is_over_too(
    tmp_path: Path, here: Place, store: RepoStore, clock: Clock
) -> None:
    done: list[ClusterTask] = []

    def engine(_site: RepoSite) -> Any:
        return NotingHealer(done)

    here.contexts._make_healer = engine
    queue, work = DurableEngine(poll=0.05), Work(store._db, here.contexts, quiet_seconds=3600)
    queue.bind(work)
    shared = SharedClusterTasks(work.cluster_tasks, Workers(store._db, clock), poll=0.05)
    run = await store.open_attempt("lint", here.installation.id, SHA, {})
    await queue.launch()
    try:
        async with asyncio.timeout(60):
            for _ in range(2):
                await shared.run(cluster_task_of(run))
            await shared.run(cluster_task_of(run, run_id="breaks", order="o2"))
            await shared.run(cluster_task_of(run, order="o3", heal=f"{__version__}.other"))
            assert [cluster_task.order for cluster_task in done] == ["o1", "o2"]
            await store.save_run(run.model_copy(update={"state": "superseded"}))
            await shared.run(cluster_task_of(run, order="o4"))
            assert [cluster_task.order for cluster_task in done] == ["o1", "o2"], "nobody wants that run any more"
    finally:
        await queue.close()


# OP-2
async def test_a_worker_asks_others_only_while_there_are_some(store: RepoStore, clock: Clock) -> None:
    workers = Workers(store._db, clock)
    cluster_tasks = SharedClusterTasks(ClusterTaskRows(store._db, clock), workers)
    await workers.begin("one")
    assert not await cluster_tasks.others()
    other = await workers.begin("other")
    assert await cluster_tasks.others()
    await workers.end(other)
    assert not await cluster_tasks.others()


class Whether:
    """Errands where others live or not, as the test says."""

    def __init__(self) -> None:
        self.live = True
        self.run_for: list[str] = []

    async def others(self) -> bool:
        return self.live

    async def run(self, cluster_task: ClusterTask) -> None:
        self.run_for.append(cluster_task.key)


# OP-3
async def test_what_others_were_asked_for_once_is_waited_for_also_when_they_are_gone(store: RepoStore) -> None:
    run, cluster_tasks, steps = await store.open_attempt("lint", 5, SHA, {}), Whether(), MemorySteps()
    job = a_job()
    assert await ClusterTaskDistributor(cluster_tasks, steps, cluster_task_of(run)).wanted(job)
    cluster_tasks.live = False
    assert await ClusterTaskDistributor(cluster_tasks, steps, cluster_task_of(run)).wanted(job), (
        "in a later life of the same attempt"
    )
    again = run.model_copy(update={"attempt": 2})
    assert not await ClusterTaskDistributor(cluster_tasks, steps, cluster_task_of(again)).wanted(job)


def a_job() -> ClusterJob:
    error = CIError(id="E1", tool="ruff", category=Category.LINT, message="unused")
    profile = load_profile(GENERALIST)
    cluster = Cluster(id="C1", phase="fast", causes=(), error_ids=("E1",), zone=())
    task = AgentTask(cluster=cluster, errors=(error,), profile=profile)
    return ClusterJob(number=0, base="b" * 40, task=task, candidates=(profile,), strategy="single")
