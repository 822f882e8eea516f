"""The stop hook: before each call, decides whether every assigned error is settled and whether work may continue.
Pure."""

from healing.model import Frozen
from healing.repair.agents.task import AgentLimits


class Progress(Frozen):
    """The state of a cluster. `settled` and `missing` are error ids in the order they were assigned; the rest is about
    `target`: `seconds` of models and tools, and what its submissions showed."""

    target: str
    settled: tuple[str, ...]
    missing: tuple[str, ...]
    rounds: int
    calls: int
    refusals: int
    seconds: float = 0.0
    repeated: bool = False
    unchanged: bool = False
    worse: bool = False


class Decision(Frozen):
    """The next step: `done` with this branch, prompt `again`, `go_on` with tools, or `give_up` for `reason`, on the
    target or on `everything` that is open."""

    step: str
    reason: str = ""
    why: str = ""
    everything: bool = False


DONE = Decision(step="done")
AGAIN = Decision(step="again")
GO_ON = Decision(step="go_on")


def decide(progress: Progress, acted: bool, limits: AgentLimits) -> Decision:
    """Decides the next step. `acted`: the turn called tools. A turn that ended while errors are open is prompted again,
    within limits."""
    if progress.target not in progress.missing:
        return DONE
    if given_up := _early(progress) or _spent(progress, limits):
        return given_up
    if acted:
        return GO_ON
    if progress.rounds >= limits.rounds:
        why = f"the agent stopped {progress.rounds} times with errors open, the limit for a cluster"
        return Decision(step="give_up", reason="limit", why=why, everything=True)
    return AGAIN


def _early(progress: Progress) -> Decision | None:
    """Endings that further attempts would not change."""
    if progress.repeated:
        return _give_up("repeated", "the agent handed in the same refused edits again")
    if progress.worse:
        return _give_up("worse", "its edits made the errors more by over a half")
    if progress.unchanged:
        return _give_up("unchanged", "two different edits left the very same message")
    return None


def _spent(progress: Progress, limits: AgentLimits) -> Decision | None:
    if progress.refusals >= limits.refusals:
        return _give_up("refused", f"{progress.refusals} submissions on it were refused")
    if progress.calls >= limits.calls:
        return _give_up("limit", f"{progress.calls} model calls were spent on it, the limit for one error")
    if progress.seconds >= limits.seconds:
        return out_of_time(progress.seconds)
    return None


def out_of_time(seconds: float) -> Decision:
    """The decision for an error whose models and tools took too long."""
    return _give_up("time", f"models and tools took {seconds:.0f} seconds for it, the limit for one error")


def _give_up(reason: str, why: str) -> Decision:
    return Decision(step="give_up", reason=reason, why=why)
