"""When the clusters of a phase start, and on which tree. If several may have the same cause, one goes first. Each
starts on what is accepted by then, without the errors that this has fixed."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from healing.graph import is_test
from healing.model import Category, CIError
from healing.pipeline.again import still_shown_on
from healing.pipeline.agent_work.briefing import with_code
from healing.pipeline.agent_work.full_runs import with_tracebacks
from healing.pipeline.agent_work.spreading import ClusterJob
from healing.steps import Json, Steps
from healing.verify.refusing import Refusal
from healing.verify.verifier import Verifier

ITS_OWN = frozenset({Category.LINT, Category.FORMAT})  # the place of the error is its cause


def probes(jobs: Sequence[ClusterJob]) -> dict[int, int]:
    """Number of a job → the number of the job that goes before it, where both may need the same product file, so that
    one fix may fix both. The job that shares files with most others goes first."""
    shared = {job.number: _product_files(job) for job in jobs}
    before: dict[int, int] = {}
    left = [job.number for job in jobs if shared[job.number]]
    while left:
        overlapping = {one: [n for n in left if n != one and shared[one] & shared[n]] for one in left}
        first = max(left, key=lambda one: (len(overlapping[one]), -one))
        before |= dict.fromkeys(overlapping[first], first)
        left = [n for n in left if n != first and n not in overlapping[first]] if overlapping[first] else []
    return before


def _product_files(job: ClusterJob) -> frozenset[str]:
    if all(error.category in ITS_OWN for error in job.task.errors):
        return frozenset()
    return frozenset(file for file in job.task.cluster.zone if not is_test(file))


@dataclass
class Beginning:
    """The starts of one phase's jobs. `shown` gives errors as models may read them."""

    verifier: Verifier
    steps: Steps
    jobs: Sequence[ClusterJob]
    shown: Callable[[tuple[CIError, ...]], Awaitable[tuple[CIError, ...]]]
    over: dict[int, asyncio.Event] = field(init=False)
    before: dict[int, int] = field(init=False)

    def __post_init__(self) -> None:
        self.before = probes(self.jobs)
        self.over = {job.number: asyncio.Event() for job in self.jobs}

    async def wait(self, job: ClusterJob) -> None:
        """Waits until the job that goes before this one is over."""
        if job.number in self.before:
            await self.over[self.before[job.number]].wait()

    def ended(self, job: ClusterJob) -> None:
        """Starts the jobs that wait for this one."""
        self.over[job.number].set()

    async def on_current_tree(self, job: ClusterJob) -> ClusterJob | None:
        """The job with the errors that are left, on what is accepted by now; None where nothing is left. The tree and
        the accepted proposals are recorded as a durable step, so that every replay of the run starts the job on the
        same."""

        async def now() -> Json:
            return {"base": self.verifier.integration, "accepted": [p.id for p in self.verifier.accepted]}

        seen = await self.steps.run("begun-on", job.key, now)
        base, accepted = str(seen["base"]), tuple(seen["accepted"])
        if base == job.base:
            return job
        if not (await self.verifier.branch.holds_all(accepted) and self.verifier.git.has(base)):
            base, accepted = self.verifier.integration, tuple(p.id for p in self.verifier.accepted)
        try:
            return await self._left(job, base, accepted)
        except Refusal:  # CI could not build that tree: the end of the phase deals with it
            return job

    async def _left(self, job: ClusterJob, base: str, accepted: tuple[str, ...]) -> ClusterJob | None:
        by_id = {error.id: error for error in job.task.errors}
        whole = [self.verifier.errors.get(i, by_id[i]) for i in by_id]
        left = await still_shown_on(self.verifier, base, whole)
        if not left:
            return None
        readable = await self.shown(left)
        fresh = {error.id: error for error in await with_tracebacks(self.verifier, base, readable)}
        errors = tuple(fresh.get(error.id, by_id[error.id]) for error in left)
        part = job.task.part(tuple(error.id for error in left)).model_copy(update={"errors": errors})
        task = with_code(part, base, self.verifier)
        return job.model_copy(update={"base": base, "accepted": accepted, "task": task})
