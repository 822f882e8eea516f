"""What one worker asks another to do for its run: to go ahead through one of the run's clusters."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from bot import __version__
from bot.store.attempts import Origin, RunRef
from healing.model import Frozen
from healing.steps import Json, Steps

if TYPE_CHECKING:
    from healing.pipeline.agent_work.spreading import ClusterJob, ClusterOrder

ORDER = "order"  # the kind of step that holds what another worker is given, files of the repository in it


class ClusterTask(Frozen):
    """Small enough for a queue: the order itself is a durable step of the run. `rules_sha` is the commit whose settings
    count; `heal` is the version that wrote it, for another one would say other things to models."""

    run: RunRef
    number: int | None
    origin: Origin
    rules_sha: str
    of_fork: bool
    run_id: str
    order: str = ""
    heal: str = __version__

    @property
    def key(self) -> str:
        """Names it in the log: the same cluster of the same phase of the same attempt is one cluster task."""
        return f"{self.run.key}/{self.order}"


class ClusterTasks(Protocol):
    """How cluster tasks are done."""

    async def others(self) -> bool:
        """Whether other workers live."""
        ...

    async def run(self, cluster_task: ClusterTask) -> None:
        """Has it done by whichever worker has room. Returns when it is over, also where it went wrong: what was not
        done the run does itself."""
        ...


class RunsClusterTasks(Protocol):
    """Of one repository."""

    async def run_cluster_task(self, cluster_task: ClusterTask) -> None:
        """Does it. Raises Refused, GitError, LeaseLost, and what agents raise."""
        ...


@dataclass(frozen=True)
class SpreadByClusterTasks:
    """`healing.pipeline.agent_work.spreading.Spread` of one run. `like` is a cluster task of the run, without its
    order."""

    cluster_tasks: ClusterTasks
    steps: Steps
    like: ClusterTask

    async def wanted(self, job: "ClusterJob") -> bool:
        return bool(await self.steps.run("spread", [self.like.run.attempt, job.key], self.cluster_tasks.others))

    async def go_ahead(self, order: "ClusterOrder") -> None:
        async def write() -> Json:
            return order.model_dump(mode="json")

        await self.steps.run(ORDER, order.job.key, write)
        await self.cluster_tasks.run(self.like.model_copy(update={"order": order.job.key}))


async def order_in(steps: Steps, cluster_task: ClusterTask) -> "ClusterOrder":
    """The cluster task's order. Raises LookupError where nobody wrote one."""
    from healing.pipeline.agent_work.spreading import ClusterOrder

    async def nothing() -> Json:
        raise LookupError(f"{cluster_task.key} has no order")

    return ClusterOrder.model_validate(await steps.run(ORDER, cluster_task.order, nothing))
