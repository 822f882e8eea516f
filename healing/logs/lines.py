"""Raw log bytes as blocks of clean lines, in bounded memory.

A block is some 64 kB of whole lines. Cleaning takes away what a terminal or the runner added (byte order mark,
timestamps, colours, progress overwritten by a carriage return) and never a line: numbers stay those of the raw log.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

BLOCK_BYTES = 1 << 16
LINE_CHARS = 1 << 16  # longer lines are cut before any pattern sees them

# The runner writes 7 decimals and one space; what follows the space is the tool's own indentation.
_STAMP = re.compile(r"^\ufeff?(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d{1,9}Z ?", re.MULTILINE)
_ESCAPE = re.compile(
    r"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]"  # CSI: colours, cursor
    r"|\][^\x07\x1b\n]{0,4096}(?:\x07|\x1b\\)?"  # OSC: titles, links
    r"|[()][0-9A-Za-z]|[@-Z\\^_=>78c])?"
)
_ECHO = re.compile(r"^\x1b\[36;1m", re.MULTILINE)  # how the runner echoes a step's script
_OVERWRITTEN = re.compile(r"^[^\n]*\r(?=[^\n\r])", re.MULTILINE)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufeff]")
_MARK = re.compile(r"##\[(error|warning|notice|debug|command|group|endgroup|section|echo)\]")


@dataclass(frozen=True, slots=True)
class Line:
    """One clean line: its 1-based number in the raw log, its text, and any mark of the runner (`error`, `group`…)."""

    number: int
    text: str
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """Whole lines in a row: the number of the first, the clean text, and the timestamps if they were asked for."""

    first: int
    text: str
    stamps: tuple[tuple[int, str], ...] = ()

    def lines(self) -> Iterator[Line]:
        """The lines, marks split off."""
        for number, text in enumerate(self.text.split("\n"), self.first):
            yield _line(number, text)

    def last(self) -> Line:
        """The last line alone, without looking at the others."""
        return _line(self.first + self.text.count("\n"), self.text[self.text.rfind("\n") + 1 :])


def _line(number: int, text: str) -> Line:
    if text.startswith("##[") and (mark := _MARK.match(text)):
        return Line(number, text[mark.end() : LINE_CHARS], mark[1])
    return Line(number, text if len(text) <= LINE_CHARS else text[:LINE_CHARS])


def blocks(log: Iterable[bytes], *, stamps: bool = False) -> Iterator[Block]:
    """The log as clean blocks; `stamps` also keeps (line number, `YYYY-MM-DDTHH:MM:SS`) of each stamped line."""
    first = 1
    for raw in _whole_lines(_chunks(log)):
        text = raw.decode("utf-8", "replace")
        yield Block(first, clean(text), _stamps(first, text) if stamps else ())
        first += text.count("\n") + 1


def clean(text: str) -> str:
    """`text` as a person saw it at the end, line for line."""
    text = _STAMP.sub("", text)
    if "\x1b" in text:
        text = _ECHO.sub("##[echo]", text)
        text = _ESCAPE.sub("", text)
    if "\r" in text:
        text = _OVERWRITTEN.sub("", text).replace("\r", "")
    return _CONTROL.sub("", text)


def _stamps(first: int, text: str) -> tuple[tuple[int, str], ...]:
    found = ((number, _STAMP.match(line)) for number, line in enumerate(text.split("\n"), first))
    return tuple((number, match[1]) for number, match in found if match)


def _chunks(log: Iterable[bytes]) -> Iterator[bytes]:
    for chunk in log:
        for start in range(0, len(chunk), BLOCK_BYTES):
            yield chunk[start : start + BLOCK_BYTES]


def _whole_lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Blocks of about BLOCK_BYTES, cut at newlines (the newline itself left out); a giant line keeps its head."""
    kept = bytearray()
    giant = False
    for chunk in chunks:
        if giant:
            end = chunk.find(b"\n")
            if end < 0:
                continue
            chunk, giant = chunk[end:], False  # noqa: PLW2901 - the rest of the giant line is gone
        kept += chunk
        if len(kept) < BLOCK_BYTES:
            continue
        end = kept.rfind(b"\n")
        if end >= 0:
            yield bytes(kept[:end])
            del kept[: end + 1]
        elif len(kept) > 4 * LINE_CHARS:
            del kept[4 * LINE_CHARS :]
            giant = True
    if kept:
        yield bytes(kept[:-1] if kept.endswith(b"\n") else kept)
