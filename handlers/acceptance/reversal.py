"""Reverts several fixes at once: exact reverse edits, newest first, joined into one change."""

from collections.abc import Mapping

from handlers.model.edit_conflict import EditConflict, edit_conflict_of
from healing.edits.exact import Changes, EditError, Read, edits_between, overlay
from healing.edits.presence import Tracked, presence
from healing.model import Edit, Proposal

MAX_ON_TOP = 10  # how many later fixes are tried together


class Conflict(Exception):
    """A reverse edit doesn't fit at exactly one place. `wanted` is the change to make by hand, as -/+ lines;
    `edit_conflict` is None if each edit fits by itself."""

    def __init__(self, proposal_id: str, edit_conflict: EditConflict | None, wanted: str) -> None:
        super().__init__(proposal_id)
        self.proposal_id = proposal_id
        self.edit_conflict = edit_conflict
        self.wanted = wanted


References = Mapping[str, Read]  # proposal id → the files at its reference
NONE: References = {}


def reversal(proposals: tuple[Proposal, ...], read: Read, references: References = NONE) -> tuple[Edit, ...]:
    """Edits to the files of `read` that revert all of `proposals`. Raises Conflict.

    Each is reverted at the place that its reference shows, or without a reference at the place of its text. The order
    in which fixes were applied is unknown for those committed on GitHub's page. So the newest is reverted first, and
    one that doesn't fit yet waits until those on top of it are reverted.
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
    """The other `applied` fixes that must be reverted too, so that `proposals` can be; empty if that doesn't help. Both
    arguments are in the order in which the fixes were made."""

    def conflicts(fixes: tuple[Proposal, ...]) -> bool:
        try:
            reversal(fixes, read, references)
        except Conflict:
            return True
        return False

    others = [one for one in applied if one not in proposals]
    for count in range(1, min(len(others), MAX_ON_TOP) + 1):
        on_top = others[-count:]
        together = tuple(one for one in applied if one in on_top or one in proposals)
        if not conflicts(together):
            return tuple(one for one in on_top if conflicts(tuple(other for other in together if other is not one)))
    return ()


def _first_that_fits(waiting: list[Proposal], read: Read, references: References) -> tuple[Proposal, Changes]:
    refusals: list[Conflict] = []
    for proposal in waiting:
        found = presence(Tracked(proposal, "applied", references.get(proposal.id)), read)
        if found.state == "applied" and found.turned is not None:
            return proposal, found.turned
        edit_conflict = edit_conflict_of(proposal.reverse, read)
        refusals.append(Conflict(proposal.id, edit_conflict, wanted_by_hand(proposal.reverse)))
    raise refusals[0]


def wanted_by_hand(reverse: tuple[Edit, ...]) -> str:
    """Reverse edits as -/+ lines, file by file."""
    parts = []
    for edit in reverse:
        old = "".join(f"-{line}\n" for line in edit.old_string.splitlines())
        new = "".join(f"+{line}\n" for line in edit.new_string.splitlines())
        parts.append(f"# {edit.file}\n{old}{new}")
    return "\n".join(parts)
