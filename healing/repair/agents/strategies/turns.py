"""One specialist after another: `single`, and `sequential` where each builds on the last."""

from collections.abc import Sequence

from healing.repair.agents.profiles import Profile
from healing.repair.agents.strategies.attempt import Attempt, merged_result, unwrapped
from healing.repair.agents.task import AgentResult, AgentTask

FINAL = frozenset({"budget", "stopped", "no-access"})  # endings that another specialist would not change


async def run_in_turn(
    task: AgentTask, candidates: Sequence[Profile], attempt: Attempt, further: frozenset[str] | None
) -> AgentResult:
    """Runs the candidates one after another: each gets what those before it left, and sees what they tried. `further`
    are the endings after which the next one is tried; None: all but final ones."""
    results: list[AgentResult] = []
    ids = task.ids()
    for number, profile in enumerate(candidates):
        part = _with_attempts(task.part(ids), results)
        results.append(await attempt(part.model_copy(update={"profile": profile}), number, unwrapped))
        left = {
            i
            for report in results[-1].unfixables
            if (report.reason in further if further else report.reason not in FINAL)
            for i in report.error_ids
        }
        ids = tuple(i for i in ids if i in left)
        if not ids:
            break
    return merged_result(task, results)


def _with_attempts(task: AgentTask, before: Sequence[AgentResult]) -> AgentTask:
    """The task with the attempts of this run in its history."""
    tried = [
        f"tried a moment ago, and refused: {failed.message[:600]}" for result in before for failed in result.failed
    ]
    return (
        task.model_copy(update={"history": "\n\n".join(filter(None, (task.history, *tried[-6:])))}) if tried else task
    )
