"""The one shape of every benchmark's result: a table for people, JSON for the scoreboard, which reads it back."""

import json
import os
import platform
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from typing import Any


@dataclass(frozen=True)
class Goal:
    """A goal that is set for a benchmark, met or not. `value` None: not measured here."""

    name: str
    goal: str
    value: float | None
    ok: bool


@dataclass(frozen=True)
class Bars:
    """A picture of one column: a bar for each row that has it. `label` names the columns whose cells name the bar."""

    title: str
    label: tuple[str, ...]
    value: str


@dataclass
class Result:
    """Rows are dicts with the same keys; seconds unless a key says otherwise. `summary` is one more such dict, of the
    whole, for benchmarks that are judged by it. `partly`: not all of it was measured, so it is not kept."""

    name: str
    seed: int
    rows: list[dict[str, Any]] = field(default_factory=list)
    goals: list[Goal] = field(default_factory=list)
    packages: tuple[str, ...] = ()
    summary: dict[str, Any] | None = None
    bars: tuple[Bars, ...] = ()
    partly: bool = False

    def as_json(self) -> str:
        """One JSON object."""
        machine = {
            "system": f"{platform.system()} {'.'.join(platform.release().split('.')[:2])} {platform.machine()}",
            "processors": os.cpu_count(),
            "python": platform.python_version(),
        }
        versions = {name: version(name) for name in ("heal", *self.packages)}
        value = {"name": self.name, "machine": machine, "versions": versions, "seed": self.seed}
        reported = {**value, "rows": self.rows, "goals": [asdict(goal) for goal in self.goals]}
        reported |= {"bars": [asdict(bars) for bars in self.bars]} if self.bars else {}
        return json.dumps({**reported, "summary": self.summary} if self.summary is not None else reported)

    def as_table(self) -> str:
        """Rows as columns of text, then the goals."""
        keys = list(dict.fromkeys(key for row in self.rows for key in row))
        table = [keys, *[[cell(row.get(key)) for key in keys] for row in self.rows]]
        widths = [max(len(row[i]) for row in table) for i in range(len(keys))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in table]
        lines += [f"{'met' if g.ok else 'NOT met'}: {g.name}: {g.value} (goal {g.goal})" for g in self.goals]
        return "\n".join(lines)


def cell(value: object) -> str:
    """A cell of a table as a person reads it; nothing where there is no value."""
    if value is None:
        return ""
    return f"{value:.3f}" if isinstance(value, float) else str(value)
