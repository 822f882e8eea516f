"""Fills `${{ … }}` in workflow texts with what is known outside GitHub: matrix, env and a few github.* values."""

import re
from dataclasses import dataclass, field

EXPRESSION = re.compile(r"\$\{\{\s*([^{}]{1,200}?)\s*\}\}")
KNOWN = {"runner.os": "Linux", "runner.temp": "/tmp", "runner.arch": "X64"}  # noqa: S108


@dataclass(frozen=True)
class Scope:
    """Values that expressions may name."""

    matrix: dict[str, str] = field(default_factory=dict)
    env: dict[str, str] = field(default_factory=dict)


def fill(text: str, scope: Scope) -> tuple[str, tuple[str, ...]]:
    """`text` with known expressions replaced, and the expressions that have no value here (left empty)."""
    unknown: list[str] = []

    def value(match: re.Match[str]) -> str:
        name = match.group(1)
        known = _look_up(name, scope)
        if known is None:
            unknown.append(name)
        return known or ""

    return EXPRESSION.sub(value, text), tuple(unknown)


def _look_up(name: str, scope: Scope) -> str | None:
    where, _, key = name.partition(".")
    if where == "matrix":
        return scope.matrix.get(key)
    if where == "env":
        return scope.env.get(key)
    return KNOWN.get(name)
