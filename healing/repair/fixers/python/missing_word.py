"""A missing `return` or `await`: where a function called on the failing lines produced None or a coroutine."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from healing.model import Candidate, CIError, RootCause
from healing.repair.fixers.fixer import Case, Repo, limited

GAVE_NONE = re.compile(r"\bNone(?:Type)?\b")
GAVE_COROUTINE = re.compile(r"\bcoroutine\b")
MAX_FRAMES = 4
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class MissingReturn:
    """For functions that end with a value and return nothing."""

    name: str = "missing_return"
    certainty: int = 70

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        if _mentions(case, GAVE_NONE):
            yield from limited(self._candidates(case))

    def _candidates(self, case: Case) -> Iterator[Candidate | None]:
        for file, function in _called(case):
            last = function.body[-1]
            if isinstance(last, ast.Expr) and _is_value(last.value) and not _gives_back(function):
                new = _put(case.repo.view.read(file) or b"", last.lineno, last.col_offset, b"return ")
                why = f"`{function.name}` in {file} ends with a value that it doesn't return."
                yield case.candidate(self, {file: new}, f"Return what `{function.name}` makes", why)


@dataclass(frozen=True)
class MissingAwait:
    """For calls of the repo's own coroutines in async functions."""

    name: str = "missing_await"
    certainty: int = 84

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        if _mentions(case, GAVE_COROUTINE):
            yield from limited(self._candidates(case))

    def _candidates(self, case: Case) -> Iterator[Candidate | None]:
        coroutines = {f.name for _, f in _called(case) if isinstance(f, ast.AsyncFunctionDef)}
        for file in dict.fromkeys(file for file, _ in case.frames):
            tree = case.repo.index.tree(file)
            for call, name in _not_awaited(tree, coroutines) if tree else ():
                data = case.repo.view.read(file) or b""
                why = f"`{name}` is a coroutine: it doesn't run until it is awaited."
                yield case.candidate(self, {file: _awaited(data, call)}, f"Wait for `{name}`", why)


def _mentions(case: Case, pattern: re.Pattern[str]) -> bool:
    return any(pattern.search(f"{e.message} {e.actual or ''}"[:4000]) for e in case.errors)


def _called(case: Case) -> Iterator[tuple[str, Function]]:
    """The repo's functions that are called in the functions around the stack's lines."""
    seen: set[str] = set()
    for file, line in case.frames[:MAX_FRAMES]:
        tree = case.repo.index.tree(file)
        for name in sorted(_names_at(tree, line) - seen) if tree else ():
            seen.add(name)
            for path in case.repo.index.files_with(name):
                for node in ast.walk(case.repo.index.tree(path) or ast.Module([], [])):
                    if isinstance(node, Function) and node.name == name and case.may_edit(path):
                        yield path, node


def _names_at(tree: ast.Module, line: int) -> set[str]:
    """The names called in the function around a line: the missing value may have been obtained earlier in it."""
    around = [n for n in ast.walk(tree) if isinstance(n, Function) and n.lineno <= line <= (n.end_lineno or n.lineno)]
    place: ast.AST = max(around, key=lambda node: node.lineno) if around else tree
    calls = [n.func for n in ast.walk(place) if isinstance(n, ast.Call)]
    return {f.id if isinstance(f, ast.Name) else f.attr for f in calls if isinstance(f, ast.Name | ast.Attribute)}


def _is_value(value: ast.expr) -> bool:
    return not isinstance(value, ast.Constant | ast.Yield | ast.YieldFrom | ast.Await)


def _gives_back(function: Function) -> bool:
    return any(isinstance(n, ast.Return | ast.Yield | ast.YieldFrom) for n in ast.walk(function))


def _not_awaited(tree: ast.Module, coroutines: set[str]) -> Iterator[tuple[ast.Call, str]]:
    for function in ast.walk(tree):
        if isinstance(function, ast.AsyncFunctionDef):
            waited = {id(n.value) for n in ast.walk(function) if isinstance(n, ast.Await)}
            for node in ast.walk(function):
                if isinstance(node, ast.Call) and id(node) not in waited:
                    name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
                    if name in coroutines:
                        yield node, name


def _awaited(data: bytes, call: ast.Call) -> bytes:
    """The file with `await` before the call, in brackets where its result is used directly."""
    lines = data.splitlines(keepends=True)
    end = (call.end_lineno or call.lineno) - 1
    after = lines[end][call.end_col_offset or 0 :].lstrip()
    if not after.startswith((b".", b"[", b"(")):
        return _put(data, call.lineno, call.col_offset, b"await ")
    closed = _put(data, end + 1, call.end_col_offset or 0, b")")
    return _put(closed, call.lineno, call.col_offset, b"(await ")


def _put(data: bytes, line: int, column: int, text: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    lines[line - 1] = lines[line - 1][:column] + text + lines[line - 1][column:]
    return b"".join(lines)
