"""Completes the check run of an attempt; the last one reports all attempts at the commit."""

from collections.abc import Mapping

from handlers.acceptance import regressions
from handlers.comments import annotations, summary
from handlers.comments.taking import Reach, to_do
from handlers.delivery import muting
from handlers.delivery.ground import branch_as_pull
from handlers.delivery.quiet import why_nothing_offered
from handlers.model import Context, Pull, Run
from handlers.runs import flaky_tests, reruns
from handlers.runs.asking import ELSEWHERE, NO_FAILURE, READY, attempts
from handlers.runs.attempt_outcomes import AttemptOutcome, merge_outcomes
from handlers.runs.check_run import check_plan, write
from healing.model import Outcome

Offers = dict[str, str]  # proposal id → how it is offered, or why not


async def report(context: Context, run: Run, title: str, text: str) -> None:
    """Reports a run that ended without a result of its own; results of earlier attempts stay in the check run."""
    await write(context, check_plan(run, "completed", title, text + await before(context, run)), run.attempt)


async def end_quietly(context: Context, run: Run, text: str) -> None:
    """Reports an attempt without result only if its check run exists already and would otherwise stay open."""
    if await context.store.check_noted(run.sha, run.attempt):
        await report(context, run, summary.NOTHING_DONE, text)


async def before(context: Context, run: Run) -> str:
    """Returns the results of earlier attempts at the commit, to append to another text; empty if there are none."""
    ended_attempts = tuple(ended for number, ended in await _attempt_outcomes(context, run.sha) if number < run.attempt)
    if not ended_attempts:
        return ""
    offers = await statuses(context, run.number or 0)
    return summary.earlier(
        summary.summary(merge_outcomes(ended_attempts), offers, summary.looks(_outcomes(ended_attempts)))
    )


async def report_again(context: Context, sha: str, notes: tuple[str, ...] = ()) -> None:
    """Updates the report on a commit, with `notes` first. Does nothing if an attempt is unfinished: that one reports at
    its end. Must be called inside the `work_lock`."""
    known = await attempts(context.store, sha)
    if not known or known[-1].state != "done" or known[-1].outcome is None:
        return
    run = known[-1]
    pull = await context.github.pull(run.number) if run.number else branch_as_pull(sha, "", run.full_name)
    if pull is not None:
        stored = await context.store.proposals(pull.number)
        offered = {item.proposal.id: item.delivery for item in stored if item.status == "offered"}
        await report_outcome(context, run, pull, offered, notes)


async def report_outcome(
    context: Context, run: Run, pull: Pull, offered: Mapping[str, str], notes: tuple[str, ...] = ()
) -> None:
    """Reports the summary of all attempts, of which `run` is the last; its outcome must be stored."""
    assert run.outcome is not None, "what is reported was found"
    suspects = await regressions.suspects(context, run, pull, run.outcome)
    notes = (*notes, *await regressions.report_suspects(context, pull, suspects))
    ended_attempts = tuple(ended for _, ended in await _attempt_outcomes(context, run.sha))
    outcome = merge_outcomes(ended_attempts)
    standing = {id_ for id_, how in offered.items() if how in ("suggestion", "fixup", "patch")}
    mine = standing & {proposal.id for proposal in outcome.proposals}
    again = await reruns.rerun_or_note(context, run, pull, outcome)
    notes = (*notes, *again.notes, *await flaky_tests.notes(context, outcome))
    notes = (*notes, *summary.looks(_outcomes(ended_attempts)), *summary.older(len(standing - mine)))
    stored = await context.store.proposals(pull.number)
    suggested = {item.proposal.id for item in stored if item.delivery == "suggestion"}
    suggested |= {id_ for id_, how in offered.items() if how == "suggestion"}
    notes = (*notes, *annotations.left_out(outcome, suggested), *await why_nothing_offered(context.store, run))
    muted = await muting.without_muted_fixes(context, pull.number, outcome)
    is_fork = pull.is_fork_of(run.full_name)
    can_push = bool(pull.number) and not is_fork
    plan = check_plan(
        run,
        "completed",
        summary.summary_title(outcome, len(mine)),
        summary.summary(
            muted.outcome,
            {**offered, **await statuses(context, pull.number)},
            (*notes, *muted.notes),
            muted.opening,
            to_do(muted.outcome.proposals, offered, Reach(bool(pull.number), can_push)),
        ),
        ok=outcome.verdict == "healed" and not outcome.proposals,
        apply_all=bool(standing) and can_push,
        rerun=again.button,
        rollback=bool(suspects) and not is_fork,
    )
    plan = plan.model_copy(update={"annotations": annotations.annotations(outcome, suggested)})
    await write(context, plan, run.attempt)


async def _attempt_outcomes(context: Context, sha: str) -> list[tuple[int, AttemptOutcome]]:
    """Returns attempt and outcome of each attempt, without those from before the base branch was changed."""
    ended_attempts: list[tuple[int, AttemptOutcome]] = []
    for run in await attempts(context.store, sha):
        failures = await context.store.failures(sha, run.attempt)
        if any(row.get("source") == READY and row.get(ELSEWHERE) for row in failures):
            ended_attempts = []
        if run.outcome is not None:
            ended_attempts.append(
                (run.attempt, AttemptOutcome(run.outcome, any(row.get("source") in NO_FAILURE for row in failures)))
            )
    return ended_attempts


def _outcomes(ended_attempts: tuple[AttemptOutcome, ...]) -> tuple[Outcome, ...]:
    return tuple(ended.outcome for ended in ended_attempts)


async def statuses(context: Context, number: int) -> Offers:
    """Returns for each fix of the pull request how it is offered and why, or its result."""
    return {item.proposal.id: summary.stands(item) for item in await context.store.proposals(number)}
