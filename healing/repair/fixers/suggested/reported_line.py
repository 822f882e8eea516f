"""The line that a compiler reports, for fixes that Heal derives from it."""

from collections.abc import Iterator
from typing import NamedTuple

from healing.model import CIError
from healing.view import TreeView


class ReportedLine(NamedTuple):
    """`lines` ends with the reported line; `start` is the file's byte at which that line begins."""

    file: str
    number: int
    start: int
    lines: list[bytes]

    @property
    def text(self) -> bytes:
        return self.lines[-1]


def reported_lines(errors: tuple[CIError, ...], view: TreeView) -> Iterator[tuple[CIError, ReportedLine]]:
    """Each error whose line exists in its file, with that line."""
    for error in errors:
        lines = (view.read(error.file or "") or b"").split(b"\n")
        if error.file and error.line and error.line <= len(lines):
            start = sum(len(line) + 1 for line in lines[: error.line - 1])
            yield error, ReportedLine(error.file, error.line, start, lines[: error.line])
