"""Names that are used but not imported: the import is restored, or found in the repo or in the standard library."""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from healing.graph.names import bound_names, imports_of
from healing.graph.python import definitions
from healing.graph.python.syntax import parse
from healing.model import Candidate, CIError, RootCause
from healing.repair.fixers.any_language.lost_import import restored as lines_restored
from healing.repair.fixers.fixer import Case, Repo, limited
from healing.repair.fixers.python.import_block import Import, ImportStyle, insert_import
from healing.repair.fixers.python.lost_reexport import restored as statements_restored
from healing.repair.fixers.python.stdlib_names import stdlib_imports

COMMENTED = re.compile(rb"^([ \t]*)#[ \t]?((?:from[ \t]+[\w.]+[ \t]+)?import[ \t]+[^#\n\r]+)", re.MULTILINE)


@dataclass(frozen=True)
class MissingImport:
    """Tries, in order: an import commented out in the file, the one that the pull request removed, the one that other
    files use, the repo's own definition, the standard library."""

    name: str = "missing_import"
    certainty: int = 90

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        if case.family != "undefined-name" or "." in case.name:
            return
        files = _lacking(case)
        yield from limited(self._candidates(case, files)) if files else ()

    def _candidates(self, case: Case, files: list[str]) -> Iterator[Candidate | None]:
        restored = {file: new for file in files if (new := _uncommented(case, file))}
        if len(restored) == len(files):
            why = f"`{case.name}` is used in {_listed(files)}, but its import is commented out. This restores it."
            yield case.candidate(self, restored, f"Restore the import of `{case.name}`", why)
        removed = {file: node for file in files if (node := _removed(case, file))}
        if len(removed) == len(files):
            changes = {f: new for f, node in removed.items() if (new := _restored(case, f, node))}
            why = f"`{case.name}` is still used in {_listed(files)}, but its import was removed. This restores it."
            yield case.candidate(self, changes, f"Restore the import of `{case.name}`", why)
        for node, reason in _options(case, files):
            changes = {f: new for f in files if (new := _inserted(case, f, as_the_file_does(case, f, node)))}
            why = f"`{case.name}` is used in {_listed(files)} without an import; {reason}."
            yield case.candidate(self, changes, f"Import `{case.name}`", why)


def _lacking(case: Case) -> list[str]:
    """The files where the name is missing: where it crashed, otherwise (a log may name only the test) further up the
    stack, otherwise the first such file among those that these import."""
    index = case.repo.index
    near = list(dict.fromkeys([*case.crashed, *(file for file, _ in case.frames)]))
    for files in (case.crashed, near):
        lacking = [file for file in files if _lacks(index.tree(file), case.name)]
        if lacking:
            return lacking
    reached, todo = set(near), near
    while todo and len(reached) < 2000:
        todo = sorted({target for file in todo for target in case.repo.graph.imports(file)} - reached)
        reached.update(todo)
        lacking = [file for file in todo if _lacks(index.tree(file), case.name)]
        if lacking:
            return lacking[:1]
    return []


def _lacks(tree: ast.Module | None, name: str) -> bool:
    """Whether the file uses the bare name without binding it at its top level."""
    if tree is None or any(_binds(node, name) for node in imports_of(tree)):
        return False
    if name in definitions(tree):
        return False
    return any(_uses_unbound(node, name) for node in tree.body)


def _uses_unbound(node: ast.stmt, name: str) -> bool:
    """Whether the bare name is used in a top-level statement, and not as a variable of the function around it."""
    if isinstance(node, ast.ClassDef):
        return any(_uses_unbound(inner, name) for inner in node.body) or _names(
            [*node.decorator_list, *node.bases, *node.keywords], name
        )
    return _names([node], name) and name not in bound_names(ast.Module(body=[node], type_ignores=[]))


def _names(nodes: Iterable[ast.AST], name: str) -> bool:
    return any(isinstance(inner, ast.Name) and inner.id == name for node in nodes for inner in ast.walk(node))


def _binds(node: Import, name: str) -> bool:
    return any((alias.asname or alias.name).partition(".")[0] == name for alias in node.names)


