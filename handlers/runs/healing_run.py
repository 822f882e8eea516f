"""One run from start to end: find its pull request, fix, check that the head is still current, offer, report."""

import logging
from collections.abc import Awaitable
from dataclasses import dataclass

from handlers.acceptance.carry_over import move_fixes_to_head
from handlers.acceptance.formatting import commit_formatting
from handlers.comments import cancelling, formatting, pauses, refusals, skips, summary
from handlers.comments.reports import why_left
from handlers.delivery import offering
from handlers.delivery.ground import branch_as_pull
from handlers.delivery.muting import mute_rejected_kinds
from handlers.delivery.quiet import why_nothing_offered
from handlers.model import Context, HeadMoved, Pull, Refused, Run
from handlers.model.refusal import is_final, refusal_of
from handlers.model.skip_rules import SkipRules
from handlers.runs import flaky_tests, preexisting
from handlers.runs.chatting import post_to_chat
from handlers.runs.check_run import check_plan, write
from handlers.runs.finding import Failures, default_branch_of, find_pull, is_on_branch
from handlers.runs.left_alone import why_left_alone
from handlers.runs.report import before, end_quietly, report, report_outcome, statuses
from handlers.runs.skipping import why_not
from healing.model import Outcome, Proposal
from healing.pipeline.interrupted import Interrupted
from healing.steps import Json

log = logging.getLogger("heal.run")
OVER = ("done", "superseded", "stopped")
STOP_SECONDS = 30.0  # between checks whether the operator's stop was lifted


class PausedOrCancelled(Interrupted):
    """Somebody paused Heal on the pull request, or cancelled the run. `title` is the check run's title."""

    def __init__(self, title: str, why: str) -> None:
        super().__init__(why)
        self.title, self.why = title, why


@dataclass(frozen=True)
class AttemptStart:
    """The start of a run on a pull request: its base branch, the failures, and the commit's message."""

    base: str
    failures: Failures
    message: str | None


async def _raise_if_stopped(context: Context, run: Run) -> None:
    """Must be called before every step. Raises PausedOrCancelled if the run is cancelled or paused, and Refused while
    the operator has stopped Heal: the run continues from here when the stop is lifted."""
    if why := await context.store.stopped():
        raise Refused(503, why, retry_after=STOP_SECONDS)
    if why := await context.store.cancelled(run.sha, run.attempt):
        raise PausedOrCancelled(cancelling.TITLE, why)
    by = await context.store.paused_by(run.number) if run.number else None
    if by is not None:
        raise PausedOrCancelled("Paused", pauses.still(by))


async def execute(context: Context, run: Run) -> None:
    """Executes a run to its end; may be called again after a crash. Raises Refused for a rate limit, and if GitHub is
    temporarily unavailable: then it should be called again later."""
    stored = await context.store.run(run.sha, run.attempt) or run
    if stored.state in OVER:
        return
    try:
        await _execute_unfinished(context, stored)
    except Refused as error:
        if not is_final(error):
            raise
        await _refused(context, stored, error)


async def _refused(context: Context, run: Run, error: Refused) -> None:
    """Ends a run after GitHub has refused a request that it depends on, and reports the reason. If the App was
    uninstalled from the repository, the report is refused too."""
    log.warning("the run of %s/%d ends: %s", run.sha, run.attempt, error)
    latest = await context.store.run(run.sha, run.attempt) or run
    if latest.state not in OVER:
        why = refusals.stopped(refusal_of(error), error.request)
        await _end(context, latest, "stopped", why)
        await report(context, latest, summary.STOPPED, why)


async def _execute_unfinished(context: Context, run: Run) -> None:
    failures = await context.store.failures(run.sha, run.attempt)
    number = await find_pull(context.github, run, failures)
    if number is None:
        run = run.model_copy(update={"branch": default_branch_of(failures, run.repo_id)})
        await _run_until_stopped(context, run, _without_pull(context, run, failures))
        return
    async with context.work_lock(number):
        # The previous holder of the lock may have executed this very run, so its state is read again.
        latest = await context.store.run(run.sha, run.attempt) or run
        if latest.state not in OVER:
            run = latest.model_copy(update={"number": number})
            await _run_until_stopped(context, run, _of_pull(context, run, failures))


