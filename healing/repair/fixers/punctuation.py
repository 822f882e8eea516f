"""Lines of a file that doesn't parse which differ from the file as it was by punctuation alone: there a bracket, comma,
colon or quote was lost, and where it stood is known."""

import re
from collections.abc import Iterator

PUNCTUATION = re.compile(rb"[\s()\[\]{},:;'\"`=]+")
LEAST = 3  # characters beside punctuation, so that lines can be distinguished
MOST = 5


def as_before(data: bytes, before: bytes, row: int) -> Iterator[tuple[int, bytes]]:
    """(0-based row, the line as it was) of the lines that lost or gained punctuation, the nearest to `row` first."""
    old, lines = before.splitlines(keepends=True), data.splitlines(keepends=True)
    there = set(old)
    known: dict[bytes, set[bytes]] = {}
    for line in there:
        known.setdefault(_words(line), set()).add(line)
    found = 0
    for at in sorted((at for at, line in enumerate(lines) if line not in there), key=lambda at: abs(at - row)):
        words = _words(lines[at])
        was = known.get(words, set())
        if len(words) >= LEAST and len(was) == 1 and found < MOST:
            found += 1
            yield at, next(iter(was))


def _words(line: bytes) -> bytes:
    return PUNCTUATION.sub(b"", line)
