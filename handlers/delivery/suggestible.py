"""Converts edits to suggested changes, which replace whole lines of the head file, or explains why that is
impossible."""

import unicodedata
from difflib import SequenceMatcher
from itertools import pairwise
from typing import NamedTuple

from handlers.comments import reasons
from handlers.delivery.diff_hunks import Hunk
from healing.edits.exact import EditError, EditSpan, Read, locate, splice
from healing.model import Edit

MAX_SIZE = 20_000  # characters of one suggestion


Changed = tuple[int, int, list[bytes]]  # first and end line (0-based, end exclusive), and the lines that replace them


class NotSuggestible(Exception):
    """The edits can't be expressed as suggested changes; the message says why."""


class Replacement(NamedTuple):
    """Lines `start`..`end` (1-based, inclusive) of the head file become `text`; empty deletes them."""

    path: str
    start: int
    end: int
    text: str

    def overlaps(self, other: "Replacement") -> bool:
        """Whether both change the same line: GitHub applies only one suggestion per line."""
        return self.path == other.path and self.start <= other.end and other.start <= self.end


def replacements(edits: tuple[Edit, ...], hunks: dict[str, tuple[Hunk, ...]], read: Read) -> tuple[Replacement, ...]:
    """Returns one replacement for each place that the edits change, each inside one hunk and without a deleted line
    inside. Raises NotSuggestible."""
    by_file: dict[str, list[Edit]] = {}
    for edit in edits:
        if edit.kind != "replace":
            raise NotSuggestible(reasons.WHOLE_FILE)
        by_file.setdefault(edit.file, []).append(edit)
    result = [r for path, group in by_file.items() for r in _of_file(path, group, hunks.get(path, ()), read(path))]
    for left, right in pairwise(result):
        if left.overlaps(right):
            raise NotSuggestible(reasons.SAME_LINE)
    return tuple(result)


def _of_file(path: str, edits: list[Edit], hunks: tuple[Hunk, ...], old: bytes | None) -> list[Replacement]:
    if old is None:
        raise NotSuggestible(reasons.no_file(path))
    try:
        spans = locate(path, edits, old)
    except EditError as error:
        raise NotSuggestible(str(error)) from error
    _check_text(old, splice(old, spans))
    lines = _lines(old)
    changed = [part for place in _changed_lines(old, spans) for part in _split(place, lines, hunks)]
    return [_anchored(path, start, end, new, lines, hunks) for start, end, new in changed]


def _check_text(old: bytes, new: bytes) -> None:
    """Raises NotSuggestible for files in which a suggestion would change other bytes too."""
    if b"\r" in old or b"\r" in new:
        raise NotSuggestible(reasons.CRLF)
    if old.endswith(b"\n") != new.endswith(b"\n"):
        raise NotSuggestible(reasons.FINAL_NEWLINE)
    try:
        old.decode()
    except UnicodeDecodeError as error:
        raise NotSuggestible(reasons.NOT_UTF8) from error


