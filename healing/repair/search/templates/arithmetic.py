"""An arithmetic operator that should be its opposite or a similar one."""

import ast
from collections.abc import Iterator

from healing.repair.search.source import Change, Source

# Operator in the code → (its text, what may be meant with its rank).
INSTEAD: dict[type[ast.operator], tuple[str, tuple[tuple[str, int], ...]]] = {
    ast.Add: ("+", (("-", 0),)),
    ast.Sub: ("-", (("+", 0),)),
    ast.Mult: ("*", (("//", 0), ("%", 0), ("/", 1), ("**", 1))),
    ast.FloorDiv: ("//", (("*", 0), ("%", 1), ("/", 1))),
    ast.Div: ("/", (("*", 0), ("//", 0))),
    ast.Mod: ("%", (("*", 0), ("//", 1))),
    ast.BitAnd: ("&", (("|", 0),)),
    ast.BitOr: ("|", (("&", 0),)),
    ast.LShift: ("<<", ((">>", 0),)),
    ast.RShift: (">>", (("<<", 0),)),
}


def arithmetic(source: Source, lines: frozenset[int]) -> Iterator[Change]:
    """Binary operators, and those of augmented assignments."""
    for node in source.nodes(lines, ast.BinOp):
        start, end, text = source.between(node.left, node.right)
        yield from _changes(type(node.op), start, end, text, node.right.lineno, "")
    for step in source.nodes(lines, ast.AugAssign):
        start, end, text = source.between(step.target, step.value)
        yield from _changes(type(step.op), start, end, text, step.lineno, "=")


def _changes(op: type[ast.operator], start: int, end: int, text: str, line: int, ending: str) -> Iterator[Change]:
    old, meant = INSTEAD.get(op, ("", ()))
    if text.strip("() \t\r\n\\") != old + ending:
        return  # there is more between the operands, such as a comment
    for new, rank in meant:
        yield Change(start, end, text.replace(old + ending, new + ending), line, f"`{new}` for `{old}`", rank)
