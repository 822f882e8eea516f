"""Collects the lines that a test runner prints under a failed test's name; shared by formats of several languages."""

from dataclasses import dataclass, field

from healing.logs.lines import Line

KEPT = 300


@dataclass(slots=True)
class FailedTestOutput:
    """The output under a failed test's name; `file`, `line` and `column` are those in its heading."""

    title: str
    first: int
    file: str | None = None
    line: int | None = None
    column: int | None = None
    last: int = 0
    lines: list[str] = field(default_factory=list)

    def add(self, line: Line) -> None:
        """Adds a line; drops it once KEPT lines are stored."""
        if len(self.lines) < KEPT:
            self.lines.append(line.text)
            if line.text.strip():
                self.last = line.number
