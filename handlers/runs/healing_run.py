"""The story of one run: find its pull request, heal, look again whether the head is still there, offer, report."""

import logging

from handlers.acceptance.carry_over import follow
from handlers.comments import cancelling, formatting, pauses, refusals, skips, summary
from handlers.comments.reports import why_left
from handlers.delivery import offering
from handlers.delivery.formatting import commit_formatting
from handlers.delivery.ground import branch_as_pull
from handlers.delivery.muting import quieten
from handlers.delivery.quiet import why_quiet
from handlers.delivery.refusal import is_final, refusal_of
from handlers.ports import HeadMoved, Pull, Refused, Run, World
from handlers.runs import flaky_tests, preexisting
from handlers.runs.check_run import check_plan, write
from handlers.runs.finding import Failures, default_branch_of, find_pull, is_on_branch
from handlers.runs.report import before, end_quietly, report, report_outcome, statuses
from handlers.runs.skip_rules import SkipRules
from handlers.runs.skipping import why_not
from healing.interrupted import Interrupted
from healing.model import Outcome, Proposal

log = logging.getLogger("heal.run")
OVER = ("done", "superseded", "stopped")
STOP_SECONDS = 30.0  # between looks whether the operator's stop was lifted


class Halted(Interrupted):
    """Somebody paused Heal here, or cancelled the run (SC-1). `title` is the check run's."""

    def __init__(self, title: str, why: str) -> None:
        super().__init__(why)
        self.title, self.why = title, why


async def _may_go_on(world: World, run: Run) -> None:
    """To be asked before every step. Raises Halted. Raises Refused while the operator has stopped Heal: the run goes on
    from here when it is lifted (OP-8)."""
    if why := await world.store.stopped():
        raise Refused(503, why, retry_after=STOP_SECONDS)
    if why := await world.store.cancelled(run.sha, run.attempt):
        raise Halted(cancelling.TITLE, why)
    by = await world.store.paused_by(run.number) if run.number else None
    if by is not None:
        raise Halted("Paused", pauses.still(by))


async def execute(world: World, run: Run) -> None:
    """Carries a run to its end; may be called again after a crash. Raises Refused on a rate limit, and where GitHub is
    out of order: come back later."""
    stored = await world.store.run(run.sha, run.attempt) or run
    if stored.state in OVER:
        return
    try:
        await _story(world, stored)
    except Refused as error:
        if not is_final(error):
            raise
        await _refused(world, stored, error)


async def _refused(world: World, run: Run, error: Refused) -> None:
    """GitHub refused what the run can't do without: it ends with whatever was stored, and says why. Where the App was
    taken off the repository that can't be said either."""
    log.warning("the run of %s/%d ends: %s", run.sha, run.attempt, error)
    latest = await world.store.run(run.sha, run.attempt) or run
    if latest.state not in OVER:
        why = refusals.stopped(refusal_of(error))
        await _end(world, latest, "stopped", why)
        await report(world, latest, "Stopped", why)


async def _story(world: World, run: Run) -> None:
    failures = await world.store.failures(run.sha, run.attempt)
    number = await find_pull(world.github, run, failures)
    if number is None:
        await _without_pull(world, run, failures)
        return
    async with world.lane(number):
        # Whoever was in the lane may have healed this very run: what is known of it now counts, not when we came.
        latest = await world.store.run(run.sha, run.attempt) or run
        if latest.state not in OVER:
            await _of_pull(world, latest.model_copy(update={"number": number}), failures)


async def _of_pull(world: World, run: Run, failures: Failures) -> None:
    try:
        await _unless_halted(world, run, failures)
    except Halted as halted:  # before anything was found
        await report(world, run, halted.title, summary.skipped(halted.why))
        await _end(world, run, "stopped", halted.why)


async def _unless_halted(world: World, run: Run, failures: Failures) -> None:
    await _may_go_on(world, run)
    pull = await world.github.pull(run.number or 0)
    if pull is not None:
        await world.store.note_pull(pull)
    if pull is None or pull.state == "closed" or pull.head_sha != run.sha:
        moved = pull is not None and pull.state == "open"
        why = skips.MOVED_BEFORE if moved else skips.CLOSED_BEFORE
        await end_quietly(world, run, summary.skipped(why))
        await _end(world, run, "superseded" if moved else "stopped", why)
        return
    reason = await _reason(world, run, pull, failures)
    if reason is not None:
        await report(world, run, "Nothing done", summary.skipped(reason))
        await _end(world, run, "stopped", reason)
        return
    run, outcome = await _heal(world, run, pull)
    await _deliver(world, run, pull.number, outcome)


async def _reason(world: World, run: Run, pull: Pull, failures: Failures) -> str | None:
    """Why the pull request is left alone; None: it isn't."""
    message = await world.github.commit_message(run.sha)
    policy = await world.healer.policy(run.sha, pull)
    files = await world.github.changed_files(pull.number) if policy.skip.paths else ()
    paths = tuple(path for file in files for path in (file.path, file.previous_path) if path)
    return why_not(pull, run.full_name, world.slug, message, failures, policy, paths)


