"""How each fix is offered: suggested change, fixup pull request or patch. Pure: gives a plan (GH-1)."""

from base64 import b64encode
from collections.abc import Mapping

from pydantic import Field

from handlers.comments import fixup as fixup_texts
from handlers.comments import marks
from handlers.comments.parts import Errors, by_id, headline
from handlers.comments.suggestion import review, suggestion
from handlers.plans import FileChange, FixupPlan, ReviewPlan, SuggestionPlan
from handlers.ports import ChangedFile, Pull
from handlers.suggestible import Hunk, NotSuggestible, Replacement, hunks_of, replacements
from handlers.trailers import commit_body
from healing.edits import Changes, EditError, Read, apply_edits, overlay
from healing.model import Frozen, Outcome, Proposal

MOST_COMMENTS = 30  # of one review; GitHub times out on many more (facts/GitHub 6)


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


def plan_delivery(outcome: Outcome, attempt: int, ground: Ground, proposals: tuple[Proposal, ...]) -> DeliveryPlan:
    """Where each of `proposals` goes; each appears exactly once in the plan."""
    errors = by_id(outcome.errors)
    placed, reasons = _place(proposals, ground)
    reviews = tuple(
        found
        for phase in ("free", "fast", "slow")
        if (found := _review(phase, [p for p in proposals if p.phase == phase], placed, outcome, attempt, ground))
    )
    rest = in_order(tuple(proposal for proposal in proposals if proposal.id not in placed))
    if ground.fork:
        return DeliveryPlan(reviews=reviews, patches=tuple(proposal.id for proposal in rest), reasons=reasons)
    branch = fixup_branch(outcome.run_id, attempt)
    fixup, fixup_ids, left_out = _fixup(rest, branch, ground, errors)
    return DeliveryPlan(reviews=reviews, fixup=fixup, fixup_ids=fixup_ids, reasons=reasons, left_out=left_out)


def _place(
    proposals: tuple[Proposal, ...], ground: Ground
) -> tuple[dict[str, tuple[Replacement, ...]], dict[str, str]]:
    """Replacements of those that can be suggested, the surest first, and why the others can't."""
    tied = {id_ for proposal in proposals for id_ in (*proposal.needs, *([proposal.id] if proposal.needs else []))}
    placed: dict[str, tuple[Replacement, ...]] = {}
    reasons: dict[str, str] = {}
    room = {"free": MOST_COMMENTS, "fast": MOST_COMMENTS, "slow": MOST_COMMENTS}
    for proposal in surest_first(proposals):
        try:
            found = _fitting(proposal, tied, placed, room, ground)
        except NotSuggestible as why:
            reasons[proposal.id] = str(why)
        else:
            placed[proposal.id] = found
            room[proposal.phase] -= len(found)
    return placed, reasons


def _fitting(
    proposal: Proposal,
    tied: set[str],
    placed: dict[str, tuple[Replacement, ...]],
    room: dict[str, int],
    ground: Ground,
) -> tuple[Replacement, ...]:
    if proposal.id in tied:
        raise NotSuggestible("it goes together with another fix, in order")
    found = replacements(proposal.edits, ground.hunks, ground.read)
    taken = [other for others in placed.values() for other in others]
    if any(one.overlaps(other) for one in found for other in taken):
        raise NotSuggestible("a surer fix wants the same lines")
    if len(found) > room[proposal.phase]:
        raise NotSuggestible("the review is full")
    return found


def fixup_branch(run_id: str, attempt: int) -> str:
    """The branch of a run's fixup pull request: the same for ever, so that it is found again."""
    return f"heal/{run_id}/{attempt}"


def surest_first(proposals: tuple[Proposal, ...]) -> list[Proposal]:
    """By confidence; the id decides between equals, so that the order is always the same."""
    return sorted(proposals, key=lambda proposal: (-proposal.confidence, proposal.id))


def suggestion_plans(proposal: Proposal, places: tuple[Replacement, ...], errors: Errors) -> tuple[SuggestionPlan, ...]:
    """The review comments of one fix, a part each."""
    return tuple(
        SuggestionPlan(
            proposal_id=proposal.id,
            path=place.path,
            start_line=place.start,
            end_line=place.end,
            body=suggestion(proposal, part, len(places), place.text, errors),
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
    comments = [plan for proposal in chosen for plan in suggestion_plans(proposal, placed[proposal.id], errors)]
    return ReviewPlan(
        number=ground.pull.number,
        commit_sha=ground.pull.head_sha,
        marker=marker,
        body=review(phase, ground.pull.head_sha, len(chosen), marker),
        comments=tuple(comments),
    )


def in_order(proposals: tuple[Proposal, ...]) -> tuple[Proposal, ...]:
    """What a fix needs comes before it; else the order stays."""
    by = {proposal.id: proposal for proposal in proposals}
    done: dict[str, Proposal] = {}

    def add(proposal: Proposal, above: frozenset[str]) -> None:
        for id_ in proposal.needs:
            if id_ in by and id_ not in above:
                add(by[id_], above | {proposal.id})
        done.setdefault(proposal.id, proposal)

    for proposal in proposals:
        add(proposal, frozenset({proposal.id}))
    return tuple(done.values())


def _fixup(
    proposals: tuple[Proposal, ...], branch: str, ground: Ground, errors: Errors
) -> tuple[FixupPlan | None, tuple[str, ...], dict[str, str]]:
    """One commit a fix, each on top of the last; what doesn't fit there is left out with the reason."""
    so_far: Changes = {}
    commits: list[tuple[str, str, tuple[FileChange, ...]]] = []
    taken: list[Proposal] = []
    left_out: dict[str, str] = {}
    for proposal in proposals:
        try:
            changes = apply_edits(proposal.edits, overlay(ground.read, so_far))
        except EditError as error:
            left_out[proposal.id] = str(error)
            continue
        so_far |= changes
        taken.append(proposal)
        body = commit_body(ground.generation)
        commits.append((headline(proposal), body, file_changes(changes, proposal, ground.modes)))
    if not taken:
        return None, (), left_out
    pull, chosen = ground.pull, tuple(taken)
    plan = FixupPlan(
        branch=branch,
        start_sha=pull.head_sha,
        base_ref=pull.head_ref,
        title=fixup_texts.fixup_title(chosen, f"#{pull.number}" if pull.number else pull.head_ref),
        body=fixup_texts.fixup_body(chosen, errors, branch, pull.head_ref, pull.head_sha),
        marker=marks.of_fixup(branch),
        commits=tuple(commits),
        labels=("heal",),
    )
    return plan, tuple(proposal.id for proposal in chosen), left_out


def file_changes(changes: Changes, proposal: Proposal, modes: Mapping[str, str]) -> tuple[FileChange, ...]:
    """New bytes as files of a commit; a file that was there keeps its mode."""
    made = {edit.file: edit.mode for edit in proposal.edits if edit.kind == "create"}
    return tuple(
        FileChange(
            path=path,
            content=None if data is None else b64encode(data).decode(),
            mode=made.get(path) or modes.get(path, "100644"),
        )
        for path, data in sorted(changes.items())
    )
