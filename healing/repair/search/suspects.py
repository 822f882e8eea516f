"""Which lines may be at fault: those that failing tests ran and passing ones seldom did (Ochiai's measure)."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from healing.graph import is_test

MAX_TEXTS = 5000
Scores = Mapping[str, Mapping[int, float]]  # file → 1-based line → 0..1


@dataclass(frozen=True)
class ExecutedLines:
    """The result of heal_tracer.py. `imported` are the lines that run while modules are imported, `failed` the failing
    tests by pytest's own ids, `modules` the third-party modules that the tests import."""

    scores: Scores = field(default_factory=dict)
    imported: frozenset[tuple[str, int]] = frozenset()
    failed: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()


def read_trace(trace: Any) -> ExecutedLines:
    """Reads the trace of one run. It comes out of the sandbox, so its shape is checked everywhere.

    Only lines that every failing test ran may be at fault, because a single change has to fix all of them. Lines that
    run while modules are imported count as run by every test.
    """
    if not isinstance(trace, dict) or not isinstance(trace.get("failing"), int) or trace["failing"] < 1:
        return ExecutedLines()
    failing, passing = trace["failing"], _number(trace.get("passing"))
    scores: dict[str, dict[int, float]] = {}
    for file, line in _rows(trace.get("imported"), 2):
        scores.setdefault(file, {})[line] = _ochiai(failing, passing, failing)
    for file, line, red, green in _rows(trace.get("lines"), 4):
        if red == failing:
            file_scores = scores.setdefault(file, {})
            file_scores[line] = max(file_scores.get(line, 0.0), _ochiai(red, green, failing))
    kept = {f: lines for f, lines in scores.items() if f.endswith(".py") and not is_test(f)}
    imported = frozenset((file, line) for file, line in _rows(trace.get("imported"), 2))
    return ExecutedLines(kept, imported, _texts(trace.get("failed")), _texts(trace.get("modules")))


def _ochiai(red: int, green: int, failing: int) -> float:
    """A line's failing runs, divided by the geometric mean of all failing tests and all runs of the line."""
    return red / math.sqrt(failing * (red + green)) if red else 0.0


def _rows(value: Any, width: int) -> list[list[Any]]:
    """The well-formed rows: a path, then integers."""
    rows = value if isinstance(value, list) else []
    return [
        row
        for row in rows
        if isinstance(row, list)
        and len(row) == width
        and isinstance(row[0], str)
        and all(isinstance(number, int) for number in row[1:])
    ]


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(text for text in value if isinstance(text, str))[:MAX_TEXTS] if isinstance(value, list) else ()


def _number(value: Any) -> int:
    return value if isinstance(value, int) and value > 0 else 0
