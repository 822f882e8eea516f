"""Edits → the whole lines of the head file that a suggested change would replace, or why none can carry them (GH-1)."""

import re
import unicodedata
from itertools import pairwise
from typing import NamedTuple

from handlers.comments import reasons
from healing.edits import EditError, Read, Span, locate, splice
from healing.model import Edit

LARGEST = 20_000  # characters of one suggestion
_HUNK = re.compile(rb"^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@")


class NotSuggestible(Exception):
    """A suggested change can't carry the edits; the message says why."""


class Hunk(NamedTuple):
    """Lines of the head file that a review can comment on: 1-based, both inclusive."""

    start: int
    end: int


class Replacement(NamedTuple):
    """Lines `start`..`end` (1-based, inclusive) of the head file become `text`; empty deletes them."""

    path: str
    start: int
    end: int
    text: str

    def overlaps(self, other: "Replacement") -> bool:
        """Whether both want one line: GitHub takes only one suggestion a line."""
        return self.path == other.path and self.start <= other.end and other.start <= self.end


def hunks_of(patch: str | None, head: bytes) -> tuple[Hunk, ...]:
    """The commentable ranges of a file's patch, as GitHub lists it. A patch that isn't of this head has none."""
    lines = head.split(b"\n")
    found: list[Hunk] = []
    at = 0
    for raw in (patch or "").encode("utf-8", "surrogatepass").split(b"\n"):
        opened = _HUNK.match(raw)
        if opened:
            at = int(opened.group(1))
            length = int(opened.group(2)) if opened.group(2) is not None else 1
            if length:
                found.append(Hunk(at, at + length - 1))
        elif raw[:1] in (b"+", b" "):
            if not found or at > len(lines) or lines[at - 1] != raw[1:]:
                return ()
            at += 1
    return tuple(found)


def replacements(edits: tuple[Edit, ...], hunks: dict[str, tuple[Hunk, ...]], read: Read) -> tuple[Replacement, ...]:
    """One replacement for each place that the edits change, each inside one hunk. Raises NotSuggestible."""
    by_file: dict[str, list[Edit]] = {}
    for edit in edits:
        if edit.kind != "replace":
            raise NotSuggestible(reasons.WHOLE_FILE)
        by_file.setdefault(edit.file, []).append(edit)
    found = [item for path, group in by_file.items() for item in _of_file(path, group, hunks.get(path, ()), read(path))]
    for left, right in pairwise(found):
        if left.overlaps(right):
            raise NotSuggestible(reasons.SAME_LINE)
    return tuple(found)


def _of_file(path: str, edits: list[Edit], hunks: tuple[Hunk, ...], old: bytes | None) -> list[Replacement]:
    if old is None:
        raise NotSuggestible(reasons.no_file(path))
    try:
        spans = locate(path, edits, old)
    except EditError as error:
        raise NotSuggestible(str(error)) from error
    _check_text(old, splice(old, spans))
    lines = _lines(old)
    return [_anchored(path, start, end, new, lines, hunks) for start, end, new in _changed_lines(old, spans)]


def _check_text(old: bytes, new: bytes) -> None:
    """What a suggestion can't say without changing other bytes."""
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


def _changed_lines(old: bytes, spans: list[Span]) -> list[tuple[int, int, list[bytes]]]:
    """(first, end, new lines) with 0-based line indices, end exclusive, without lines that stay as they are."""
    joined: list[tuple[int, int, list[Span]]] = []
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


def _trimmed(old: bytes, start: int, end: int, spans: list[Span]) -> tuple[int, int, list[bytes]]:
    shifted = [Span(span.start - start, span.end - start, span.new) for span in spans]
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
    if not any(hunk.start <= start + 1 and end <= hunk.end for hunk in hunks):
        raise NotSuggestible(reasons.not_in_diff(path))
    if end == len(lines) and not lines[-1].endswith(b"\n"):
        raise NotSuggestible(reasons.NO_FINAL_NEWLINE)
    text = b"".join(new).decode("utf-8", "surrogatepass")
    _check_replacement(text)
    return Replacement(path, start + 1, end, text)


def _with_anchor(
    at: int, new: list[bytes], lines: list[bytes], hunks: tuple[Hunk, ...]
) -> tuple[int, int, list[bytes]]:
    """An insertion re-emits a neighbour line: the one before, or the one after where only that can be commented on."""
    before_ok = at > 0 and any(hunk.start <= at <= hunk.end for hunk in hunks)
    if before_ok or at >= len(lines):
        return at - 1, at, [lines[at - 1], *new]
    return at, at + 1, [*new, lines[at]]


def _check_replacement(text: str) -> None:
    if len(text) > LARGEST:
        raise NotSuggestible(reasons.TOO_LONG)
    if any(line != line.rstrip() for line in text.split("\n")):
        raise NotSuggestible(reasons.TRAILING_BLANKS)
    if any(unicodedata.category(char) in ("Cc", "Zl", "Zp", "Cs") and char not in "\t\n" for char in text):
        raise NotSuggestible(reasons.CONTROL_CHARACTERS)
    if "heal:v1" in text:
        raise NotSuggestible(reasons.OUR_MARKS)
