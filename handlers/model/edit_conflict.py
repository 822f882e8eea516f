"""Explains why an edit doesn't fit the current file: which lines were changed, and to what. Pure."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Literal

from healing.edits.exact import Read, line_of, occurrences, places
from healing.model import Edit, Frozen

MAX_LINES = 3000  # compared at most, as searching for the new version of a changed line is slow
MAX_LINE = 300


class EditConflict(Frozen):
    """Why an edit doesn't fit. `was` is a line that is gone, and `now` the line in its place, at `lines`."""

    file: str
    kind: Literal["file-gone", "file-exists", "file-changed", "text-gone", "text-repeated", "not-at-edge"]
    lines: tuple[int, ...] = ()
    was: str = ""
    now: str = ""


def edit_conflict_of(edits: Iterable[Edit], read: Read) -> EditConflict | None:
    """Returns the conflict of the first edit that doesn't fit the files of `read`; None if each fits on its own."""
    return next((edit_conflict for edit in edits if (edit_conflict := _edit_conflict(edit, read(edit.file)))), None)


def _edit_conflict(edit: Edit, data: bytes | None) -> EditConflict | None:
    if edit.kind == "create":
        return None if data is None else EditConflict(file=edit.file, kind="file-exists")
    if data is None:
        return EditConflict(file=edit.file, kind="file-gone")
    wanted = edit.old_string.encode()
    if edit.kind == "delete":
        return None if data == wanted else EditConflict(file=edit.file, kind="file-changed")
    offsets = places(data, edit, limit=10)
    if len(offsets) == 1:
        return None
    if edit.anchor and len(elsewhere := occurrences(data, wanted)) == 1:
        return EditConflict(file=edit.file, kind="not-at-edge", lines=(line_of(data, elsewhere[0]),))
    if offsets:
        return EditConflict(file=edit.file, kind="text-repeated", lines=tuple(line_of(data, at) for at in offsets))
    return _gone(edit, data.decode(errors="replace").splitlines())


def _gone(edit: Edit, lines: list[str]) -> EditConflict:
    """Returns the conflict with the first missing line that has a likely successor."""
    existing = set(lines)
    candidates = [line for line in lines[:MAX_LINES] if line.strip() and len(line) <= MAX_LINE]
    for was in edit.old_string.splitlines()[:20]:
        if not was.strip() or was in existing or len(was) > MAX_LINE:
            continue
        close = get_close_matches(was, candidates, n=1, cutoff=0.6)
        if close:
            at = lines.index(close[0]) + 1
            return EditConflict(file=edit.file, kind="text-gone", lines=(at,), was=was.strip(), now=close[0].strip())
    return EditConflict(file=edit.file, kind="text-gone")
