"""Updates imports of a definition, or a whole module, that was moved elsewhere."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from healing.graph import is_test
from healing.graph.python.syntax import parse
from healing.model import Candidate, CIError, RootCause
from healing.repair.fixers.fixer import Case, Repo, limited
from healing.repair.fixers.python.import_block import WIDTH, insert_import
from healing.repair.fixers.python.missing_import import as_the_file_does


@dataclass(frozen=True)
class MovedSymbol:
    """Only where exactly one place has it now and, if the pull request's base is known, it was at the old place
    there."""

    name: str = "moved_symbol"
    certainty: int = 91

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        if case.family == "missing-member" and case.name and case.owners:
            home = _home_of_name(case)
            yield from limited(self._follow(case, case.owners[0], _moved_with(case, home), home))
        elif case.family == "no-module" and case.name:
            yield from limited(self._follow(case, case.name, frozenset(), _home_of_module(case)))

    def _follow(self, case: Case, old: str, names: frozenset[str], new: str) -> Iterator[Candidate | None]:
        """Changes all imports of something from `old`, or only of these names, to the module `new`."""
        index = case.repo.index
        changes: dict[str, bytes] = {}
        imported = names or {old.rpartition(".")[2]}
        for file in sorted({file for name in imported for file in index.files_with(name)}) if new else ():
            changed = _imports_from(case, file, old, names, new)
            if changed is not None:
                changes[file] = changed
        if changes:
            what = case.name if names else old
            why = f"`{what}` was moved to `{new}`, and {len(changes)} of its users still import it from `{old}`."
            yield from case.followed(self, changes, f"Import `{what}` from where it is now", why)


def _home_of_name(case: Case) -> str:
    """The one module that defines the name now; empty where none or several do, or where the old module never defined
    it."""
    index, before, owner = case.repo.index, case.repo.index_before, case.owners[0]
    homes = {index.modules.name_of(path) for path in index.defining(case.name)} - {owner}
    if before is not None:
        was = before.modules.find(owner)
        if was is None or case.name not in before.top_level(was):
            return ""
    return homes.pop() if len(homes) == 1 and not case.name.startswith("__") else ""


def _moved_with(case: Case, home: str) -> frozenset[str]:
    """The name, with all others that moved there with it: one import may have several of them."""
    index, before, owner = case.repo.index, case.repo.index_before, case.owners[0]
    was = before.modules.find(owner) if before is not None else None
    now, there = index.modules.find(owner), index.modules.find(home) if home else None
    if before is None or was is None or there is None:
        return frozenset({case.name})
    left = index.top_level(now) if now else frozenset()
    return frozenset({case.name, *(before.top_level(was) - left) & index.top_level(there)})


def _home_of_module(case: Case) -> str:
    """The one new module with the bytes of the missing one or, if there is none, with all names that it defined."""
    before, after = case.repo.index_before, case.repo.view
    was = before.modules.find(case.name) if before is not None else None
    if before is None or was is None or after.mode(was):
        return ""
    blob, modules = before.view.blob(was), case.repo.index.modules
    fresh = [path for path in modules.paths if not before.view.mode(path)]
    names = before.top_level(was)
    homes = [path for path in fresh if after.blob(path) == blob]
    homes = homes or [path for path in fresh if names and names <= case.repo.index.top_level(path)]
    return modules.name_of(homes[0]) if len(homes) == 1 and not is_test(homes[0]) else ""


def _imports_from(case: Case, file: str, old: str, names: frozenset[str], new: str) -> bytes | None:
    """The file with its imports from `old` changed to `new`; None where it has none."""
    tree, modules = case.repo.index.tree(file), case.repo.index.modules
    data = case.repo.view.read(file) or b""
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)] if tree else []
    changed = None
    for node in sorted(nodes, key=lambda node: -node.lineno):
        moved = [alias for alias in node.names if not names or alias.name in names]
        if not moved or modules.absolute(file, node.level, node.module or "") != old:
            continue
        new_import = as_the_file_does(case, file, ast.ImportFrom(module=new, names=moved, level=0))
        changed = _replaced(changed or data, node, moved, new_import)
        if changed is not None and node.col_offset == 0 and len(moved) < len(node.names):
            for alias in moved:
                single_import = as_the_file_does(case, file, ast.ImportFrom(module=new, names=[alias], level=0))
                changed = insert_import(changed, single_import, modules) if changed is not None else None
    return changed


def _replaced(data: bytes, node: ast.ImportFrom, mine: list[ast.alias], there: ast.stmt) -> bytes | None:
    """The statement without `mine`. The new import takes its place where nothing else is left in it, or where it is
    inside a function."""
    lines = data.splitlines(keepends=True)
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    left = [alias for alias in node.names if alias not in mine]
    indent, rest = lines[first][: node.col_offset], lines[last][node.end_col_offset or 0 :]
    if rest.strip().startswith(b";") or indent.strip():
        return None
    texts = [ast.unparse(there)] if not left or node.col_offset else []
    if left:
        texts.insert(0, _written(ast.ImportFrom(module=node.module, names=left, level=node.level)))
    lines[first : last + 1] = [b"\n".join(indent + text.encode() for text in texts) + rest]
    result = b"".join(lines)
    return result if parse(result) is not None else None


def _written(node: ast.ImportFrom) -> str:
    """The import on one line where it fits, otherwise in Black's format."""
    text = ast.unparse(node)
    if len(text) <= WIDTH:
        return text
    names = "".join(f"    {ast.unparse(alias)},\n" for alias in node.names)
    return f"{text.partition(' import ')[0]} import (\n{names})"
