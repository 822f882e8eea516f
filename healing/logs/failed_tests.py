"""A failed test in the making: the lines that a runner prints under its name. Runners of several languages share it."""

from dataclasses import dataclass, field

from healing.logs.lines import Line

KEPT = 300


@dataclass(slots=True)
class FailedTestOutput:
    """What is printed under the name of a failed test; `file`, `line`, `column` as its heading tells them."""

    title: str
    first: int
    file: str | None = None
    line: int | None = None
    column: int | None = None
    last: int = 0
    lines: list[str] = field(default_factory=list)

    def add(self, line: Line) -> None:
        """One more line, as far as there is room."""
        if len(self.lines) < KEPT:
            self.lines.append(line.text)
            if line.text.strip():
                self.last = line.number
