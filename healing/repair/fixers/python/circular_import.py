"""An import that this pull request added at the top of a module, and that closes a circle of imports."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from healing.graph import is_test
from healing.graph.python.syntax import parse
from healing.model import Candidate, CIError, RootCause
from healing.repair.fixers.fixer import Case, Repo, limited
from healing.repair.fixers.python.type_only import type_only_import

CIRCLE = re.compile(r"partially initialized module|most likely due to a circular import")
MAX_FILES, MESSAGE = 100, 1_000
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
Import = ast.Import | ast.ImportFrom


@dataclass(frozen=True)
class CircularImport:
    """It becomes one for type checkers where only annotations need it, or moves into the functions that use it, where
    nothing outside of functions does; the first module that a traceback shows comes first. Nothing is imported later
    than before without being used later, too."""

    name: str = "circular_import"
    certainty: int = 70

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        if repo.before is not None and any(CIRCLE.search(e.message[:MESSAGE]) for e in case.errors):
            yield from limited(self._candidates(case))

    def _candidates(self, case: Case) -> Iterator[Candidate | None]:
        before = case.repo.before
        frames = {file for file, _ in case.frames}
        for file in sorted(_changed(case.repo), key=lambda path: path not in frames):
            data, old = case.repo.view.read(file) or b"", (before.read(file) if before else None) or b""
            known = {ast.unparse(node) for node in _imports(old)}
            for node in _imports(data):
                if ast.unparse(node) in known or not _is_own(case.repo, node):
                    continue
                if new := type_only_import(data, node):
                    why = f"At the top of {file} it closes a circle, and only annotations need it."
                    yield case.candidate(self, {file: new}, f"Import for type checkers: `{_shown(node)}`", why)
                if new := _moved_in(data, node):
                    why = f"At the top of {file} it closes a circle: it is needed only where these functions run."
                    yield case.candidate(self, {file: new}, f"Import within the functions: `{_shown(node)}`", why)


def _changed(repo: Repo) -> list[str]:
    """The product's Python files that the pull request changed or added."""
    before = repo.before
    paths = (path for path in repo.view.paths() if path.endswith(".py") and not is_test(path))
    return [path for path in paths if before and before.blob(path) != repo.view.blob(path)][:MAX_FILES]


def _imports(data: bytes) -> list[Import]:
    """The imports at the top level of a module, without those of the future and of everything."""
    tree = parse(data)
    found = [n for n in (tree.body if tree else []) if isinstance(n, Import)]
    return [
        n for n in found if getattr(n, "module", "") != "__future__" and all(alias.name != "*" for alias in n.names)
    ]


def _is_own(repo: Repo, node: Import) -> bool:
    """Whether an import is of a module of the repository: no other closes a circle with it."""
    if isinstance(node, ast.ImportFrom) and node.level:
        return True
    names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
    tops = {name.partition(".")[0] for name in names}
    return any(part in tops for path in repo.view.paths() for part in path.removesuffix(".py").split("/"))


def _moved_in(data: bytes, node: Import) -> bytes | None:
    """The file with an import within the outermost functions that use its names; None where it can't be there."""
    tree, rows = parse(data), data.splitlines(keepends=True)
    names = {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
    functions = list(_outermost(tree)) if tree else []
    users = [f for f in functions if _uses(f.body, names)]
    inside = {id(n) for f in functions for statement in f.body for n in ast.walk(statement)}
    outside = any(_is_use(n, names) for n in ast.walk(tree or ast.Module([], [])) if id(n) not in inside)
    if not users or outside or any(f.body[0].lineno == f.lineno for f in users):
        return None
    lines = [ast.unparse(node)] if isinstance(node, ast.Import) or len(ast.unparse(node)) < 80 else _spread(node)
    for function in sorted(users, key=lambda f: -f.lineno):
        first = function.body[0]
        is_doc = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and len(function.body) > 1
        at = (first.end_lineno or first.lineno) if is_doc else first.lineno - 1
        indent = " " * first.col_offset
        gap = [b"\n"] if is_doc else []
        rows[at:at] = [*gap, *(f"{indent}{line}\n".encode() for line in lines), b"\n"]
    del rows[node.lineno - 1 : node.end_lineno or node.lineno]
    text = b"".join(rows)
    return text if b"".join(rows[: node.lineno - 1]).strip() else text.lstrip(b"\r\n")


def _spread(node: Import) -> list[str]:
    """A long import with a name on each line."""
    head, _, names = ast.unparse(node).partition(" import ")
    return [f"{head} import (", *(f"    {name}," for name in names.split(", ")), ")"]


def _outermost(node: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, FUNCTIONS):
            yield child
        else:
            yield from _outermost(child)


def _uses(body: list[ast.stmt], names: set[str]) -> bool:
    return any(_is_use(node, names) for statement in body for node in ast.walk(statement))


def _is_use(node: ast.AST, names: set[str]) -> bool:
    """Whether a node is one of the names, or a string that may be an annotation or an entry of `__all__` with it."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and bool(names & set(re.findall(r"\w+", node.value[:100])))
    return isinstance(node, ast.Name) and node.id in names


def _shown(node: Import) -> str:
    return ast.unparse(node)[:60]
