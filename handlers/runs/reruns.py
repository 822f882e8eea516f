"""Re-runs of failures that may disappear when CI runs again: by a button, or once automatically if the repository
configures it.

GitHub's count of a run's attempts is the only state: a failure in attempt 1 is re-run only while GitHub is still at
attempt 1. So nothing is re-run twice after a crash or a repeated event.
"""

from typing import NamedTuple

from handlers.comments import reruns as texts
from handlers.model import Context, Pull, Run
from handlers.runs.asking import attempts
from healing.model import CiRun, Outcome
from healing.steps import Json


class Reruns(NamedTuple):
    """The check run's notes about re-runs, and whether it has the button."""

    notes: tuple[str, ...]
    button: bool


async def rerun_or_note(context: Context, run: Run, pull: Pull, outcome: Outcome) -> Reruns:
    """Returns notes on each CI run with a retryable failure. First attempts are re-run here if the repository
    configures it."""
    if not outcome.retryable:
        return Reruns((), button=False)
    if not await context.publisher.may_rerun():
        return Reruns((texts.NOT_GRANTED,), button=False)
    by_itself = not await context.store.observing() and (await context.healer.policy(run.sha, pull)).rerun_flaky
    notes: list[str] = []
    button = False
    for ci_run in outcome.retryable:
        now = await context.github.ci_run(ci_run.id)
        if now is None:
            continue  # deleted or expired
        if now.attempt > ci_run.attempt:
            notes.append(texts.ran_again(now))
        elif by_itself and ci_run.attempt == 1:
            why = await context.publisher.rerun(ci_run)
            notes.append(texts.waits(why) if why else texts.BY_ITSELF)
            button |= bool(why)
        else:
            button = True
    return Reruns(tuple(dict.fromkeys(notes)), button)


async def rerun_retryable(context: Context, sha: str) -> tuple[str, ...]:
    """Re-runs the retryable CI runs of the commit's attempts; returns a line for each reason why GitHub refused. The
    attempts are chosen in a durable step, so that a repeated event of the same press doesn't re-run later ones."""

    async def decide() -> Json:
        outcomes = [run.outcome for run in await attempts(context.store, sha) if run.outcome]
        last = {ci_run.id: ci_run.attempt for outcome in outcomes for ci_run in outcome.retryable}
        return [[id_, attempt] for id_, attempt in last.items()]

    chosen = await context.steps.run("rerun", sha, decide)
    if not chosen or not await context.publisher.may_rerun():
        return ()
    answers = [await context.publisher.rerun(CiRun(id=id_, attempt=attempt)) for id_, attempt in chosen]
    return tuple(texts.refused(why) for why in dict.fromkeys(answers) if why)
