"""Plans how each fix is offered: as suggested change, in a fixup pull request or as patch. Pure."""

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

MAX_COMMENTS = 30  # per review; GitHub times out on many more


class DeliveryPlan(Frozen):
    """What to post. `patches` are the ids of fixes to show as patches; `reasons` say why a fix is no suggested change;
    `left_out` has the fixes that can't be offered at all, with the reasons."""

    reviews: tuple[ReviewPlan, ...] = ()
    fixup: FixupPlan | None = None
    fixup_ids: tuple[str, ...] = ()
    patches: tuple[str, ...] = ()
    reasons: dict[str, str] = Field(default_factory=dict)
    left_out: dict[str, str] = Field(default_factory=dict)


class Ground:
    """What a delivery is planned on: the pull request (or branch) at its head, and the head's files.

    `read` returns a head file's bytes, `modes` has its mode; `fork`: nothing may be pushed; `generation` is that of new
    commits.
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
        """The base of a fixup pull request."""
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
    """Plans how each of `proposals` is offered; each appears exactly once in the plan. Fixes that GitHub `refused` as
    suggestions (id → reason) fall back to the fixup pull request or a patch; the others keep their place. Not `fixups`:
    the repository wants fixup pull requests only on request."""
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
        whys |= {p.id: "; ".join(filter(None, (whys.get(p.id), reasons.ON_REQUEST))) for p in rest}
    if ground.fork or not fixups:
        return DeliveryPlan(reviews=reviews, patches=tuple(proposal.id for proposal in rest), reasons=whys)
    fixup = stack(rest, fixup_branch(outcome.run_id, attempt), ground.base, errors)
    return DeliveryPlan(
        reviews=reviews, fixup=fixup.plan, fixup_ids=fixup.ids, reasons=whys, left_out=dict(fixup.left_out)
    )


def _place(
    proposals: tuple[Proposal, ...], ground: Ground
) -> tuple[dict[str, tuple[Replacement, ...]], dict[str, str]]:
    """Returns the replacements of fixes that can be suggested, preferring those of high confidence, and the reasons why
    the others can't."""
    tied = {id_ for proposal in proposals for id_ in (*proposal.needs, *([proposal.id] if proposal.needs else []))}
    placed: dict[str, tuple[Replacement, ...]] = {}
    whys: dict[str, str] = {}
    room = {"free": MAX_COMMENTS, "fast": MAX_COMMENTS, "slow": MAX_COMMENTS}
    for proposal in sort_by_confidence(proposals):
        try:
            places = _fitting(proposal, tied, placed, room, ground)
        except NotSuggestible as why:
            whys[proposal.id] = str(why)
        else:
            placed[proposal.id] = places
            room[proposal.phase] -= len(places)
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
    places = replacements(proposal.edits, ground.hunks, ground.read)
    taken = [other for others in placed.values() for other in others]
    if any(place.overlaps(other) for place in places for other in taken):
        raise NotSuggestible(reasons.LINES_TAKEN)
    if len(places) > room[proposal.phase]:
        raise NotSuggestible(reasons.REVIEW_FULL)
    return places


def sort_by_confidence(proposals: tuple[Proposal, ...]) -> list[Proposal]:
    """Sorts by descending confidence, then by id, so that the order is deterministic."""
    return sorted(proposals, key=lambda proposal: (-proposal.confidence, proposal.id))


def suggestion_plans(
    proposal: Proposal, places: tuple[Replacement, ...], errors: Errors, ground: Ground
) -> tuple[SuggestionPlan, ...]:
    """Returns the review comments of one fix, one for each part."""
    patch = patch_of(proposal.edits, ground.read)
    return tuple(
        SuggestionPlan(
            proposal_id=proposal.id,
            path=place.path,
            start_line=place.start,
            end_line=place.end,
            body=suggestion(proposal, part, len(places), place.text, errors, patch, can_push=not ground.fork),
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
    chosen = [proposal for proposal in sort_by_confidence(tuple(proposals)) if proposal.id in placed]
    if not chosen:
        return None
    errors = by_id(outcome.errors)
    marker = marks.of_review(outcome.run_id, attempt, phase)
    comments = [plan for fix in chosen for plan in suggestion_plans(fix, placed[fix.id], errors, ground)]
    return ReviewPlan(
        number=ground.pull.number,
        commit_sha=ground.pull.head_sha,
        marker=marker,
        body=review(phase, ground.pull.head_sha, marker),
        comments=tuple(comments),
    )
