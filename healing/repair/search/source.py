"""One Python file as templates see it: its syntax tree with parents, and where each node's bytes are."""

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
    """Bytes `start` to `end` of a file become `text`; `line` (1-based) is where a person sees it, `what` what is done,
    in words that go on after "write". `rank`: 0 for what slips most often,
    1 for the rest."""

    start: int
    end: int
    text: str
    line: int
    what: str
    rank: int = 0


class Source:
    """A file that parses and whose line ends are plain; columns of the parser are bytes."""

    def __init__(self, data: bytes, tree: ast.Module) -> None:
        self.data = data
        self.tree = tree

    @classmethod
    def of(cls, data: bytes) -> "Source | None":
        """None where the file doesn't parse, or its bytes are not what the parser counts (a byte order mark, form
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
        """Offset behind the node's last byte."""
        return self._starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)

    def text(self, node: ast.expr | ast.stmt) -> str:
        """The node as it is written."""
        return self.data[self.start(node) : self.end(node)].decode("utf-8", "replace")

    def between(self, left: ast.expr, right: ast.expr) -> tuple[int, int, str]:
        """(start, end, text) of what stands between two nodes."""
        start, end = self.end(left), self.start(right)
        return start, end, self.data[start:end].decode("utf-8", "replace")

    def statement(self, node: ast.AST) -> ast.stmt | None:
        """The innermost statement that the node is in."""
        found: ast.AST | None = node
        while found is not None and not isinstance(found, ast.stmt):
            found = self.parents.get(found)
        return found

    def around(self, node: ast.AST, kind: type[Kind]) -> Kind | None:
        """The innermost node of this kind around the node."""
        found = self.parents.get(node)
        while found is not None and not isinstance(found, kind):
            found = self.parents.get(found)
        return found

    def function(self, node: ast.AST) -> Function | None:
        """The innermost function around the node."""
        found = self.parents.get(node)
        while found is not None and not isinstance(found, Function):
            found = self.parents.get(found)
        return found

    def nodes(self, lines: frozenset[int], kind: type[Kind]) -> Iterator[Kind]:
        """The nodes of this kind in statements that have one of these lines in their head."""
        for node in ast.walk(self.tree):
            if isinstance(node, kind):
                statement = self.statement(node)
                if statement is not None and lines & set(head(statement)):
                    yield node

    def replaced(self, node: ast.expr | ast.stmt, text: str, what: str, rank: int = 0) -> Change:
        """The change that writes `text` for the node."""
        return Change(self.start(node), self.end(node), text, node.lineno, what, rank)


def head(statement: ast.stmt) -> range:
    """The lines of a statement without the statements inside it."""
    inner = [s.lineno for field in ("body", "orelse", "handlers", "finalbody") for s in getattr(statement, field, [])]
    first = min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", []))])
    last = min(inner) - 1 if inner else statement.end_lineno or statement.lineno
    return range(first, max(last, first) + 1)
