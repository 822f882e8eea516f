"""Why an edit doesn't fit a file as it is now: which lines were changed, and to what. Pure."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Literal

from healing.edits.exact import Read, line_of, occurrences, places
from healing.model import Edit, Frozen

MOST_LINES = 3000  # looking for the line that a changed one became takes time
LONGEST_LINE = 300


class EditConflict(Frozen):
    """What stands in the way. `was` is a line that is gone, and `now` what stands in its place, at `lines`."""

    file: str
    kind: Literal["file-gone", "file-exists", "file-changed", "text-gone", "text-repeated", "not-at-edge"]
    lines: tuple[int, ...] = ()
    was: str = ""
    now: str = ""


def edit_conflict_of(edits: Iterable[Edit], read: Read) -> EditConflict | None:
    """The first edit that doesn't fit what `read` gives; None where each fits by itself."""
    return next((edit_conflict for edit in edits if (edit_conflict := _edit_conflict(edit, read(edit.file)))), None)


def _edit_conflict(edit: Edit, data: bytes | None) -> EditConflict | None:
    if edit.kind == "create":
        return None if data is None else EditConflict(file=edit.file, kind="file-exists")
    if data is None:
        return EditConflict(file=edit.file, kind="file-gone")
    wanted = edit.old_string.encode()
    if edit.kind == "delete":
        return None if data == wanted else EditConflict(file=edit.file, kind="file-changed")
    found = places(data, edit, limit=10)
    if len(found) == 1:
        return None
    if edit.anchor and len(elsewhere := occurrences(data, wanted)) == 1:
        return EditConflict(file=edit.file, kind="not-at-edge", lines=(line_of(data, elsewhere[0]),))
    if found:
        return EditConflict(file=edit.file, kind="text-repeated", lines=tuple(line_of(data, at) for at in found))
    return _gone(edit, data.decode(errors="replace").splitlines())


def _gone(edit: Edit, lines: list[str]) -> EditConflict:
    """Tells of the first line that is gone and has a likely successor."""
    there = set(lines)
    candidates = [line for line in lines[:MOST_LINES] if line.strip() and len(line) <= LONGEST_LINE]
    for was in edit.old_string.splitlines()[:20]:
        if not was.strip() or was in there or len(was) > LONGEST_LINE:
            continue
        close = get_close_matches(was, candidates, n=1, cutoff=0.6)
        if close:
            at = lines.index(close[0]) + 1
            return EditConflict(file=edit.file, kind="text-gone", lines=(at,), was=was.strip(), now=close[0].strip())
    return EditConflict(file=edit.file, kind="text-gone")
