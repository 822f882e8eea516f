"""Mutes kinds of fixes that are often rejected in a repository."""

from collections.abc import Iterable
from math import sqrt
from typing import Literal, NamedTuple

from handlers.comments import muting as texts
from handlers.model import STANDING, Context, ProposalChange, Run, Tally
from healing.model import CIError, Outcome, Proposal

Visibility = Literal["loud", "quiet", "silent"]  # offered as usual; only in the check run; not at all
MINIMUM = 10  # decisions needed to mute a kind
QUIET_FROM = 0.30  # a kind is quiet if the lower bound of its share of rejections is above this
SILENT_FROM = 0.60
Z = 1.96  # quantile of the normal distribution for 95 % confidence
MAX_LENGTH = 200  # characters of a kind: codes come from logs
MAX_KINDS = 20  # per fix


def lower_bound(hits: int, of: int) -> float:
    """Returns the lower bound of a share: that of Wilson's score interval with 95 % confidence."""
    if not hits:
        return 0.0
    share, spread = hits / of, Z * Z / of
    center = share + spread / 2
    reach = Z * sqrt(share * (1 - share) / of + spread / (4 * of))
    return max(0.0, (center - reach) / (1 + spread))


def visibility(tally: Tally) -> Visibility:
    """Returns how a kind of fixes is offered. Undecided fixes don't count."""
    decided = tally.accepted + tally.rejected
    if decided < MINIMUM:
        return "loud"
    surely = lower_bound(tally.rejected, decided)
    return "silent" if surely > SILENT_FROM else "quiet" if surely > QUIET_FROM else "loud"


def kinds_of(proposal: Proposal, errors: Iterable[CIError]) -> tuple[str, ...]:
    """Returns the kinds of a fix: its source with the tool and rule of each error, like `fixer:missing_import ruff
    F821`."""
    fixed = [error for error in errors if error.id in proposal.error_ids]
    named = [" ".join(part for part in (proposal.source, error.tool, error.code) if part) for error in fixed]
    return tuple(dict.fromkeys(name[:MAX_LENGTH] for name in named or [proposal.source]))[:MAX_KINDS]


class MutedOutcome(NamedTuple):
    """An outcome for the report: without its muted fixes, and with the texts about them instead."""

    outcome: Outcome
    opening: str = ""
    notes: tuple[str, ...] = ()


async def without_muted_fixes(context: Context, number: int, outcome: Outcome) -> MutedOutcome:
    """Returns the outcome without muted fixes, with the check run's texts about them."""
    ids = {proposal.id for proposal in outcome.proposals}
    stored = await context.store.proposals(number)
    muted = tuple(item for item in stored if item.status == "muted" and item.proposal.id in ids)
    if not muted:
        return MutedOutcome(outcome)
    silent = [
        i for i in muted if visibility(await least_rejected(context, kinds_of(i.proposal, outcome.errors))) == "silent"
    ]
    hidden = {item.proposal.id for item in muted}
    left = outcome.model_copy(update={"proposals": tuple(p for p in outcome.proposals if p.id not in hidden)})
    notes = (texts.silent_note(tuple(silent)), texts.quiet_list(tuple(item for item in muted if item not in silent)))
    opening = "" if left.proposals else texts.nothing_offered(len(outcome.errors))
    return MutedOutcome(left, opening, notes)


async def mute_rejected_kinds(
    context: Context, run: Run, number: int, outcome: Outcome, proposals: tuple[Proposal, ...]
) -> tuple[Proposal, ...]:
    """Returns the fixes that are offered as usual, and stores the others as muted, with the reason."""
    loud: list[Proposal] = []
    for proposal in proposals:
        tally = await least_rejected(context, kinds_of(proposal, outcome.errors))
        if visibility(tally) == "loud":
            loud.append(proposal)
        else:
            await _mute(context, run, number, proposal.id, texts.why(tally))
    return tuple(loud)


async def _mute(context: Context, run: Run, number: int, proposal_id: str, reason: str) -> None:
    for item in await context.store.proposals(number):
        if item.proposal.id == proposal_id:
            change: ProposalChange = {"status": "muted", "reason": reason, "attempt": run.attempt}
            await context.store.update_proposal(item, change, only=STANDING)


async def least_rejected(context: Context, kinds: tuple[str, ...]) -> Tally:
    """Returns the tally of the kind that is rejected least: it decides about a fix of several kinds."""
    tallies = {tally.kind: tally for tally in await context.store.tallies(kinds)}
    known = [tallies.get(kind, Tally(kind=kind)) for kind in kinds]
    return min(known, key=lambda tally: (tally.accepted + tally.rejected >= MINIMUM, _rejected(tally)))


def _rejected(tally: Tally) -> float:
    return lower_bound(tally.rejected, tally.accepted + tally.rejected)
