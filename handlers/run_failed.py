"""A check failed: the failure joins the commit's open attempt, which starts by itself when it gets quiet (IN-3)."""

from handlers.events import CheckFailed
from handlers.ports import World

MERGE_QUEUE = "gh-readonly-queue/"  # read-only branches of GitHub's own: nothing can be offered there


async def handle(event: CheckFailed, world: World) -> None:
    """Stores the failure and asks for a healing; the queue waits for the quiet period."""
    if (event.head_branch or "").startswith(MERGE_QUEUE):
        return
    run = await world.store.open_attempt(key_of(event), event.installation_id, event.sha, failure_of(event))
    await world.queue.healing(run)


def key_of(event: CheckFailed) -> str:
    """Names this failure, so that a redelivery changes nothing."""
    if event.check_run_id is not None:
        return f"check_run:{event.check_run_id}"
    if event.workflow_run_id is not None:
        return f"workflow_run:{event.workflow_run_id}:{event.run_attempt}"
    return f"status:{event.name[:150]}:{event.conclusion}"


def failure_of(event: CheckFailed) -> dict[str, object]:
    """The row that the run reads later: the event's own fields, and the repository's default branch."""
    row: dict[str, object] = event.model_dump(mode="json", exclude={"installation_id", "repo", "sender", "sha"})
    row["default_branch"] = event.repo.default_branch
    return row
