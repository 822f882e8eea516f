"""The line that a compiler names, for fixes that Heal reads off it."""

from collections.abc import Iterator
from typing import NamedTuple

from healing.model import CIError
from healing.view import TreeView


class ReportedLine(NamedTuple):
    """`lines` ends with the line that is named; `start` is the byte of the file at which that one begins."""

    file: str
    number: int
    start: int
    lines: list[bytes]

    @property
    def text(self) -> bytes:
        return self.lines[-1]


def reported_lines(errors: tuple[CIError, ...], view: TreeView) -> Iterator[tuple[CIError, ReportedLine]]:
    """Each error that names a line that its file has, with that line."""
    for error in errors:
        lines = (view.read(error.file or "") or b"").split(b"\n")
        if error.file and error.line and error.line <= len(lines):
            start = sum(len(line) + 1 for line in lines[: error.line - 1])
            yield error, ReportedLine(error.file, error.line, start, lines[: error.line])
