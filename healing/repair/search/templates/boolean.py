"""`and` for `or`, and a superfluous or missing `not`."""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise

from healing.repair.search.source import Change, Source

SIMPLE = (ast.Name, ast.Attribute, ast.Call, ast.Subscript)  # nodes that `not` can precede without brackets


def boolean(source: Source, lines: frozenset[int]) -> Iterator[Change]:
    """Swaps `and` and `or`, one operator of a chain at a time."""
    for node in source.nodes(lines, ast.BoolOp):
        old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        gaps = [source.between(left, right) for left, right in pairwise(node.values)]
        for (start, end, text), right in zip(gaps, node.values[1:], strict=True):
            changed, times = re.subn(rf"\b{old}\b", new, text)
            if times == 1 and "#" not in text:
                yield Change(start, end, changed, right.lineno, f"`{new}` for `{old}`")


def negation(source: Source, lines: frozenset[int]) -> Iterator[Change]:
    """Removes a `not`, or adds one before a condition, or a part of one, that has none. Comparisons have their own
    opposites."""
    for node in source.nodes(lines, ast.UnaryOp):
        if isinstance(node.op, ast.Not):
            yield Change(source.start(node), source.start(node.operand), "", node.lineno, "no `not`")
    seen = set()
    for condition in _conditions(source, lines):
        start = source.start(condition)
        if start not in seen and isinstance(condition, SIMPLE):
            seen.add(start)
            yield Change(start, start, "not ", condition.lineno, "a `not`")


def _conditions(source: Source, lines: frozenset[int]) -> Iterator[ast.expr]:
    yield from (branch.test for branch in source.nodes(lines, ast.If))
    yield from (branch.test for branch in source.nodes(lines, ast.While))
    yield from (branch.test for branch in source.nodes(lines, ast.IfExp))
    for chain in source.nodes(lines, ast.BoolOp):
        yield from chain.values
    for loop in source.nodes(lines, ast.comprehension):
        yield from loop.ifs
    for end in source.nodes(lines, ast.Return):
        if end.value is not None:
            yield end.value