async def _run_until_stopped(context: Context, run: Run, story: Awaitable[None]) -> None:
    try:
        await story
    except PausedOrCancelled as halted:  # before anything was found
        await report(context, run, halted.title, summary.stopped(halted.why))
        await _end(context, run, "stopped", halted.why)


async def _of_pull(context: Context, run: Run, failures: Failures) -> None:
    await _raise_if_stopped(context, run)
    pull = await context.github.pull(run.number or 0)
    if pull is not None:
        await context.store.note_pull(pull)
    if pull is None or pull.state == "closed" or pull.head_sha != run.sha:
        moved = pull is not None and pull.state == "open"
        why = skips.MOVED_BEFORE if moved else skips.CLOSED_BEFORE
        await end_quietly(context, run, summary.skipped(why))
        await _end(context, run, "superseded" if moved else "stopped", why)
        return
    message = await context.github.commit_message(run.sha)
    reason = await why_left_alone(context, run, pull, failures, message)
    if reason is not None:
        await report(context, run, summary.NOTHING_DONE, summary.skipped(reason))
        await _end(context, run, "stopped", reason)
        return
    base = await _base_of(context, run, pull)
    run, outcome = await _heal(context, run, pull)
    await _deliver(context, run, pull.number, AttemptStart(base, failures, message), outcome)


async def _base_of(context: Context, run: Run, pull: Pull) -> str:
    """Returns the pull request's base branch when the run began; a durable step, so a restart returns the same."""

    async def now() -> Json:
        return pull.base_ref

    return str(await context.steps.run("base", [run.sha, run.attempt], now))


async def _without_pull(context: Context, run: Run, failures: Failures) -> None:
    """Executes a run on a commit without a pull request: a red default branch gets a fixup pull request; on other
    branches the run ends without a report."""
    branch = run.branch
    if branch is None:
        await end_quietly(context, run, summary.skipped(skips.NO_PULL))
        await _end(context, run, "stopped", skips.NO_PULL)
        return
    await _raise_if_stopped(context, run)
    if not await is_on_branch(context.github, branch, run.sha):
        await _stop(context, run, skips.not_on(branch))
        return
    # Skip rules about authors, drafts and so on are for pull requests; rules about the commit message apply here too.
    target = branch_as_pull(run.sha, branch, run.full_name)
    policy = (await context.healer.policy(run.sha, None)).model_copy(update={"skip": SkipRules()})
    message = await context.github.commit_message(run.sha)
    reason = why_not(target, run.full_name, context.slug, message, failures, policy)
    if reason is not None:
        await report(context, run, summary.NOTHING_DONE, summary.skipped(reason))
        await _end(context, run, "stopped", reason)
        return
    run, outcome = await _heal(context, run, None)
    if not await is_on_branch(context.github, branch, run.sha):  # a force push removed it meanwhile
        await _stop(context, run, skips.not_on(branch))
        return
    try:
        await _raise_if_stopped(context, run)
        await _offer(context, run, target, outcome)
    except PausedOrCancelled as halted:
        await _halt(context, run, target.number, outcome, halted)


async def _stop(context: Context, run: Run, why: str) -> None:
    await report(context, run, summary.STOPPED, summary.stopped(why))
    await _end(context, run, "stopped", why)


async def _heal(context: Context, run: Run, pull: Pull | None) -> tuple[Run, Outcome]:
    """Returns the run's outcome; the stored one if the process crashed while posting it."""
    if run.outcome is not None:
        return run, run.outcome
    run = run.model_copy(update={"state": "running"})
    await context.store.save_run(run)
    comment = ""
    known = await before(context, run)

    async def progress(sentence: str) -> None:
        nonlocal comment
        await _raise_if_stopped(context, run)
        if sentence != comment:
            comment = sentence
            text = summary.progress(sentence) + known
            await write(context, check_plan(run, "in_progress", summary.WORKING, text), run.attempt)

    await progress(summary.BEGUN)
    outcome = await context.healer.heal(run, pull, progress)
    run = run.model_copy(update={"outcome": outcome, "run_id": outcome.run_id})
    return run, outcome