async def _without_pull(world: World, run: Run, failures: Failures) -> None:
    """A red default branch is healed by a fixup pull request; other branches wait for theirs, quietly."""
    branch = default_branch_of(failures, run.repo_id)
    if branch is None:
        await end_quietly(world, run, summary.skipped(skips.NO_PULL))
        await _end(world, run, "stopped", skips.NO_PULL)
        return
    run = run.model_copy(update={"branch": branch})
    if not await is_on_branch(world.github, branch, run.sha):
        await _stop(world, run, skips.not_on(branch))
        return
    # Rules about the author and the draft are about pull requests; the commit's own words hold here too.
    target = branch_as_pull(run.sha, branch, run.full_name)
    policy = (await world.healer.policy(run.sha, None)).model_copy(update={"skip": SkipRules()})
    message = await world.github.commit_message(run.sha)
    reason = why_not(target, run.full_name, world.slug, message, failures, policy)
    if reason is not None:
        await report(world, run, "Nothing done", summary.skipped(reason))
        await _end(world, run, "stopped", reason)
        return
    run, outcome = await _heal(world, run, None)
    if not await is_on_branch(world.github, branch, run.sha):  # a push by force took it away meanwhile
        await _stop(world, run, skips.not_on(branch))
        return
    await _offer(world, run, target, outcome)


async def _stop(world: World, run: Run, why: str) -> None:
    await report(world, run, "Stopped", summary.skipped(why))
    await _end(world, run, "stopped", why)


async def _heal(world: World, run: Run, pull: Pull | None) -> tuple[Run, Outcome]:
    """The outcome; the stored one where a crash came during its delivery."""
    if run.outcome is not None:
        return run, run.outcome
    run = run.model_copy(update={"state": "running"})
    await world.store.save_run(run)
    comment = ""
    known = await before(world, run)

    async def progress(sentence: str) -> None:
        nonlocal comment
        await _may_go_on(world, run)
        if sentence != comment:
            comment = sentence
            text = summary.progress(sentence) + known
            await write(world, check_plan(run, "in_progress", "Healing", text), run.attempt)

    await progress("reading what failed")
    outcome = await world.healer.heal(run, pull, progress)
    run = run.model_copy(update={"outcome": outcome, "run_id": outcome.run_id})
    return run, outcome


async def _deliver(world: World, run: Run, number: int, outcome: Outcome) -> None:
    """Looks again before posting: what was proven on a head that is gone is carried to the new one instead."""
    pull = await world.github.pull(number)
    if pull is not None:
        await world.store.note_pull(pull)
    if pull is None or pull.state == "closed":
        await _keep(world, run, number, outcome)
        await _stop(world, run, skips.CLOSED)
    elif pull.head_sha != run.sha:
        await _hand_over(world, run, pull, outcome)
    else:
        try:
            await _may_go_on(world, run)
            await _offer(world, run, pull, outcome)
        except Halted as halted:
            await _halt(world, run, number, outcome, halted)
        except HeadMoved:  # between our look and GitHub's
            now = await world.github.pull(number)
            await _hand_over(world, run, now or pull, outcome)


async def _halt(world: World, run: Run, number: int, outcome: Outcome, halted: Halted) -> None:
    """Nothing is posted; what was found until then is kept, and in the check run."""
    await _keep(world, run, number, outcome)
    text = cancelling.ended(halted.why, outcome, await statuses(world, number))
    await report(world, run, halted.title, text)
    await _end(world, run, "stopped", halted.why)


async def _hand_over(world: World, run: Run, pull: Pull, outcome: Outcome) -> None:
    await _keep(world, run, pull.number, outcome)
    await report(world, run, "Stopped", summary.skipped(skips.MOVED))
    await _end(world, run, "superseded", skips.MOVED)
    if pull.state == "open" and pull.head_sha != run.sha:
        await follow(world, pull, run.full_name)


async def _keep(world: World, run: Run, number: int, outcome: Outcome) -> None:
    """What was found is not lost: it can still be carried over, listed and applied."""
    await offering.remember(world, run, number, outcome, await offering.fresh(world, run, number, outcome))
    await world.store.save_unfixables(number, outcome.run_id, outcome.unfixables)
    await flaky_tests.remember(world, run.sha, outcome)


async def _offer(world: World, run: Run, pull: Pull, outcome: Outcome) -> None:
    await _keep(world, run, pull.number, outcome)
    await world.store.save_run(run)
    proposals: tuple[Proposal, ...] = await offering.fresh(world, run, pull.number, outcome)
    quiet = await why_quiet(world.store, run)
    if not quiet:
        proposals = await quieten(world, run, pull.number, outcome, proposals)
        sha = await commit_formatting(world, run, pull, proposals)
        if sha is not None:
            await _continue_on(world, run, pull.model_copy(update={"head_sha": sha}), outcome)
            return
    made = offering.Offering({}) if quiet else await offering.offer(world, run, pull, outcome, proposals)
    if not quiet:
        await preexisting.hand_on(world, run, pull, outcome)
    await report_outcome(world, run, pull, made.offered, made.notes)
    await _end(world, run, "done", why_left(outcome))


async def _continue_on(world: World, run: Run, pull: Pull, outcome: Outcome) -> None:
    """What was found, on the head that Heal's own commit of formatting made."""
    await preexisting.hand_on(world, run, pull, outcome)
    await report_outcome(world, run, pull, {}, (formatting.committed(pull.head_sha),))
    await _end(world, run, "done", why_left(outcome))
    await follow(world, pull, run.full_name)


async def give_up(world: World, run: Run, text: str) -> None:
    """Ends a run that can't go on, for whoever finds that out, and says so: the check run must not stay open."""
    latest = await world.store.run(run.sha, run.attempt) or run
    if latest.state in OVER:
        return
    await _end(world, latest, "stopped", text)
    await report(world, latest, "Stopped", text)


async def _end(world: World, run: Run, state: str, reason: str | None = None) -> None:
    await world.store.save_run(run.model_copy(update={"state": state, "reason": reason}))
