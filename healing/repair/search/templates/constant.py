"""A number that is off by one, and a `True` for a `False`."""

import ast
from collections.abc import Iterator

from healing.repair.search.source import Change, Source


def constant(source: Source, lines: frozenset[int]) -> Iterator[Change]:
    """Changes integers by one and inverts booleans."""
    for node in source.nodes(lines, ast.Constant):
        for text in _meant(node.value):
            yield source.replaced(node, text, f"`{text}` for `{source.text(node)}`")


def _meant(value: object) -> Iterator[str]:
    if isinstance(value, bool):
        yield str(not value)
    elif isinstance(value, int):
        yield str(value - 1) if value else "-1"
        yield str(value + 1)
