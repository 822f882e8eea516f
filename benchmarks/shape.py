"""The one shape of every benchmark's result, as a table for people and as JSON for the scoreboard."""

import json
import os
import platform
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from typing import Any


@dataclass(frozen=True)
class Goal:
    """A goal that an issue sets for a benchmark, met or not. `value` None: not measured here."""

    name: str
    goal: str
    value: float | None
    ok: bool


@dataclass
class Result:
    """Rows are dicts with the same keys; seconds unless a key says otherwise. `summary` is one more such dict, of the
    whole, for benchmarks that are judged by it."""

    name: str
    seed: int
    rows: list[dict[str, Any]] = field(default_factory=list)
    goals: list[Goal] = field(default_factory=list)
    packages: tuple[str, ...] = ()
    summary: dict[str, Any] | None = None

    def as_json(self) -> str:
        """One JSON object."""
        machine = {
            "system": platform.platform(),
            "processors": os.cpu_count(),
            "python": platform.python_version(),
        }
        versions = {name: version(name) for name in ("heal", *self.packages)}
        value = {"name": self.name, "machine": machine, "versions": versions, "seed": self.seed}
        told = {**value, "rows": self.rows, "goals": [asdict(goal) for goal in self.goals]}
        return json.dumps({**told, "summary": self.summary} if self.summary is not None else told)

    def as_table(self) -> str:
        """Rows as columns of text, then the goals."""
        keys = list(dict.fromkeys(key for row in self.rows for key in row))
        table = [keys, *[[_cell(row.get(key)) for key in keys] for row in self.rows]]
        widths = [max(len(row[i]) for row in table) for i in range(len(keys))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in table]
        lines += [f"{'met' if g.ok else 'NOT met'}: {g.name}: {g.value} (goal {g.goal})" for g in self.goals]
        return "\n".join(lines)


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.3f}" if isinstance(value, float) else str(value)
