"""The interface of fixers: rules that propose fixes without a model. They only propose; the verifier proves."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from healing.causes import Places, of_cause, read_message
from healing.edits.exact import EditError, edits_between
from healing.graph import Graph, is_test
from healing.graph.names import NameIndex
from healing.graph.python.syntax import parse
from healing.model import Candidate, CIError, Edit, RootCause
from healing.view import TreeView

LIMIT = 5  # candidates of one fixer for one cause: each costs a run of a check


@dataclass(frozen=True)
class Repo:
    """What a fixer may see. `before` is the tree that the pull request started from, where it is known."""

    view: TreeView
    index: NameIndex
    graph: Graph
    before: TreeView | None = None

    @cached_property
    def index_before(self) -> NameIndex | None:
        """The names of `before`."""
        return NameIndex(self.before) if self.before is not None else None

    @cached_property
    def changed(self) -> tuple[str, ...]:
        """The files that are in both trees with different bytes; none where `before` is not known."""
        old = self.before
        return tuple(p for p in self.view.paths() if old and old.blob(p) not in (None, self.view.blob(p)))


class Fixer(Protocol):
    """One kind of fix. `certainty` (1–100): how often its first candidate is the right one."""

    @property
    def name(self) -> str: ...

    @property
    def certainty(self) -> int: ...

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        """Yields candidates for one root cause, the likeliest first, at most five. `errors` are the run's, or just the
        cause's own. Never raises, whatever the repo contains."""
        ...


@dataclass(frozen=True)
class Case:
    """One root cause with the facts that fixers need."""

    cause: RootCause
    errors: tuple[CIError, ...]
    repo: Repo

    @classmethod
    def of(cls, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> "Case":
        return cls(cause, of_cause(cause, errors), repo)

    @cached_property
    def family(self) -> str:
        """The family of the cause's message (healing/causes); empty for none."""
        return read_message(self.errors[0]).family if self.errors else ""

    @cached_property
    def name(self) -> str:
        """The name at fault."""
        symbols = read_message(self.errors[0]).symbols if self.errors else ()
        return symbols[0] if symbols else ""

    @cached_property
    def owners(self) -> tuple[str, ...]:
        """What should have the name: modules, classes or functions, according to the messages."""
        return tuple(dict.fromkeys(s for error in self.errors for s in read_message(error).symbols[1:2]))

    @cached_property
    def frames(self) -> tuple[tuple[str, int], ...]:
        """(file, line) of every frame of the errors in the repo, the deepest first."""
        places = Places(self.repo.view)
        return tuple(dict.fromkeys(frame for error in self.errors for frame in places.frames(error)))

    @cached_property
    def crashed(self) -> tuple[str, ...]:
        """The file of the deepest frame of each error: where the name was missing."""
        places = Places(self.repo.view)
        files = dict.fromkeys(places.file(error) for error in self.errors)
        return tuple(file for file in files if self.repo.view.mode(file))

    def may_edit(self, path: str) -> bool:
        """Whether a file may be edited: tests are not, except where the error itself is in that test file."""
        return not is_test(path) or path in self.crashed

    def followed(
        self, fixer: Fixer, changes: Mapping[str, bytes], title: str, explanation: str
    ) -> Iterator[Candidate | None]:
        """Candidates that make users of something follow where it went: the product's alone, then the tests' too."""
        product = {path: new for path, new in changes.items() if self.may_edit(path)}
        yield self.candidate(fixer, product, title, explanation)
        if len(product) < len(changes):
            yield self.candidate(fixer, changes, title, explanation, with_tests=True)

    def candidate(
        self, fixer: Fixer, changes: Mapping[str, bytes], title: str, explanation: str, *, with_tests: bool = False
    ) -> Candidate | None:
        """A candidate that turns the files into `changes`. None where it would edit a test that must stay (all may be
        edited `with_tests`; the verifier then asks why), where a result doesn't parse, where text is not UTF-8, or
        where nothing changes."""
        edits: list[Edit] = []
        for path, new in sorted(changes.items()):
            if not (with_tests or self.may_edit(path)) or (path.endswith((".py", ".pyi")) and parse(new) is None):
                return None
            try:
                edits += edits_between(path, self.repo.view.read(path), new)
            except EditError:
                return None
        if not edits:
            return None
        return Candidate(
            source=f"fixer:{fixer.name}",
            phase="free",
            title=title,
            explanation=explanation,
            confidence=fixer.certainty,
            error_ids=self.cause.error_ids,
            edits=tuple(edits),
        )


def limited(candidates: Iterator[Candidate | None]) -> Iterator[Candidate]:
    """At most five different candidates."""
    seen = set()
    for candidate in candidates:
        if candidate is not None and candidate.edits not in seen:
            seen.add(candidate.edits)
            yield candidate
        if len(seen) >= LIMIT:
            return


def rewrite(data: bytes, nodes: list[ast.AST], old: str, new: str) -> bytes:
    """`data` with `old` replaced by `new` in each of `nodes`: names, attributes, imported names, keywords,
    definitions, strings of `__all__`."""
    lines = data.splitlines(keepends=True)
    spans = {span for node in nodes if (span := _span(lines, node, old.encode()))}
    for line, column in sorted(spans, reverse=True):
        text = lines[line]
        lines[line] = text[:column] + new.encode() + text[column + len(old.encode()) :]
    return b"".join(lines)


def _span(lines: list[bytes], node: ast.AST, old: bytes) -> tuple[int, int] | None:
    """(line, column), 0-based, of `old` in the node; None where the text is not there, as with line continuations."""
    if isinstance(node, ast.Attribute):
        line, column = (node.end_lineno or 0) - 1, (node.end_col_offset or 0) - len(old)
    else:
        line, column = getattr(node, "lineno", 0) - 1, getattr(node, "col_offset", 0)
        if isinstance(node, ast.Constant):
            column += 1  # its quote
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and 0 <= line < len(lines):
            column = lines[line].find(old, column + 3)
    if not 0 <= line < len(lines):
        return None
    if line == 0 and lines[0].startswith(b"\xef\xbb\xbf"):
        column += 3  # the parser doesn't count the byte order mark
    return (line, column) if column >= 0 and lines[line][column : column + len(old)] == old else None
