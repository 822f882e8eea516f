"""How each fix is offered: suggested change, fixup pull request or patch. Pure: gives a plan."""

from collections.abc import Mapping

from pydantic import Field

from handlers.comments import marks, reasons
from handlers.comments.parts import Errors, by_id
from handlers.comments.patch import patch_of
from handlers.comments.suggestion import review, suggestion
from handlers.delivery.diff_hunks import Hunk, hunks_of
from handlers.delivery.fixup_plan import Base, fixup_branch, in_order, stack
from handlers.delivery.suggestible import NotSuggestible, Replacement, replacements
from handlers.model import ChangedFile, Pull
from handlers.model.plans import FixupPlan, ReviewPlan, SuggestionPlan
from healing.edits.exact import Read
from healing.model import Frozen, Outcome, Proposal

MOST_COMMENTS = 30  # of one review; GitHub times out on many more


class DeliveryPlan(Frozen):
    """What to post. `patches` are ids to be shown as patches; `reasons` say why a fix is no suggested change;
    `left_out` are ids that nothing can carry, with why."""

    reviews: tuple[ReviewPlan, ...] = ()
    fixup: FixupPlan | None = None
    fixup_ids: tuple[str, ...] = ()
    patches: tuple[str, ...] = ()
    reasons: dict[str, str] = Field(default_factory=dict)
    left_out: dict[str, str] = Field(default_factory=dict)


class Ground:
    """What a delivery stands on: the pull request (or branch) at its head, and what that head holds.

    `read` gives a head file's bytes, `modes` its mode; `fork`: nothing may be pushed; `generation` of the commits.
    """

    def __init__(
        self,
        pull: Pull,
        changed: tuple[ChangedFile, ...],
        read: Read,
        modes: Mapping[str, str],
        fork: bool,
        generation: int = 1,
    ) -> None:
        self.pull = pull
        self.read = read
        self.modes = modes
        self.fork = fork
        self.generation = generation
        self.hunks: dict[str, tuple[Hunk, ...]] = {
            file.path: hunks_of(file.patch, read(file.path) or b"") for file in changed
        }

    @property
    def base(self) -> Base:
        """The same for a fixup pull request."""
        pull = self.pull
        return Base(pull.number, pull.head_ref, pull.head_sha, self.read, self.modes, self.generation)


def plan_delivery(
    outcome: Outcome,
    attempt: int,
    ground: Ground,
    proposals: tuple[Proposal, ...],
    refused: Mapping[str, str] = {},
    fixups: bool = True,
) -> DeliveryPlan:
    """Where each of `proposals` goes; each appears exactly once in the plan. What GitHub `refused` as a suggestion (id
    → why) falls back to a fixup or a patch; nothing else changes its place. Not `fixups`: the repository wants those on
    request alone."""
    errors = by_id(outcome.errors)
    placed, whys = _place(proposals, ground)
    placed = {id_: places for id_, places in placed.items() if id_ not in refused}
    whys |= refused
    reviews = tuple(
        found
        for phase in ("free", "fast", "slow")
        if (found := _review(phase, [p for p in proposals if p.phase == phase], placed, outcome, attempt, ground))
    )
    rest = in_order(tuple(proposal for proposal in proposals if proposal.id not in placed))
    if not fixups:
        whys |= {one.id: "; ".join(filter(None, (whys.get(one.id), reasons.ON_REQUEST))) for one in rest}
    if ground.fork or not fixups:
        return DeliveryPlan(reviews=reviews, patches=tuple(proposal.id for proposal in rest), reasons=whys)
    made = stack(rest, fixup_branch(outcome.run_id, attempt), ground.base, errors)
    return DeliveryPlan(
        reviews=reviews, fixup=made.plan, fixup_ids=made.ids, reasons=whys, left_out=dict(made.left_out)
    )


def _place(
    proposals: tuple[Proposal, ...], ground: Ground
) -> tuple[dict[str, tuple[Replacement, ...]], dict[str, str]]:
    """Replacements of those that can be suggested, the surest first, and why the others can't."""
    tied = {id_ for proposal in proposals for id_ in (*proposal.needs, *([proposal.id] if proposal.needs else []))}
    placed: dict[str, tuple[Replacement, ...]] = {}
    whys: dict[str, str] = {}
    room = {"free": MOST_COMMENTS, "fast": MOST_COMMENTS, "slow": MOST_COMMENTS}
    for proposal in surest_first(proposals):
        try:
            found = _fitting(proposal, tied, placed, room, ground)
        except NotSuggestible as why:
            whys[proposal.id] = str(why)
        else:
            placed[proposal.id] = found
            room[proposal.phase] -= len(found)
    return placed, whys


def _fitting(
    proposal: Proposal,
    tied: set[str],
    placed: dict[str, tuple[Replacement, ...]],
    room: dict[str, int],
    ground: Ground,
) -> tuple[Replacement, ...]:
    if proposal.id in tied:
        raise NotSuggestible(reasons.TIED)
    found = replacements(proposal.edits, ground.hunks, ground.read)
    taken = [other for others in placed.values() for other in others]
    if any(one.overlaps(other) for one in found for other in taken):
        raise NotSuggestible(reasons.LINES_TAKEN)
    if len(found) > room[proposal.phase]:
        raise NotSuggestible(reasons.REVIEW_FULL)
    return found


def surest_first(proposals: tuple[Proposal, ...]) -> list[Proposal]:
    """By confidence; the id decides between equals, so that the order is always the same."""
    return sorted(proposals, key=lambda proposal: (-proposal.confidence, proposal.id))


def suggestion_plans(
    proposal: Proposal, places: tuple[Replacement, ...], errors: Errors, read: Read
) -> tuple[SuggestionPlan, ...]:
    """The review comments of one fix, a part each; `read` gives the head's files."""
    patch = patch_of(proposal.edits, read)
    return tuple(
        SuggestionPlan(
            proposal_id=proposal.id,
            path=place.path,
            start_line=place.start,
            end_line=place.end,
            body=suggestion(proposal, part, len(places), place.text, errors, patch),
        )
        for part, place in enumerate(places, 1)
    )


def _review(
    phase: str,
    proposals: list[Proposal],
    placed: dict[str, tuple[Replacement, ...]],
    outcome: Outcome,
    attempt: int,
    ground: Ground,
) -> ReviewPlan | None:
    chosen = [proposal for proposal in surest_first(tuple(proposals)) if proposal.id in placed]
    if not chosen:
        return None
    errors = by_id(outcome.errors)
    marker = marks.of_review(outcome.run_id, attempt, phase)
    comments = [plan for one in chosen for plan in suggestion_plans(one, placed[one.id], errors, ground.read)]
    return ReviewPlan(
        number=ground.pull.number,
        commit_sha=ground.pull.head_sha,
        marker=marker,
        body=review(phase, ground.pull.head_sha, marker),
        comments=tuple(comments),
    )
