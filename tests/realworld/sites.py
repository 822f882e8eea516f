"""Where a source file can be broken: its AST with exact byte positions, and the cuts that a slip of the pen makes."""

import ast
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property


@dataclass(frozen=True)
class Breakage:
    """One slip: `files` are the new bytes, `what` says in words what was done."""

    kind: str
    category: str
    what: str
    files: dict[str, bytes]


@dataclass(frozen=True)
class File:
    """One parsed file of the pristine project."""

    path: str
    data: bytes

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.data)

    @cached_property
    def starts(self) -> list[int]:
        """The byte offset of each line."""
        found = [0]
        for line in self.data.splitlines(keepends=True):
            found.append(found[-1] + len(line))
        return found

    def at(self, line: int, column: int) -> int:
        """The byte offset of a position of the AST."""
        return self.starts[line - 1] + column

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        return self.at(node.lineno, node.col_offset), self.at(node.end_lineno or 0, node.end_col_offset or 0)

    def text(self, node: ast.expr | ast.stmt) -> bytes:
        start, end = self.span(node)
        return self.data[start:end]

    def cut(self, start: int, end: int, new: bytes) -> bytes:
        """The file with one range replaced."""
        return self.data[:start] + new + self.data[end:]

    def without_line(self, line: int) -> bytes:
        return self.cut(self.starts[line - 1], self.starts[line], b"")

    def functions(self) -> Iterator[ast.FunctionDef]:
        return (n for n in ast.walk(self.tree) if isinstance(n, ast.FunctionDef))

    def inside(self, kind: type[ast.AST]) -> Iterator[tuple[ast.FunctionDef, ast.AST]]:
        """(function, node) of each node of a kind that is in the body of a function."""
        for function in self.functions():
            for statement in function.body:
                yield from ((function, node) for node in ast.walk(statement) if isinstance(node, kind))


@dataclass(frozen=True)
class Source:
    """The package to be broken, pristine. `seed` makes every choice the same in every run."""

    seed: str
    files: tuple[File, ...]
    elsewhere: tuple[bytes, ...] = field(default=(), repr=False)  # tests and other files: who else uses a name

    def shuffled(self, kind: str, made: Iterator[Breakage]) -> list[Breakage]:
        """The candidates of one kind, in the order in which they are tried."""
        found = {str(sorted(one.files.items())): one for one in made}
        ordered = sorted(found.values(), key=lambda one: one.what)
        random.Random(f"{self.seed}:{kind}").shuffle(ordered)
        return ordered

    def uses(self, name: str) -> int:
        """How often a word stands in the whole package and its tests."""
        everything = [*(f.data for f in self.files), *self.elsewhere]
        return sum(data.count(name.encode()) for data in everything)


def parses(data: bytes) -> bool:
    try:
        ast.parse(data)
    except SyntaxError:
        return False
    return True
