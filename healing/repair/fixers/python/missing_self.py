"""A missing `self`: as a method's first parameter, or before an attribute of the class."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from healing.graph.names import attributes_of
from healing.model import Candidate, CIError, RootCause
from healing.repair.fixers.fixer import Case, Repo, limited

ONE_TOO_MANY = re.compile(
    r"(?P<owner>\w{1,100})\.(?P<name>\w{1,100})\(\) takes (?P<takes>\d+) .{0,60}but (?P<given>\d+) "
)
Method = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class MissingSelf:
    """Only inside a class, and never for static methods."""

    name: str = "missing_self"
    certainty: int = 86

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        yield from limited(self._candidates(Case.of(cause, errors, repo)))

    def _candidates(self, case: Case) -> Iterator[Candidate | None]:
        for file, method in _without(case):
            new = _with_parameter(case.repo.view.read(file) or b"", method)
            why = f"`{method.name}` in {file} is called as a method, but has no `self`."
            yield case.candidate(self, {file: new}, f"Give `{method.name}` its `self`", why) if new else None
        if case.family == "undefined-name":
            for file, names in _bare(case):
                new = _with_prefix(case.repo.view.read(file) or b"", names)
                why = f"`{case.name}` is not a variable there, but an attribute of the class in {file}."
                yield case.candidate(self, {file: new}, f"Write `self.{case.name}`", why)


def _without(case: Case) -> Iterator[tuple[str, Method]]:
    """Methods that, by the messages or an undefined `self`, lack the parameter."""
    for error in case.errors:
        counts = ONE_TOO_MANY.search(error.message[:4000])
        if counts and int(counts["given"]) == int(counts["takes"]) + 1:
            for file, owner in case.repo.index.classes(counts["owner"]):
                yield from ((file, m) for m in _methods(owner) if m.name == counts["name"] and not _takes_self(m))
    if case.family == "undefined-name" and case.name == "self":
        for file, method, _ in _methods_on_stack(case):
            if not _takes_self(method):
                yield file, method


def _bare(case: Case) -> Iterator[tuple[str, list[ast.Name]]]:
    """The names in a method that are attributes of its class used without `self`."""
    for file, method, owner in _methods_on_stack(case):
        if _takes_self(method) and case.name in attributes_of(owner):
            yield file, [n for n in ast.walk(method) if isinstance(n, ast.Name) and n.id == case.name]


def _methods_on_stack(case: Case) -> Iterator[tuple[str, Method, ast.ClassDef]]:
    for file, line in case.frames:
        tree = case.repo.index.tree(file)
        for owner in ast.walk(tree) if tree else ():
            if isinstance(owner, ast.ClassDef):
                for method in _methods(owner):
                    if method.lineno <= line <= (method.end_lineno or method.lineno):
                        yield file, method, owner


def _methods(owner: ast.ClassDef) -> list[Method]:
    static = {"staticmethod", "classmethod"}
    methods = [node for node in owner.body if isinstance(node, Method)]
    return [m for m in methods if not any(isinstance(d, ast.Name) and d.id in static for d in m.decorator_list)]


def _takes_self(method: Method) -> bool:
    first = [*method.args.posonlyargs, *method.args.args][:1]
    return bool(method.args.vararg) or [arg.arg for arg in first] == ["self"]


def _with_parameter(data: bytes, method: Method) -> bytes | None:
    lines = data.splitlines(keepends=True)
    line = lines[method.lineno - 1]
    match = re.search(rb"\b" + method.name.encode() + rb"\s*\(", line)
    if match is None:
        return None
    args = method.args
    more = b", " if (args.posonlyargs or args.args or args.kwonlyargs or args.kwarg) else b""
    lines[method.lineno - 1] = line[: match.end()] + b"self" + more + line[match.end() :]
    return b"".join(lines)


def _with_prefix(data: bytes, names: list[ast.Name]) -> bytes:
    lines = data.splitlines(keepends=True)
    for row, column in sorted({(n.lineno - 1, n.col_offset) for n in names}, reverse=True):
        lines[row] = lines[row][:column] + b"self." + lines[row][column:]
    return b"".join(lines)
