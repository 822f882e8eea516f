"""An import of a module that is one clear misspelling of a module that exists."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from healing.graph import is_test
from healing.graph.names import closest_name, unbound_names
from healing.model import Candidate, CIError, RootCause
from healing.repair.fixers.fixer import Case, Repo, limited

FROM = re.compile(rb"from[ \t]+[. \t]*")


@dataclass(frozen=True)
class MisspeltModule:
    """A module of the repository by similarity alone; another module only where the file itself shows which is meant:
    it uses that module's name without importing it, or imported it before the pull request."""

    name: str = "misspelt_module"
    certainty: int = 74

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        if case.family == "no-module" and case.name:
            yield from limited(self._candidates(case))

    def _candidates(self, case: Case) -> Iterator[Candidate | None]:
        parent, _, wrong = case.name.rpartition(".")
        for file in dict.fromkeys([*case.crashed, *(file for file, _ in case.frames)]):
            tree = case.repo.index.tree(file) if file.endswith(".py") else None
            asked = list(_imports_of(case, file, tree)) if tree else []
            meant = next(
                (found for pool in _pools(case, file, tree, parent) if (found := closest_name(wrong, pool))), None
            )
            if tree and asked and meant:
                new = _written(case.repo.view.read(file) or b"", asked, wrong, meant)
                why = f"There is no module `{case.name}`; the only close match is `{meant}`."
                yield case.candidate(self, {file: new}, f"Import `{meant}` for `{wrong}`", why)


def _imports_of(case: Case, file: str, tree: ast.Module) -> Iterator[tuple[ast.stmt, int, int]]:
    """The imports of the missing module, or of something inside it: the statement, the index of the name in it (-1:
    what follows `from`), and how many bytes of it precede the misspelt word."""
    parts = case.name.split(".")
    for node in _imports(tree):
        if isinstance(node, ast.ImportFrom):
            whole = case.repo.index.modules.absolute(file, node.level, node.module or "").split(".")
            written = (node.module or "").split(".")
            skipped = len(parts) - 1 - (len(whole) - len(written))
            if whole[: len(parts)] == parts and 0 <= skipped < len(written):
                yield node, -1, len(".".join([*written[:skipped], ""]).encode())
            continue
        for at, alias in enumerate(node.names):
            if alias.name.split(".")[: len(parts)] == parts:
                yield node, at, len(".".join([*parts[:-1], ""]).encode())


def _pools(case: Case, file: str, tree: ast.Module | None, parent: str) -> Iterator[frozenset[str]]:
    """Last words of modules that may have been meant, the most reliable first."""
    if tree is None:
        return
    before = case.repo.index_before
    was = before.tree(file) if before is not None else None
    if was is not None:
        yield _below(parent, _imported(case, file, was) - _imported(case, file, tree))
    if not parent:
        yield unbound_names(tree)
    if not is_test(file):  # a test states the intended name
        yield _below(parent, frozenset(map(case.repo.index.modules.name_of, case.repo.index.modules.paths)))


def _below(parent: str, modules: frozenset[str]) -> frozenset[str]:
    """The word after `parent` in the names of modules inside it."""
    prefix = f"{parent}." if parent else ""
    inside = (name.removeprefix(prefix) for name in modules if name.startswith(prefix))
    return frozenset(name.partition(".")[0] for name in inside) - {""}


def _imported(case: Case, file: str, tree: ast.Module) -> frozenset[str]:
    modules = case.repo.index.modules
    names = set()
    for node in _imports(tree):
        if isinstance(node, ast.ImportFrom):
            names.add(modules.absolute(file, node.level, node.module or ""))
        else:
            names |= {alias.name for alias in node.names}
    return frozenset(names)


def _imports(tree: ast.Module) -> Iterator[ast.Import | ast.ImportFrom]:
    """All imports, also in functions and branches."""
    return (node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))


def _written(data: bytes, asked: list[tuple[ast.stmt, int, int]], wrong: str, meant: str) -> bytes:
    lines = data.splitlines(keepends=True)
    old = wrong.encode()
    for node, at, before in sorted(asked, key=lambda one: (one[0].lineno, one[1]), reverse=True):
        place: ast.stmt | ast.alias = node if at < 0 or not isinstance(node, ast.Import) else node.names[at]
        text, column = lines[place.lineno - 1], place.col_offset
        if at < 0 and (begins := FROM.match(text, column)):
            column = begins.end()
        column += before
        if text[column : column + len(old)] == old:
            lines[place.lineno - 1] = text[:column] + meant.encode() + text[column + len(old) :]
    return b"".join(lines)
