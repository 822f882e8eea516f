"""A comparison that is the wrong way round, or off by its boundary."""

import ast
from collections.abc import Iterator

from healing.repair.search.source import Change, Source

# Operator in the code → (what may be meant, rank), the likeliest first.
INSTEAD: dict[type[ast.cmpop], tuple[tuple[str, int], ...]] = {
    ast.Lt: (("<=", 0), (">", 1), (">=", 1)),
    ast.LtE: (("<", 0), (">=", 1), (">", 1)),
    ast.Gt: ((">=", 0), ("<", 1), ("<=", 1)),
    ast.GtE: ((">", 0), ("<=", 1), ("<", 1)),
    ast.Eq: (("!=", 0),),
    ast.NotEq: (("==", 0),),
    ast.Is: (("is not", 0),),
    ast.IsNot: (("is", 0),),
    ast.In: (("not in", 0),),
    ast.NotIn: (("in", 0),),
}
WRITTEN = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}


def comparison(source: Source, lines: frozenset[int]) -> Iterator[Change]:
    """Replaces every operator of every comparison."""
    for node in source.nodes(lines, ast.Compare):
        sides = [node.left, *node.comparators]
        for left, op, right in zip(sides, node.ops, sides[1:], strict=False):
            start, end, text = source.between(left, right)
            old = _written(op, text)
            for new, rank in INSTEAD[type(op)] if old else ():
                yield Change(start, end, text.replace(old, new), right.lineno, f"`{new}` for `{old}`", rank)


def _written(op: ast.cmpop, text: str) -> str:
    """The operator's text between the two operands; empty where there is more, such as a comment."""
    old = WRITTEN.get(type(op)) or " ".join(text.strip("() \t").split())
    return old if text.count(old) == 1 and old and text.strip("() \t\r\n\\") == old else ""
