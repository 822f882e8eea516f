"""One Python file as templates see it: its syntax tree with parents, and each node's byte range."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from healing.graph.python.syntax import parse

Function = ast.FunctionDef | ast.AsyncFunctionDef
Kind = TypeVar("Kind", bound=ast.AST)


@dataclass(frozen=True)
class Change:
    """Bytes `start` to `end` of a file become `text`; `line` (1-based) is where a person sees it, `what` describes the
    change in words that continue "write". `rank`: 0 for the most common mistakes, 1 for the rest."""

    start: int
    end: int
    text: str
    line: int
    what: str
    rank: int = 0


class Source:
    """A file that parses and has plain line ends; the parser's columns are bytes."""

    def __init__(self, data: bytes, tree: ast.Module) -> None:
        self.data = data
        self.tree = tree

    @classmethod
    def of(cls, data: bytes) -> "Source | None":
        """None where the file doesn't parse, or where its bytes are not what the parser counts (a byte order mark, form
        feeds and bare carriage returns)."""
        if data.startswith(b"\xef\xbb\xbf") or b"\x0c" in data or b"\r" in data.replace(b"\r\n", b"\n"):
            return None
        tree = parse(data)
        return cls(data, tree) if tree is not None else None

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """Node → the node around it."""
        return {inner: node for node in ast.walk(self.tree) for inner in ast.iter_child_nodes(node)}

    @cached_property
    def _starts(self) -> list[int]:
        starts = [0]
        for line in self.data.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        return starts

    def start(self, node: ast.expr | ast.stmt) -> int:
        """Offset of the node's first byte."""
        return self._starts[node.lineno - 1] + node.col_offset

    def end(self, node: ast.expr | ast.stmt) -> int:
        """Offset after the node's last byte."""
        return self._starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)

    def text(self, node: ast.expr | ast.stmt) -> str:
        """The node's source text."""
        return self.data[self.start(node) : self.end(node)].decode("utf-8", "replace")

    def between(self, left: ast.expr, right: ast.expr) -> tuple[int, int, str]:
        """(start, end, text) of what is between two nodes."""
        start, end = self.end(left), self.start(right)
        return start, end, self.data[start:end].decode("utf-8", "replace")

    def statement(self, node: ast.AST) -> ast.stmt | None:
        """The innermost statement that contains the node."""
        ancestor: ast.AST | None = node
        while ancestor is not None and not isinstance(ancestor, ast.stmt):
            ancestor = self.parents.get(ancestor)
        return ancestor

    def around(self, node: ast.AST, kind: type[Kind]) -> Kind | None:
        """The innermost node of this kind around the node."""
        ancestor = self.parents.get(node)
        while ancestor is not None and not isinstance(ancestor, kind):
            ancestor = self.parents.get(ancestor)
        return ancestor

    def function(self, node: ast.AST) -> Function | None:
        """The innermost function around the node."""
        ancestor = self.parents.get(node)
        while ancestor is not None and not isinstance(ancestor, Function):
            ancestor = self.parents.get(ancestor)
        return ancestor

    def nodes(self, lines: frozenset[int], kind: type[Kind]) -> Iterator[Kind]:
        """The nodes of this kind in statements that have one of these lines in their head."""
        for node in ast.walk(self.tree):
            if isinstance(node, kind):
                statement = self.statement(node)
                if statement is not None and lines & set(head(statement)):
                    yield node

    def replaced(self, node: ast.expr | ast.stmt, text: str, what: str, rank: int = 0) -> Change:
        """The change that replaces the node with `text`."""
        return Change(self.start(node), self.end(node), text, node.lineno, what, rank)


def head(statement: ast.stmt) -> range:
    """The lines of a statement without the statements inside it."""
    inner = [s.lineno for field in ("body", "orelse", "handlers", "finalbody") for s in getattr(statement, field, [])]
    first = min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", []))])
    last = min(inner) - 1 if inner else statement.end_lineno or statement.lineno
    return range(first, max(last, first) + 1)
