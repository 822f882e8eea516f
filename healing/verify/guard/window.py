"""The part of a long file that a change affects, so that its length neither hides a trick nor costs much parsing."""

import re

from healing.verify.guard.reading.text import BIG

START = re.compile(
    rb"^(?:async |def |class |@|func |fn |pub |impl |export |function |const |let |var |type |struct |mod |use )", re.M
)


def window(old: bytes, new: bytes) -> tuple[bytes, bytes]:
    """Both texts, from the definition before the first differing line to the one after the last; the whole texts if
    they are short."""
    if max(len(old), len(new)) <= BIG:
        return old, new
    first = _same(old, new)
    last = _same(old[first:][::-1], new[first:][::-1])
    starts = [match.start() for match in START.finditer(new, 0, first)]
    begin = starts[-1] if starts else 0
    after = START.search(new, max(len(new) - last, begin))
    tail = len(new) - after.start() if after else 0
    return old[begin : len(old) - tail], new[begin : len(new) - tail]


def _same(one: bytes, other: bytes) -> int:
    """How many bytes both begin with."""
    size, most = 0, min(len(one), len(other))
    step = 4096
    while size + step <= most and one[size : size + step] == other[size : size + step]:
        size += step
    while size < most and one[size] == other[size]:
        size += 1
    return size