def _loads(node: Import, name: str, path: str) -> bool:
    """Whether the import binds `name`; in a package's `__init__.py`, `from .name import …` does so as a side effect."""
    if _binds(node, name):
        return True
    package = path.endswith("/__init__.py") and isinstance(node, ast.ImportFrom) and node.level == 1
    return package and (getattr(node, "module", None) or "").partition(".")[0] == name


def _uncommented(case: Case, file: str) -> bytes | None:
    data = case.repo.view.read(file) or b""
    for match in COMMENTED.finditer(data):
        tree = parse(match.group(2).strip())
        if any(_loads(node, case.name, file) for node in imports_of(tree)):
            return data[: match.start()] + match.group(1) + data[match.start(2) :]
    return None


def _removed(case: Case, file: str) -> Import | None:
    """The import that bound this name in the file before the pull request, reduced to that name where possible."""
    if case.repo.index_before is None:
        return None
    for node in imports_of(case.repo.index_before.tree(file)):
        if _binds(node, case.name):
            return _only(node, case.name)
        if _loads(node, case.name, file):
            return node
    return None


def _restored(case: Case, file: str, node: Import) -> bytes | None:
    """The file with the import in the place and in the words that it had; at its conventional place where the change
    wrote something else there, or where names would come back that nothing uses any more."""
    before = case.repo.index_before.tree(file) if case.repo.index_before else None
    was, now = ((view.read(file) if view else None) or b"" for view in (case.repo.before, case.repo.view))
    after = case.repo.index.tree(file)
    if before is None or after is None:
        return None
    for new in (lines_restored(was, now, case.name.encode()), statements_restored(was, now, before, {case.name})):
        tree = parse(new) if new is not None else None
        fresh = _bound(imports_of(tree)) - _bound(imports_of(after)) - _bound([node])
        is_back = any(_loads(statement, case.name, file) for statement in imports_of(tree))
        if is_back and all(_names([after], name) for name in fresh):
            return new
    return _inserted(case, file, node)


def _bound(nodes: list[Import]) -> set[str]:
    return {(alias.asname or alias.name).partition(".")[0] for node in nodes for alias in node.names}


def _only(node: Import, name: str) -> Import:
    names = [alias for alias in node.names if (alias.asname or alias.name).partition(".")[0] == name]
    if isinstance(node, ast.Import):
        return ast.Import(names=names)
    return ast.ImportFrom(module=node.module, names=names, level=node.level)


def _inserted(case: Case, file: str, node: Import) -> bytes | None:
    data = case.repo.view.read(file) or b""
    return insert_import(data, node, case.repo.index.modules, ImportStyle.of(case.repo.view, data))


def _options(case: Case, files: list[str]) -> Iterator[tuple[Import, str]]:
    index = case.repo.index
    for node in index.importing(case.name)[:2]:
        yield node, f"the repo's other files have `{ast.unparse(node)}`"
    for path in index.defining(case.name)[:2]:
        module = index.modules.name_of(path)
        if path not in files and module and not case.name.startswith("_"):
            yield ast.ImportFrom(module=module, names=[ast.alias(name=case.name)], level=0), f"{path} defines it"
    tree = index.tree(files[0])
    for node in stdlib_imports(case.name, tree) if tree else ():
        yield node, "the standard library has it"


def as_the_file_does(case: Case, file: str, node: Import) -> Import:
    """The import made relative where the file imports from that package relatively."""
    relative = any(isinstance(n, ast.ImportFrom) and n.level for n in imports_of(case.repo.index.tree(file)))
    return made_relative(case, file, node) if relative and isinstance(node, ast.ImportFrom) else node


def made_relative(case: Case, file: str, node: ast.ImportFrom) -> ast.ImportFrom:
    """The absolute import made relative where it is from the file's own package."""
    package = case.repo.index.modules.package_of(file)
    parts, own = (node.module or "").split("."), package.split(".")
    if not package or parts[0] != own[0]:
        return node
    shared = sum(1 for _ in _common(parts, own))
    return ast.ImportFrom(module=".".join(parts[shared:]) or None, names=node.names, level=len(own) - shared + 1)


def _common(left: list[str], right: list[str]) -> Iterator[str]:
    for one, other in zip(left, right, strict=False):
        if one != other:
            return
        yield one


def _listed(files: list[str]) -> str:
    more = f" and {len(files) - 2} more" if len(files) > 2 else ""
    return ", ".join(files[:2]) + more