async def _deliver(context: Context, run: Run, number: int, began: AttemptStart, outcome: Outcome) -> None:
    """Checks the pull request again before posting: an outcome of an old head, or of the merge with another base
    branch, is carried over instead; nothing is posted if the rules forbid it by now."""
    pull = await context.github.pull(number)
    if pull is not None:
        await context.store.note_pull(pull)
    if pull is None or pull.state == "closed":
        await _keep(context, run, number, outcome)
        await _stop(context, run, skips.CLOSED)
    elif pull.head_sha != run.sha:
        await _hand_over(context, run, pull, outcome, skips.MOVED)
    elif pull.base_ref != began.base:
        await _hand_over(context, run, pull, outcome, skips.retargeted(pull.base_ref))
    else:
        try:
            await _raise_if_stopped(context, run)
            if (reason := await why_left_alone(context, run, pull, began.failures, began.message)) is not None:
                raise PausedOrCancelled(cancelling.TITLE, reason)
            await _offer(context, run, pull, outcome)
        except PausedOrCancelled as halted:
            await _halt(context, run, number, outcome, halted)
        except HeadMoved:  # after our check
            await _hand_over(context, run, await context.github.pull(number) or pull, outcome, skips.MOVED)


async def _halt(context: Context, run: Run, number: int, outcome: Outcome, halted: PausedOrCancelled) -> None:
    """Ends a halted run: its results are saved and shown in the check run, but no fix is offered."""
    await _keep(context, run, number, outcome)
    text = cancelling.ended(halted.why, outcome, await statuses(context, number), commands=bool(number))
    await report(context, run, halted.title, text)
    await _end(context, run, "stopped", halted.why)


async def _hand_over(context: Context, run: Run, pull: Pull, outcome: Outcome, why: str) -> None:
    """Ends the run, and tests its fixes again on the pull request's current state, to offer those that hold."""
    await _keep(context, run, pull.number, outcome)
    await report(context, run, summary.STOPPED, summary.stopped(why))
    await _end(context, run, "superseded", why)
    if pull.state == "open":
        await move_fixes_to_head(context, pull, run.full_name)


async def _keep(context: Context, run: Run, number: int, outcome: Outcome) -> None:
    """Saves the results, so that fixes can still be carried over, listed and applied."""
    await offering.store_fixes(
        context, run, number, outcome, await offering.offerable_fixes(context, run, number, outcome)
    )
    await context.store.save_unfixables(number, outcome.run_id, outcome.unfixables)
    await flaky_tests.store_outcomes(context, run.sha, outcome)


async def _offer(context: Context, run: Run, pull: Pull, outcome: Outcome) -> None:
    await _keep(context, run, pull.number, outcome)
    await context.store.save_run(run)
    proposals: tuple[Proposal, ...] = await offering.offerable_fixes(context, run, pull.number, outcome)
    quiet = await why_nothing_offered(context.store, run)
    if not quiet:
        proposals = await mute_rejected_kinds(context, run, pull.number, outcome, proposals)
        sha = await commit_formatting(context, run, pull, proposals)
        if sha is not None:
            await _continue_on(context, run, pull.model_copy(update={"head_sha": sha}), outcome)
            return
    offers = offering.Offering({}) if quiet else await offering.offer(context, run, pull, outcome, proposals)
    handed_on = () if quiet else await preexisting.start_base_attempt(context, run, pull, outcome)
    await report_outcome(context, run, pull, offers.offered, (*handed_on, *offers.notes))
    if not quiet and not pull.number:
        await post_to_chat(context, run, outcome)
    await _end(context, run, "done", why_left(outcome))


async def _continue_on(context: Context, run: Run, pull: Pull, outcome: Outcome) -> None:
    """Reports the outcome, and carries its fixes over to the head that Heal's formatting commit created."""
    handed_on = await preexisting.start_base_attempt(context, run, pull, outcome)
    await report_outcome(context, run, pull, {}, (*handed_on, formatting.committed(pull.head_sha)))
    await _end(context, run, "done", why_left(outcome))
    await move_fixes_to_head(context, pull, run.full_name)


async def give_up(context: Context, run: Run, text: str) -> None:
    """Ends a run that can't continue, and completes its check run with `text`."""
    latest = await context.store.run(run.sha, run.attempt) or run
    if latest.state in OVER:
        return
    await _end(context, latest, "stopped", text)
    await report(context, latest, summary.STOPPED, text)


async def _end(context: Context, run: Run, state: str, reason: str | None = None) -> None:
    await context.store.save_run(run.model_copy(update={"state": state, "reason": reason}))
