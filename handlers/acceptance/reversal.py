"""Several fixes taken back at once: exact reverse edits, newest first, joined into one change."""

from collections.abc import Mapping

from handlers.model.edit_conflict import EditConflict, edit_conflict_of
from healing.edits.exact import Changes, EditError, Read, edits_between, overlay
from healing.edits.presence import Tracked, presence
from healing.model import Edit, Proposal

MAX_OVER = 10  # fixes over each other that are tried together


class Conflict(Exception):
    """A reverse edit doesn't fit exactly once. `wanted` is the reverse change to do by hand, as -/+ lines;
    `edit_conflict` is None where each edit fits by itself."""

    def __init__(self, proposal_id: str, edit_conflict: EditConflict | None, wanted: str) -> None:
        super().__init__(proposal_id)
        self.proposal_id = proposal_id
        self.edit_conflict = edit_conflict
        self.wanted = wanted


References = Mapping[str, Read]  # proposal id → the files at its reference
NONE: References = {}


def reversal(proposals: tuple[Proposal, ...], read: Read, references: References = NONE) -> tuple[Edit, ...]:
    """Edits against what `read` gives that take all of `proposals` back. Raises Conflict; then nothing was changed.

    Each is taken out where it was put in, as its reference shows; where that is gone, where its text is. The order in
    which they went in is not known for those accepted on GitHub's page: the newest goes first, and any that doesn't fit
    yet waits until the ones over it are gone.
    """
    changes: Changes = {}
    waiting = list(reversed(proposals))
    while waiting:
        fitting, done = _first_that_fits(waiting, overlay(read, changes), references)
        changes |= done
        waiting.remove(fitting)
    modes = {edit.file: edit.mode for proposal in proposals for edit in proposal.reverse if edit.kind == "create"}
    edits: list[Edit] = []
    for path in sorted(changes):
        try:
            edits += edits_between(path, read(path), changes[path], modes.get(path, "100644"))
        except EditError as error:
            raise Conflict(proposals[-1].id, None, wanted_by_hand(proposals[-1].reverse)) from error
    return tuple(edits)


def fixes_on_top(
    proposals: tuple[Proposal, ...], applied: tuple[Proposal, ...], read: Read, references: References = NONE
) -> tuple[Proposal, ...]:
    """Those of the other `applied` ones that have to go too, so that `proposals` can; empty where that helps nothing.
    Both in the order in which they were made."""
    others = [one for one in applied if one not in proposals]
    for count in range(1, min(len(others), MAX_OVER) + 1):
        over = others[-count:]
        together = tuple(one for one in applied if one in over or one in proposals)
        try:
            reversal(together, read, references)
        except Conflict:
            continue
        return tuple(one for one in over if _needed(one, together, read, references))
    return ()


def _needed(proposal: Proposal, together: tuple[Proposal, ...], read: Read, references: References) -> bool:
    try:
        reversal(tuple(other for other in together if other is not proposal), read, references)
    except Conflict:
        return True
    return False


def _first_that_fits(waiting: list[Proposal], read: Read, references: References) -> tuple[Proposal, Changes]:
    refusals: list[Conflict] = []
    for proposal in waiting:
        changes = _reverted_changes(proposal, read, references.get(proposal.id))
        if changes is not None:
            return proposal, changes
        edit_conflict = edit_conflict_of(proposal.reverse, read)
        refusals.append(Conflict(proposal.id, edit_conflict, wanted_by_hand(proposal.reverse)))
    raise refusals[0]


def _reverted_changes(proposal: Proposal, read: Read, reference: Read | None) -> Changes | None:
    found = presence(Tracked(proposal, "applied", reference), read)
    return found.turned if found.state == "applied" else None


def wanted_by_hand(reverse: tuple[Edit, ...]) -> str:
    """Reverse edits as -/+ lines, file by file."""
    parts = []
    for edit in reverse:
        old = "".join(f"-{line}\n" for line in edit.old_string.splitlines())
        new = "".join(f"+{line}\n" for line in edit.new_string.splitlines())
        parts.append(f"# {edit.file}\n{old}{new}")
    return "\n".join(parts)
