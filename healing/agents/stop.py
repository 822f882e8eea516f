"""The stop hook: after each turn, is every assigned error addressed? Pure (AG-1)."""

from healing.agents.task import Limits
from healing.model import Frozen


class Progress(Frozen):
    """Where a cluster stands after a turn. `settled` and `missing` are error ids in the order they were assigned."""

    target: str
    settled: tuple[str, ...]
    missing: tuple[str, ...]
    rounds: int
    calls: int
    refusals: int


class Decision(Frozen):
    """What happens next: `done` with this branch, ask `again`, `go_on` with tools, or `give_up` for `reason`."""

    step: str
    reason: str = ""
    why: str = ""


DONE = Decision(step="done")
AGAIN = Decision(step="again")
GO_ON = Decision(step="go_on")


def decide(progress: Progress, acted: bool, limits: Limits) -> Decision:
    """`acted`: the turn called tools. A turn that ended while errors are open is prompted again, within limits."""
    if progress.target not in progress.missing:
        return DONE
    if progress.refusals >= limits.refusals:
        return _give_up("refused", f"{progress.refusals} submissions on it were refused")
    if progress.calls >= limits.calls:
        return _give_up("limit", f"{progress.calls} model calls were spent on it, the limit for one error")
    if acted:
        return GO_ON
    if progress.rounds >= limits.rounds:
        return _give_up("limit", f"the agent stopped {progress.rounds} times with errors open, the limit for a cluster")
    return AGAIN


def _give_up(reason: str, why: str) -> Decision:
    return Decision(step="give_up", reason=reason, why=why)