def _lines(data: bytes) -> list[bytes]:
    parts = data.split(b"\n")
    return [line + b"\n" for line in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _split(place: Changed, lines: list[bytes], hunks: tuple[Hunk, ...]) -> list[Changed]:
    """Splits a place that contains deleted lines of the diff into parts that don't. The parts have only lines that
    really change, and only where old and new lines clearly correspond. Raises NotSuggestible."""
    first, end, new = place
    if not _cuts(first, end, hunks):
        return [place]
    old = lines[first:end]
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    changed = [(first + i, first + j, new[k:m]) for tag, i, j, k, m in blocks if tag != "equal"]
    return [part for block in changed for part in _cut_apart(block, _cuts(block[0], block[1], hunks))]


def _cut_apart(block: Changed, cuts: tuple[int, ...]) -> list[Changed]:
    """Cuts the block above these lines (0-based). Raises NotSuggestible if the numbers of old and new lines differ:
    which new line belongs to which old one would be a guess."""
    first, end, new = block
    if new and cuts and len(new) != end - first:
        raise NotSuggestible(reasons.DELETED_LINE)
    bounds = pairwise((first, *cuts, end))
    return [(start, stop, new[start - first : stop - first]) for start, stop in bounds] if cuts else [block]


def _cuts(first: int, end: int, hunks: tuple[Hunk, ...]) -> tuple[int, ...]:
    """Returns the lines (0-based) of `first`..`end` (exclusive) directly above which the diff deletes lines."""
    return tuple(line - 1 for hunk in hunks for line in hunk.cuts(first + 1, end))


def _changed_lines(old: bytes, spans: list[EditSpan]) -> list[Changed]:
    """Returns the lines that the spans change, without unchanged lines at either end."""
    joined: list[tuple[int, int, list[EditSpan]]] = []
    for span in spans:
        start = old.rfind(b"\n", 0, span.start) + 1
        end = span.end if old[span.end - 1 : span.end] == b"\n" else _line_end(old, span.end)
        if joined and start <= joined[-1][1]:
            first, last, inside = joined.pop()
            joined.append((first, max(last, end), [*inside, span]))
        else:
            joined.append((start, end, [span]))
    return [_trimmed(old, start, end, inside) for start, end, inside in joined]


def _line_end(data: bytes, offset: int) -> int:
    at = data.find(b"\n", offset)
    return len(data) if at < 0 else at + 1


def _trimmed(old: bytes, start: int, end: int, spans: list[EditSpan]) -> Changed:
    shifted = [EditSpan(span.start - start, span.end - start, span.new) for span in spans]
    before, after = _lines(old[start:end]), _lines(splice(old[start:end], shifted))
    first = old.count(b"\n", 0, start)
    if after and not after[-1].endswith(b"\n") and end < len(old):
        raise NotSuggestible(reasons.JOINS_LINES)
    head = 0
    while head < min(len(before), len(after)) and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < min(len(before), len(after)) - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    return first + head, first + len(before) - tail, after[head : len(after) - tail]


def _anchored(
    path: str, start: int, end: int, new: list[bytes], lines: list[bytes], hunks: tuple[Hunk, ...]
) -> Replacement:
    if start == end:
        start, end, new = _with_anchor(start, new, lines, hunks)
    if not any(hunk.shows(start + 1, end) for hunk in hunks):
        raise NotSuggestible(reasons.not_in_diff(path))
    if end == len(lines) and not lines[-1].endswith(b"\n"):
        raise NotSuggestible(reasons.NO_FINAL_NEWLINE)
    text = b"".join(new).decode("utf-8", "surrogatepass")
    _check_replacement(text)
    return Replacement(path, start + 1, end, text)


def _with_anchor(
    at: int, new: list[bytes], lines: list[bytes], hunks: tuple[Hunk, ...]
) -> tuple[int, int, list[bytes]]:
    """Extends an insertion by a neighbouring line, since a suggestion must replace one: the line before, or the line
    after if only that can be commented on."""
    before_ok = at > 0 and any(hunk.start <= at <= hunk.end for hunk in hunks)
    if before_ok or at >= len(lines):
        return at - 1, at, [lines[at - 1], *new]
    return at, at + 1, [*new, lines[at]]


def _check_replacement(text: str) -> None:
    if len(text) > MAX_SIZE:
        raise NotSuggestible(reasons.TOO_LONG)
    if any(line != line.rstrip() for line in text.split("\n")):
        raise NotSuggestible(reasons.TRAILING_BLANKS)
    if any(unicodedata.category(char) in ("Cc", "Zl", "Zp", "Cs") and char not in "\t\n" for char in text):
        raise NotSuggestible(reasons.CONTROL_CHARACTERS)
    if "heal:v1" in text:
        raise NotSuggestible(reasons.OUR_MARKS)
