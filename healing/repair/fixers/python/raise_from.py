"""An exception raised while another one is handled, without saying that it comes from that one (flake8's and Ruff's
B904, Pylint's W0707)."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from healing.graph.python.syntax import parse
from healing.model import Candidate, CIError, RootCause
from healing.repair.fixers.fixer import Case, Repo, limited

CODES = ("B904", "W0707")
NAME = "error"  # of an exception that has none yet


@dataclass(frozen=True)
class RaiseFrom:
    """`from` the exception that is handled, which gets a name where it has none: only its traceback says more."""

    name: str = "raise_from"
    certainty: int = 85

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        if case.errors and all(e.file and e.line and e.code in CODES for e in case.errors):
            yield from limited(self._candidates(case))

    def _candidates(self, case: Case) -> Iterator[Candidate | None]:
        changes: dict[str, bytes] = {}
        for file in sorted({error.file or "" for error in case.errors}):
            data = case.repo.view.read(file) or b""
            changes[file] = _chained(data, {e.line or 0 for e in case.errors if e.file == file})
        yield case.candidate(self, changes, "Say which exception is the cause", "With `from`, both are shown.")


def _chained(data: bytes, lines: set[int]) -> bytes:
    """The file with `from` behind the `raise` statements that begin at these lines."""
    rows = data.splitlines(keepends=True)
    places: dict[tuple[int, int], bytes] = {}  # (0-based row, byte column) → what is put there
    for handler in (n for n in ast.walk(parse(data) or ast.Module([], [])) if isinstance(n, ast.ExceptHandler)):
        own = (n for n in _within(handler) if isinstance(n, ast.Raise) and n.exc and not n.cause)
        raises = [node for node in own if node.lineno in lines]
        taken = {n.id for n in ast.walk(handler) if isinstance(n, ast.Name)}
        if not raises or handler.type is None or (handler.name is None and NAME in taken):
            continue
        for node in raises:
            places[(node.end_lineno or 0) - 1, node.end_col_offset or 0] = b" from %b" % (handler.name or NAME).encode()
        if handler.name is None:
            places[(handler.type.end_lineno or 0) - 1, handler.type.end_col_offset or 0] = b" as %b" % NAME.encode()
    for (row, column), text in sorted(places.items(), reverse=True):
        rows[row] = _inserted(rows[row], column, text)
    return b"".join(rows)


def _within(node: ast.AST) -> Iterator[ast.AST]:
    """What is inside a handler itself: not in another one there, nor in a function, which runs at another time."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.ExceptHandler | ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield child
            yield from _within(child)


def _inserted(row: bytes, column: int, text: bytes) -> bytes:
    closing = row[column : column + 1] == b")" and text.startswith(b" as")  # `except (KeyError):`
    at = column + closing
    return row[:at] + text + row[at:]
