"""Python functions in a file: where their types are, and where missing ones belong."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

Function = ast.FunctionDef | ast.AsyncFunctionDef
SIGNATURE_END = re.compile(rb"[\s,\\)]{0,2000}\)[ \t]*(?=:)")


@dataclass(frozen=True)
class ParsedFile:
    """The bytes of a file and its syntax tree."""

    data: bytes
    tree: ast.Module

    def at(self, line: int, column: int) -> int:
        """The offset of a place in the parser's terms: lines from 1, bytes from 0."""
        return sum(len(row) for row in self.data.splitlines(keepends=True)[: line - 1]) + column

    def start(self, node: ast.expr | ast.stmt) -> int:
        """The offset where a node begins."""
        return self.at(node.lineno, node.col_offset)

    def end(self, node: ast.expr | ast.arg) -> int:
        """The offset where a node ends."""
        return self.at(node.end_lineno or 0, node.end_col_offset or 0)

    def text(self, node: ast.expr) -> bytes:
        """The node's source."""
        return self.data[self.start(node) : self.end(node)]

    def functions(self, line: int) -> Iterator[Function]:
        """The functions whose `def` is on a line."""
        yield from (node for node in ast.walk(self.tree) if isinstance(node, Function) and node.lineno == line)

    def signature_end(self, function: Function) -> int | None:
        """Where the return type of a function without one belongs; None where that can't be determined."""
        inner = [n for n in ast.walk(function.args) if isinstance(n, ast.arg | ast.expr)]
        after = max((self.end(n) for n in inner), default=self.data.find(b"(", self.start(function)) + 1)
        match = SIGNATURE_END.match(self.data, after)
        return match.end() if match else None


def gives_something(function: Function) -> bool:
    """Whether a function returns a value or yields."""
    todo: list[ast.AST] = list(function.body)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Yield | ast.YieldFrom) or (isinstance(node, ast.Return) and node.value):
            return True
        if not isinstance(node, Function | ast.Lambda | ast.ClassDef):
            todo += ast.iter_child_nodes(node)
    return False
