"""Restores an import that this change removed from a module, though other files import the name from there."""

import ast
import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from difflib import SequenceMatcher

from healing.graph.names import imports_of
from healing.graph.python.syntax import parse
from healing.model import Candidate, CIError, RootCause
from healing.repair.fixers.fixer import Case, Repo, limited
from healing.repair.fixers.python.import_block import ImportStyle, insert_import

TOKEN = re.compile(rb"\w+")
MAX_LINES = 5_000
Import = ast.Import | ast.ImportFrom


@dataclass(frozen=True)
class LostReexport:
    """Only where the imported name still exists, and no other file was changed to import it from elsewhere."""

    name: str = "lost_reexport"
    certainty: int = 88

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        if repo.before is not None and case.family in ("missing-member", "missing-attribute") and case.name:
            yield from limited(self._candidates(case))

    def _candidates(self, case: Case) -> Iterator[Candidate | None]:
        before = case.repo.index_before
        for owner in case.owners:
            file = case.repo.index.modules.find(owner)
            was, now = (index.tree(file) if index and file else None for index in (before, case.repo.index))
            if not file or before is None or was is None or now is None or _imports_elsewhere_now(case, owner):
                continue
            names = _lost(case, owner, was, now)
            if case.name in names:
                new = restored(before.view.read(file) or b"", case.repo.view.read(file) or b"", was, names)
                new = new or _inserted(case, file, was, names)
                listed = ", ".join(f"`{name}`" for name in sorted(names))
                why = f"This pull request took {listed} out of {file}, and others still import it from there."
                yield case.candidate(self, {file: new} if new else {}, f"Import {listed} in {file} again", why)


def _bound(tree: ast.Module) -> dict[str, Import]:
    """The names that imports of a module bind, with their statements."""
    return {alias.asname or alias.name: node for node in imports_of(tree) for alias in node.names}


def _lost(case: Case, owner: str, was: ast.Module, now: ast.Module) -> frozenset[str]:
    """The name, and others that were removed with it and that some file imports from there, if they still exist where
    they were imported from."""
    left = {*_bound(now), *case.repo.index.top_level(case.repo.index.modules.find(owner) or "")}
    gone = {name: node for name, node in _bound(was).items() if name not in left}
    file = case.repo.index.modules.find(owner) or ""
    wanted = (name for name in gone if name == case.name or _is_imported(case, owner, name))
    return frozenset(name for name in wanted if _still_there(case, file, gone[name], name))


def _is_imported(case: Case, owner: str, name: str) -> bool:
    return any(_imports_name(case, path, owner, name) for path in case.repo.index.files_with(name))


def _imports_name(case: Case, path: str, owner: str, name: str, before: bool = False) -> bool:
    """Whether a file imports the name from that module."""
    index = case.repo.index_before if before else case.repo.index
    nodes = imports_of(index.tree(path)) if index else []
    return any(
        isinstance(node, ast.ImportFrom)
        and any(alias.name == name for alias in node.names)
        and case.repo.index.modules.absolute(path, node.level, node.module or "") == owner
        for node in nodes
    )


def _still_there(case: Case, file: str, node: Import, name: str) -> bool:
    modules = case.repo.index.modules
    if isinstance(node, ast.Import):
        return True
    source = modules.absolute(file, node.level, node.module or "") or ""
    real = next((alias.name for alias in node.names if (alias.asname or alias.name) == name), name)
    path = modules.find(source)
    if path is None:
        return node.level == 0 and not modules.holds(source.partition(".")[0])  # a module of another distribution
    tree = case.repo.index.tree(path)
    return tree is not None and (real in case.repo.index.top_level(path) or real in _bound(tree))


def _imports_elsewhere_now(case: Case, owner: str) -> bool:
    """Whether a file was changed to import the name from elsewhere: then the other files have to follow."""
    return any(
        _imports_name(case, path, owner, case.name, before=True) and not _imports_name(case, path, owner, case.name)
        for path in case.repo.changed
        if path.endswith((".py", ".pyi"))
    )


def restored(was: bytes, now: bytes, tree: ast.Module, names: AbstractSet[str]) -> bytes | None:
    """The file with those lines of imports and of `__all__` restored that lost one of the names; None where they
    changed in other ways too."""
    old, new = was.splitlines(keepends=True), now.splitlines(keepends=True)
    if max(len(old), len(new)) > MAX_LINES:
        return None
    wanted = {name.encode() for name in names}
    lists = {row for node in tree.body if _lists(node) for row in range(node.lineno - 1, node.end_lineno or 0)}
    lines: list[bytes] = []
    for kind, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        had = {token for line in old[i1:i2] for token in TOKEN.findall(line)}
        has = {token for line in new[j1:j2] for token in TOKEN.findall(line)}
        restore = kind in ("delete", "replace") and wanted & had and lists.issuperset(range(i1, i2)) and has <= had
        lines += old[i1:i2] if restore else new[j1:j2]
    result = b"".join(lines)
    parsed = parse(result)
    return result if parsed is not None and names <= _bound(parsed).keys() else None


def _lists(node: ast.stmt) -> bool:
    if isinstance(node, Import):
        return True
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets)


def _inserted(case: Case, file: str, was: ast.Module, names: frozenset[str]) -> bytes | None:
    """The file with an import of each name at its conventional place."""
    data = case.repo.view.read(file)
    style = ImportStyle.of(case.repo.view, data or b"")
    for name in sorted(names):
        node = _bound(was)[name]
        aliases = [alias for alias in node.names if (alias.asname or alias.name) == name]
        statement: Import = ast.Import(aliases)
        if isinstance(node, ast.ImportFrom):
            statement = ast.ImportFrom(node.module, aliases, node.level)
        data = insert_import(data, statement, case.repo.index.modules, style) if data is not None else None
    return data
