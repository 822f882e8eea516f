"""A fix that was carried to a new head, put among those that were carried before: beside them, or on top."""

from collections.abc import Callable, Sequence

from handlers.ports import Context, Pull
from healing.commuting import commute
from healing.edits import Changes, EditError, apply_edits, edits_between, overlay, widen
from healing.model import Edit, Proposal

Read = Callable[[str], bytes | None]


async def among(context: Context, pull: Pull, fix: Proposal, others: Sequence[Proposal]) -> Proposal | None:
    """The fix as it is to be stored: it needs no other where it can be applied before and after each of them, always to
    the same bytes; else it needs those that change a file of it. None where it does not go on top of them either."""
    alone = fix.model_copy(update={"needs": ()})
    files = frozenset(edit.file for edit in fix.edits)
    sharing = [one for one in others if any(edit.file in files for edit in one.edits)]
    if not sharing:
        return alone
    wanted = {id_ for one in sharing for id_ in (one.id, *one.needs)}
    below = [one for one in others if one.id in wanted]
    paths = files | {edit.file for one in below for edit in one.edits}
    read = await context.healer.files(pull.head_sha, paths)
    if read is None:
        return None
    if not any(one.needs for one in sharing) and commute(fix, sharing, read.get):
        return alone
    return _on_top(fix, below, read.get)


def _on_top(fix: Proposal, below: Sequence[Proposal], read: Read) -> Proposal | None:
    done: Changes = {}
    modes = {edit.file: edit.mode for edit in fix.edits if edit.kind == "create"}
    try:
        for one in below:
            done |= apply_edits(one.edits, overlay(read, done))
        before = overlay(read, done)
        after = apply_edits(fix.edits, before)
    except EditError:
        return None
    edits: tuple[Edit, ...] = tuple(
        edit
        for path, new in sorted(after.items())
        for edit in edits_between(path, before(path), new, modes.get(path, "100644"))
    )
    both = widen(edits, before)
    made = {"edits": edits, "wide": both.wide, "reverse": both.reverse, "needs": tuple(one.id for one in below)}
    return fix.model_copy(update=made) if edits else None
