"""Rows of diffs for display: of a file, of the hunk of a comment, and of a suggestion with the lines it replaces."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from lab.localhub.diffs import HUNK, Hunk
from lab.localhub.state import ReviewComment

Kind = Literal["add", "del", "same", "note", "hunk"]
MARKS: dict[str, Kind] = {"+": "add", "-": "del", " ": "same", "\\": "note"}
ABOVE = 3  # context lines above the commented ones
MAX_SHOWN = 20


@dataclass(frozen=True)
class Row:
    """One line. `parts` are its pieces, each with whether it changed inside the line."""

    kind: Kind
    old: int | None
    new: int | None
    parts: tuple[tuple[str, bool], ...]


def row(kind: Kind, old: int | None, new: int | None, text: str) -> Row:
    """Returns a line in one piece."""
    return Row(kind, old, new, ((text, False),))


def hunk_rows(hunk: Hunk) -> list[Row]:
    """Returns the rows of a hunk, with its header."""
    return [row("hunk", None, None, hunk.header), *_numbered(hunk.old_start, hunk.new_start, hunk.lines)]


def _numbered(old: int, new: int, lines: Sequence[str]) -> Iterator[Row]:
    for line in lines:
        kind = MARKS.get(line[:1], "same")
        has_old, has_new = kind in ("del", "same"), kind in ("add", "same")
        yield row(kind, old if has_old else None, new if has_new else None, line[1:])
        old, new = old + has_old, new + has_new


def stored_rows(comment: ReviewComment) -> list[Row]:
    """Returns the rows of the hunk that was stored with a comment, up to its line."""
    header, *lines = comment.diff_hunk.split("\n")
    match = HUNK.match(header)
    return list(_numbered(int(match[1]), int(match[3]), lines)) if match else []


def excerpt(comment: ReviewComment) -> list[Row]:
    """Returns the commented lines with some context above."""
    rows = stored_rows(comment)
    start = comment.original_start_line or comment.original_line
    on = [i for i, one in enumerate(rows) if start == (one.new if comment.side == "RIGHT" else one.old)]
    first = max(0, (on[-1] if on else len(rows) - 1) - ABOVE)
    return rows[first:][-MAX_SHOWN:]


def commented(comment: ReviewComment) -> list[str]:
    """Returns the original lines that a suggestion in the comment replaces."""
    first, last = comment.original_start_line or comment.original_line, comment.original_line
    if first is None or last is None:
        return []
    rows = [one for one in stored_rows(comment) if one.new is not None and first <= one.new <= last]
    return ["".join(text for text, _ in one.parts) for one in rows]


def replacement(before: Sequence[str], after: Sequence[str], first: int) -> list[Row]:
    """Returns the rows of a replacement that starts at line `first`; unchanged lines are shown once."""
    rows: list[Row] = []
    clean = [line.removesuffix("\r") for line in before]
    for what, i1, i2, j1, j2 in SequenceMatcher(None, clean, after, autojunk=False).get_opcodes():
        if what == "equal":
            rows += [row("same", first + i, first + j1 + i - i1, clean[i]) for i in range(i1, i2)]
            continue
        changed = _inside(clean[i1:i2], after[j1:j2])
        rows += [Row("del", first + i, None, changed[0][i - i1]) for i in range(i1, i2)]
        rows += [Row("add", None, first + j, changed[1][j - j1]) for j in range(j1, j2)]
    return rows


Parts = tuple[tuple[str, bool], ...]


def _inside(old: Sequence[str], new: Sequence[str]) -> tuple[list[Parts], list[Parts]]:
    """Returns the pieces of each line; if the numbers of old and new lines are equal, changed words are marked."""
    if len(old) != len(new):
        return [((line, False),) for line in old], [((line, False),) for line in new]
    pairs = [_words(one, other) for one, other in zip(old, new, strict=True)]
    return [left for left, _ in pairs], [right for _, right in pairs]


def _words(old: str, new: str) -> tuple[Parts, Parts]:
    """Marks what differs between the common ends of two lines; nothing if they have too little in common."""
    start = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    most = min(len(old), len(new)) - start
    end = next((i for i in range(most) if old[-1 - i] != new[-1 - i]), most)
    if (start + end) * 3 < max(len(old), len(new)):
        return ((old, False),), ((new, False),)
    return _cut(old, start, end), _cut(new, start, end)


def _cut(line: str, start: int, end: int) -> Parts:
    stop = len(line) - end
    parts = ((line[:start], False), (line[start:stop], True), (line[stop:], False))
    return tuple(part for part in parts if part[0])
