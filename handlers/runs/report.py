"""What the check run of an attempt says at its end: the last one tells of all attempts at the commit (GH-3)."""

from collections.abc import Mapping

from handlers.acceptance import regressions
from handlers.comments import annotations, summary
from handlers.delivery import muting
from handlers.delivery.ground import branch_as_pull
from handlers.delivery.quiet import why_quiet
from handlers.ports import Pull, Run, World
from handlers.runs import flaky_tests, reruns
from handlers.runs.asking import NO_FAILURE, attempts
from handlers.runs.check_run import check_plan, write
from handlers.runs.looks import Look, together
from healing.model import Outcome

Offers = dict[str, str]  # proposal id → how it is offered, or why not


async def report(world: World, run: Run, title: str, text: str) -> None:
    """The run ended without a result of its own; what earlier attempts found stays on the page."""
    await write(world, check_plan(run, "completed", title, text + await before(world, run)), run.attempt)


async def end_quietly(world: World, run: Run, text: str) -> None:
    """Nothing came of the attempt: said only where its check run is there already, which would else stay open."""
    if await world.store.check_noted(run.sha, run.attempt):
        await report(world, run, "Nothing done", text)


async def before(world: World, run: Run) -> str:
    """What earlier attempts at the commit found, to follow another text; empty where there were none."""
    looks = tuple(look for number, look in await _looks(world, run.sha) if number < run.attempt)
    if not looks:
        return ""
    offers = await statuses(world, run.number or 0)
    return summary.earlier(summary.summary(together(looks), offers, summary.looks(_outcomes(looks))))


async def report_again(world: World, sha: str, notes: tuple[str, ...] = ()) -> None:
    """Tells anew what is known of a commit, with `notes` first. Where a look at it is under way, that tells at its end.
    To be called in the pull request's lane."""
    known = await attempts(world.store, sha)
    if not known or known[-1].state != "done" or known[-1].outcome is None:
        return
    run = known[-1]
    pull = await world.github.pull(run.number) if run.number else branch_as_pull(sha, "", run.full_name)
    if pull is not None:
        stored = await world.store.proposals(pull.number)
        offered = {item.proposal.id: item.delivery for item in stored if item.status == "offered"}
        await report_outcome(world, run, pull, offered, notes)


async def report_outcome(
    world: World, run: Run, pull: Pull, offered: Mapping[str, str], notes: tuple[str, ...] = ()
) -> None:
    """The summary of all attempts, of which `run` is the last; its outcome is stored."""
    assert run.outcome is not None, "what is reported was found"
    suspects = await regressions.suspects(world, run, pull, run.outcome)
    notes = (*notes, *await regressions.tell(world, pull, suspects))
    looks = tuple(look for _, look in await _looks(world, run.sha))
    outcome = together(looks)
    standing = {id_ for id_, how in offered.items() if how in ("suggestion", "fixup", "patch")}
    mine = standing & {proposal.id for proposal in outcome.proposals}
    again = await reruns.of_outcome(world, run, pull, outcome)
    notes = (*notes, *again.notes, *await flaky_tests.notes(world, outcome))
    notes = (*notes, *summary.looks(_outcomes(looks)), *summary.older(len(standing - mine)))
    stored = await world.store.proposals(pull.number)
    suggested = {item.proposal.id for item in stored if item.delivery == "suggestion"}
    suggested |= {id_ for id_, how in offered.items() if how == "suggestion"}
    notes = (*notes, *annotations.left_out(outcome, suggested), *await why_quiet(world.store, run))
    muted = await muting.muted_in(world, pull.number, outcome)
    plan = check_plan(
        run,
        "completed",
        summary.summary_title(outcome, len(mine)),
        summary.summary(
            muted.outcome, {**offered, **await statuses(world, pull.number)}, (*notes, *muted.notes), muted.opening
        ),
        ok=outcome.verdict == "healed" and not outcome.proposals,
        apply_all=bool(standing and pull.number and not pull.is_fork_of(run.full_name)),
        rerun=again.button,
        rollback=bool(suspects) and not pull.is_fork_of(run.full_name),
    )
    plan = plan.model_copy(update={"annotations": annotations.annotations(outcome, suggested)})
    await write(world, plan, run.attempt)


async def _looks(world: World, sha: str) -> list[tuple[int, Look]]:
    found = []
    for run in await attempts(world.store, sha):
        if run.outcome is not None:
            failures = await world.store.failures(sha, run.attempt)
            found.append((run.attempt, Look(run.outcome, any(row.get("source") in NO_FAILURE for row in failures))))
    return found


def _outcomes(looks: tuple[Look, ...]) -> tuple[Outcome, ...]:
    return tuple(look.outcome for look in looks)


async def statuses(world: World, number: int) -> Offers:
    """How each fix of the pull request is offered and why so, or what became of it."""
    return {item.proposal.id: summary.stands(item) for item in await world.store.proposals(number)}
