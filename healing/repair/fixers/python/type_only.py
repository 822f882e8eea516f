"""Imports that only annotations need."""

import ast
from collections.abc import Iterator

from healing.graph.python.syntax import parse

NAME = "TYPE_CHECKING"
Import = ast.Import | ast.ImportFrom


def type_only_import(data: bytes, node: Import) -> bytes | None:
    """The file with an import at its top level made for type checkers alone, and what it imports quoted in annotations;
    None where anything else uses it."""
    tree, names = parse(data), {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
    if tree is None:
        return None
    annotations = list(_annotations(tree))
    inside = {id(part) for whole in annotations for part in ast.walk(whole)}
    used = [n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id in names]
    own = [a for a in annotations if any(isinstance(n, ast.Name) and n.id in names for n in ast.walk(a))]
    if not used or any(id(name) not in inside for name in used) or any(not _can_be_quoted(a) for a in own):
        return None
    rows = data.splitlines(keepends=True)
    imports = [n for n in tree.body if isinstance(n, Import)]
    later = any(isinstance(n, ast.ImportFrom) and n.module == "__future__" and _has(n, "annotations") for n in imports)
    for whole in sorted(own, key=lambda a: (-a.lineno, -a.col_offset)) if not later else ():
        row, first, end = whole.lineno - 1, whole.col_offset, whole.end_col_offset or 0
        rows[row] = rows[row][:first] + b'"' + rows[row][first:end] + b'"' + rows[row][end:]
    last = max(n.end_lineno or n.lineno for n in imports)
    rows[last:last] = [f"\nif {NAME}:\n    {ast.unparse(node)}\n".encode()]
    rows[node.lineno - 1 : node.end_lineno or node.lineno] = []
    return b"".join(_with_name(rows, [n for n in imports if n is not node and n.lineno < node.lineno]))


def _with_name(rows: list[bytes], above: list[Import]) -> list[bytes]:
    """The lines with an import of the constant, among the imports that are `above` all changes where there are some."""
    known = [n for n in above if isinstance(n, ast.ImportFrom) and n.module == "typing"]
    if any(_has(n, NAME) for n in known):
        return rows
    for node in known:
        names = [ast.unparse(alias) for alias in node.names]
        if node.lineno == node.end_lineno and rows[node.lineno - 1].strip() == ast.unparse(node).encode():
            by_letter = sorted([*names, NAME], key=str.casefold)
            mixed = sorted(names, key=str.islower) != names and sorted(names, key=str.casefold) == names
            named = by_letter if mixed else [NAME, *names]  # constants come first, as isort sorts
            line = f"from typing import {', '.join(named)}\n".encode()
            return [*rows[: node.lineno - 1], line, *rows[node.lineno :]]
    future = [n for n in above if isinstance(n, ast.ImportFrom) and n.module == "__future__"]
    at = max((n.end_lineno or n.lineno for n in future), default=above[0].lineno - 1 if above else 0)
    return [*rows[:at], f"from typing import {NAME}\n".encode(), *rows[at:]]


def _annotations(tree: ast.Module) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        found = (getattr(node, "annotation", None), getattr(node, "returns", None))
        yield from (one for one in found if isinstance(one, ast.expr))


def _can_be_quoted(annotation: ast.expr) -> bool:
    """Whether it stands on one line and has no quotes of its own."""
    strings = any(isinstance(n, ast.Constant) and isinstance(n.value, str) for n in ast.walk(annotation))
    return annotation.lineno == annotation.end_lineno and not strings


def _has(node: ast.ImportFrom, name: str) -> bool:
    return any(alias.name == name for alias in node.names)
