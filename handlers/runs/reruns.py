"""Failures that may be gone when CI runs again: by a button, or once by itself where the repository asks for it.

GitHub's own count of a run's attempts is the memory: what failed in attempt 1 is run again only while GitHub is still
at attempt 1. So nothing is run again twice, whatever dies or is reported twice.
"""

from typing import NamedTuple

from handlers.comments import reruns as texts
from handlers.model import Context, Pull, Run
from handlers.runs.asking import attempts
from healing.model import CiRun, Outcome
from healing.steps import Json


class Reruns(NamedTuple):
    """What the check run says of them, and whether it has the button."""

    notes: tuple[str, ...]
    button: bool


async def of_outcome(context: Context, run: Run, pull: Pull, outcome: Outcome) -> Reruns:
    """How each run with a failure that may be gone stands. First attempts are run again here where the repository wants
    that."""
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
            continue  # deleted, or too old
        if now.attempt > ci_run.attempt:
            notes.append(texts.ran_again(now))
        elif by_itself and ci_run.attempt == 1:
            why = await context.publisher.rerun(ci_run)
            notes.append(texts.waits(why) if why else texts.BY_ITSELF)
            button |= bool(why)
        else:
            button = True
    return Reruns(tuple(dict.fromkeys(notes)), button)


async def press(context: Context, sha: str) -> tuple[str, ...]:
    """Runs again what the commit's looks found to be worth it; gives a line for each that GitHub would not. Which
    attempts are meant is decided once: the same press, received again, doesn't mean a later one."""

    async def decide() -> Json:
        looks = [run.outcome for run in await attempts(context.store, sha) if run.outcome]
        last = {ci_run.id: ci_run.attempt for outcome in looks for ci_run in outcome.retryable}
        return [[id_, attempt] for id_, attempt in last.items()]

    chosen = await context.steps.run("rerun", sha, decide)
    if not chosen or not await context.publisher.may_rerun():
        return ()
    answers = [await context.publisher.rerun(CiRun(id=id_, attempt=attempt)) for id_, attempt in chosen]
    return tuple(texts.refused(why) for why in dict.fromkeys(answers) if why)
