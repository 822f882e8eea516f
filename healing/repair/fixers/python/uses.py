"""The uses of a name in a Python file, as an attribute, a keyword, an imported name or a whole string, and which of
them mean the same thing."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from healing.repair.fixers.python.origins import Origins

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class NameUse:
    """`kind` is `attribute`, `keyword`, `imported` or `string`. `meaning` is equal for uses of the same thing: what
    it is called on, or called with. `known`: the meaning is an import's, and holds in all files."""

    kind: str
    node: ast.AST
    meaning: str
    known: bool = False
    called: ast.Call | None = None

    def is_on(self, lines: range) -> bool:
        """Whether it stands, in whole or in part, on these lines."""
        first = getattr(self.node, "lineno", 0)
        return first < lines.stop and (getattr(self.node, "end_lineno", None) or first) >= lines.start


def uses(origins: Origins, name: str) -> Iterator[NameUse]:
    """All uses of `name` in a file."""
    for node in ast.walk(origins.tree):
        if isinstance(node, ast.Attribute) and node.attr == name:
            origin = origins.of(node)
            yield NameUse("attribute", node, origin or ast.dump(node.value), bool(origin))
        elif isinstance(node, ast.Name) and node.id == name and (origin := origins.of(node)):
            yield NameUse("imported", node, origin, True)
        elif isinstance(node, ast.ImportFrom):
            module = origins.module(node)
            yield from (
                NameUse("imported", a, f"{module}.{name}", True) for a in node.names if a.name == name and module
            )
        elif isinstance(node, ast.Call):
            yield from _in_call(origins, node, name)


def _in_call(origins: Origins, call: ast.Call, name: str) -> Iterator[NameUse]:
    """The keyword of that name, and arguments that are just this string."""
    origin = origins.of(call.func)
    whose = origin or ast.dump(call.func)
    values: list[tuple[str, ast.expr]] = [(str(place), value) for place, value in enumerate(call.args)]
    for keyword in call.keywords:
        if keyword.arg == name:
            yield NameUse("keyword", keyword, whose, bool(origin), call)
        values.append((keyword.arg or "**", keyword.value))
    for place, value in values:
        if isinstance(value, ast.Constant) and value.value == name:
            yield NameUse("string", value, f"{whose}({place})", bool(origin), call)


def statement_lines(tree: ast.Module, line: int) -> range:
    """The lines of the innermost statement without a body around a line: a trace names the first line of a call, and
    the name may be on another."""
    found = range(line, line + 1)
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and not hasattr(node, "body") and node.lineno <= line <= (node.end_lineno or 0):
            found = range(node.lineno, (node.end_lineno or node.lineno) + 1)
    return found


def function_lines(tree: ast.Module, line: int) -> range:
    """The lines of the innermost function around a line; none outside of functions."""
    found = range(0)
    for node in ast.walk(tree):
        if isinstance(node, Function) and node.lineno <= line <= (node.end_lineno or 0):
            found = range(node.lineno, (node.end_lineno or node.lineno) + 1)
    return found
