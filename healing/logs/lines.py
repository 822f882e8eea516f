"""Splits raw log bytes into blocks of clean lines, in bounded memory.

A block is about 64 kB of whole lines. Cleaning removes what a terminal or the runner added (byte order mark, timestamps
and other prefixes, colours, progress overwritten by a carriage return) but never a line: line numbers stay those of the
raw log. Most blocks are noise: they stay bytes and are decoded only when a reader needs them.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from os.path import commonprefix

from healing.logs.prefixes import Prefixes

BLOCK_BYTES = 1 << 16
LINE_CHARS = 1 << 16  # longer lines are cut before any pattern sees them
MAX_LENGTH = 16 << 20  # bytes of a line that are kept; it may be a whole document

# The runner writes 7 decimals and one space; further spaces are the tool's own indentation.
_STAMP = re.compile(rb"\n\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,9}Z ?")
_STAMPED = re.compile(rb"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d{1,9}Z ?")
_MARK_OF_ORDER = b"\xef\xbb\xbf"
_ESCAPE = re.compile(
    rb"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]"  # CSI: colours, cursor
    rb"|[]_P^][^\x07\x1b\n]{0,4096}(?:\x07|\x1b\\)?"  # OSC: titles, links; APC: Buildkite's clock
    rb"|[()][0-9A-Za-z]|[@-Z\\^_=>78c])?"
)
_TO_START = re.compile(rb"\x1b\[[01]?G")  # the cursor to the line's first column: what follows overwrites it
_ECHO = b"\n\x1b[36;1m"  # how the runner echoes a step's script
_OVERWRITTEN = re.compile(rb"\n[^\n]*\r(?=[^\n\r])")
_CONTROL = bytes({*range(32), 0x7F} - set(b"\n\t"))
_MARK = re.compile(r"##\[(error|warning|notice|debug|command|group|endgroup|section|echo)\]")


@dataclass(frozen=True, slots=True)
class Line:
    """One clean line: its 1-based number in the raw log, its text, and the runner's mark, if any (`error`,
    `group`…)."""

    number: int
    text: str
    mark: str = ""


@dataclass(frozen=True)
class Block:
    """Consecutive whole lines: the number of the first, and the clean bytes with a newline before and after each line.

    `open`: the log ends in its last line, without a newline. `inside`: the numbers of its first and last line within
    the requested times.
    """

    first: int
    content: bytes
    open: bool = False
    inside: tuple[int, int] | None = None

    @cached_property
    def count(self) -> int:
        """The number of lines."""
        return self.content.count(b"\n") - 1

    @cached_property
    def lines(self) -> list[str]:
        """The texts of the lines, with the runner's marks."""
        return self.content[1:-1].decode("utf-8", "replace").split("\n")

    @cached_property
    def heads(self) -> bytes:
        """`content` with giant lines cut; only documents are read from the whole lines."""
        if len(self.content) <= 4 * LINE_CHARS:
            return self.content
        return b"\n".join(line[: 4 * LINE_CHARS] for line in self.content.split(b"\n"))


def marked_line(number: int, text: str) -> Line:
    """The line with the runner's mark split off, and no longer than LINE_CHARS."""
    if text.startswith("##[") and (mark := _MARK.match(text)):
        return Line(number, text[mark.end() : LINE_CHARS], mark[1])
    return Line(number, text if len(text) <= LINE_CHARS else text[:LINE_CHARS])


def blocks(log: Iterable[bytes], times: tuple[str, str] | None = None) -> Iterator[Block]:
    """The log as clean blocks. With `times` (from, to: `YYYY-MM-DDTHH:MM:SS`, UTC) each block's `inside` is set to its
    lines of that time."""
    first, prefixes = 1, Prefixes()
    for raw in _whole_lines(_chunks(log)):
        ended = raw.endswith(b"\n")
        inside = _inside(raw, first, *times) if times else None
        block = Block(first, _clean(raw if ended else raw + b"\n", prefixes), not ended, inside)
        yield block
        first += block.count


def clean(raw: bytes) -> str:
    """`raw` as a terminal finally shows it, line by line."""
    return _clean(raw, Prefixes())[1:].decode("utf-8", "replace")


def _clean(raw: bytes, prefixes: Prefixes) -> bytes:
    """The same as bytes, with a newline in front. Patterns run several times faster on bytes."""
    raw = b"\n" + raw  # so that every line, the first too, begins after a newline
    if b"\xef" in raw:  # a search for one byte is ten times as fast as for three
        raw = raw.replace(_MARK_OF_ORDER, b"")
    raw = _STAMP.sub(b"\n", raw)
    if b"\x1b" in raw:
        raw = _TO_START.sub(b"\r", raw)
        raw = raw.replace(_ECHO, b"\n##[echo]")
        raw = _ESCAPE.sub(b"", raw)
    raw = prefixes.without_prefix(raw)
    if b"\r" in raw:
        raw = raw.replace(b"\r\n", b"\n")  # how Windows ends lines
        raw = _OVERWRITTEN.sub(b"\n", raw)
    return raw.translate(None, _CONTROL)


def _inside(raw: bytes, first: int, start: str, end: str) -> tuple[int, int] | None:
    """The first and last line whose timestamp is within the times, searched from both ends."""
    if commonprefix((start, end)).encode() not in raw:  # noqa: RUF071 - no paths
        return None  # most of a long log was written at other times
    lines = raw.replace(_MARK_OF_ORDER, b"").split(b"\n")

    def within(at: int) -> bool:
        match = _STAMPED.match(lines[at])
        return match is not None and start <= match[1].decode() <= end

    head = next(filter(within, range(len(lines))), None)
    if head is None:
        return None
    tail = next(filter(within, range(len(lines) - 1, -1, -1)))
    return first + head, first + tail


def _chunks(log: Iterable[bytes]) -> Iterator[bytes]:
    for chunk in log:
        for start in range(0, len(chunk), BLOCK_BYTES):
            yield chunk[start : start + BLOCK_BYTES]


def _whole_lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Pieces of about BLOCK_BYTES, cut after newlines; lines are cut at about MAX_LENGTH."""
    kept: list[bytes] = []
    size = 0
    for chunk in chunks:
        if size >= MAX_LENGTH:
            chunk = chunk[chunk.find(b"\n") :] if b"\n" in chunk else b""  # noqa: PLW2901 - the rest of a giant line
        end = chunk.rfind(b"\n") + 1
        if end and size + end >= BLOCK_BYTES:
            yield b"".join((*kept, chunk[:end]))
            kept, size, chunk = [], 0, chunk[end:]  # noqa: PLW2901 - what is left of it
        if size < MAX_LENGTH:
            kept.append(chunk)
            size += len(chunk)
    if size:
        yield b"".join(kept)
