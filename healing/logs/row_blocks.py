"""Formats whose errors are blocks of lines: patterns for begin and end, and a function that reads the lines."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from healing.logs.format import Finding, Format
from healing.logs.lines import Line

_CHARS = 4_000  # longer lines are ignored


@dataclass(frozen=True, slots=True, kw_only=True)
class RowBlock:
    """A block from a line that matches `begins` to the first one that matches `ends` (exclusive), at most `most` lines.
    `build` gets all of its lines, including the first, and must not raise."""

    begins: re.Pattern[str]
    ends: re.Pattern[str]
    build: Callable[[list[Line]], Iterable[Finding]]
    most: int = 60


class RowBlockReader:
    """Reads blocks; busy inside one. The line that ends a block may begin the next."""

    def __init__(self, blocks: tuple[RowBlock, ...]) -> None:
        self._blocks = blocks
        self._open: RowBlock | None = None
        self._lines: list[Line] = []

    @property
    def busy(self) -> bool:
        """Whether a block is open."""
        return self._open is not None

    def read(self, line: Line) -> Iterable[Finding]:
        """The findings of the block that this line ends."""
        if len(line.text) > _CHARS:
            return ()
        findings: Iterable[Finding] = ()
        if self._open is not None:
            if len(self._lines) < self._open.most and not self._open.ends.match(line.text):
                self._lines.append(line)
                return ()
            findings = self.close()
        self._open = next((block for block in self._blocks if block.begins.match(line.text)), None)
        self._lines = [line]
        return findings

    def close(self) -> Iterable[Finding]:
        """The findings of the block that was open."""
        block, self._open = self._open, None
        return () if block is None else tuple(block.build(self._lines))


def block_format(name: str, hints: tuple[str, ...], *blocks: RowBlock, rank: int = 2) -> Format:
    """A format with these blocks; of two that match the same first line, the first is used."""
    return Format(name, hints, lambda _paths: RowBlockReader(blocks), rank, before=0)
