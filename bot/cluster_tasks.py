"""Cluster tasks: one worker asks another to prefetch the work on one cluster of its run."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from bot import __version__
from bot.store.attempts import Origin, RunRef
from healing.model import Frozen
from healing.steps import Json, Steps

if TYPE_CHECKING:
    from healing.pipeline.agent_work.spreading import ClusterJob, ClusterOrder

ORDER = "order"  # the kind of step that holds the task's input, which includes files of the repository


class ClusterTask(Frozen):
    """A reference small enough for a queue: the order itself is a durable step of the run. `rules_sha` is the commit
    whose settings apply; `heal` is the version that wrote the task, as another version would prompt models
    differently."""

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
        """The task's name in the log: the same cluster, phase and attempt are the same task."""
        return f"{self.run.key}/{self.order}"


class ClusterTasks(Protocol):
    """Executes cluster tasks."""

    async def others(self) -> bool:
        """Whether other workers are alive."""
        ...

    async def run(self, cluster_task: ClusterTask) -> None:
        """Has the task executed by any worker with free capacity. Returns when it is over, even if it failed: the run
        itself does what was not done."""
        ...


class ClusterTaskRunner(Protocol):
    """Executes cluster tasks of one repository."""

    async def run_cluster_task(self, cluster_task: ClusterTask) -> None:
        """Executes the task. Raises Refused, GitError, LeaseLost, and what agents raise."""
        ...


@dataclass(frozen=True)
class ClusterTaskDistributor:
    """`healing.pipeline.agent_work.spreading.Distributor` of one run. `like` is a cluster task of the run, without its
    order."""

    cluster_tasks: ClusterTasks
    steps: Steps
    like: ClusterTask

    async def wanted(self, job: "ClusterJob") -> bool:
        return bool(await self.steps.run("spread", [self.like.run.attempt, job.key], self.cluster_tasks.others))

    async def prefetch(self, order: "ClusterOrder") -> None:
        async def write() -> Json:
            return order.model_dump(mode="json")

        await self.steps.run(ORDER, order.job.key, write)
        await self.cluster_tasks.run(self.like.model_copy(update={"order": order.job.key}))


async def load_cluster_order(steps: Steps, cluster_task: ClusterTask) -> "ClusterOrder":
    """Returns the cluster task's order. Raises LookupError if none was stored."""
    from healing.pipeline.agent_work.spreading import ClusterOrder

    async def nothing() -> Json:
        raise LookupError(f"{cluster_task.key} has no order")

    return ClusterOrder.model_validate(await steps.run(ORDER, cluster_task.order, nothing))
