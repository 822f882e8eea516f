"""Finds lines of an unparsable file that differ from the previous version only in punctuation: where a bracket, comma,
colon or quote was lost."""

import re
from collections.abc import Iterator

PUNCTUATION = re.compile(rb"[\s()\[\]{},:;'\"`=]+")
LEAST = 3  # characters besides punctuation, so that lines can be distinguished
LIMIT = 5


def with_old_punctuation(data: bytes, before: bytes, row: int) -> Iterator[tuple[int, bytes]]:
    """(0-based row, the previous line) of the lines that lost or gained punctuation, the nearest to `row` first."""
    old, lines = before.splitlines(keepends=True), data.splitlines(keepends=True)
    old_lines = set(old)
    known: dict[bytes, set[bytes]] = {}
    for line in old_lines:
        known.setdefault(_words(line), set()).add(line)
    count = 0
    for at in sorted((at for at, line in enumerate(lines) if line not in old_lines), key=lambda at: abs(at - row)):
        words = _words(lines[at])
        was = known.get(words, set())
        if len(words) >= LEAST and len(was) == 1 and count < LIMIT:
            count += 1
            yield at, next(iter(was))


def _words(line: bytes) -> bytes:
    return PUNCTUATION.sub(b"", line)
