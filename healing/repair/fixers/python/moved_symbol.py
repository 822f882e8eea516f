"""Updates imports of a definition, or a whole module, that was moved elsewhere."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from healing.graph import is_test
from healing.graph.python.syntax import parse
from healing.model import Candidate, CIError, RootCause
from healing.repair.fixers.fixer import Case, Repo, limited
from healing.repair.fixers.python.import_block import ImportStyle, insert_import, sort_again
from healing.repair.fixers.python.missing_import import made_relative
from healing.repair.fixers.python.unused_import import shorten

MODULE = re.compile(rb"(from[ \t]+)[.\w]+(?=[ \t]+import\b)")


@dataclass(frozen=True)
class MovedSymbol:
    """Only where exactly one place has it now and, if the pull request's base is known, it was at the old place
    there."""

    name: str = "moved_symbol"
    certainty: int = 91

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        module = f"{case.owners[0]}.{case.name}" if case.owners else ""
        if case.family == "missing-member" and (home := _home_of_module(case, module)):
            yield from limited(self._follow(case, module, frozenset(), home))
        elif case.family == "missing-member" and case.name and case.owners:
            home = _home_of_name(case)
            yield from limited(self._follow(case, case.owners[0], _moved_with(case, home), home))
        elif case.family == "no-module" and case.name:
            yield from limited(self._follow(case, case.name, frozenset(), _home_of_module(case, case.name)))

    def _follow(self, case: Case, old: str, names: frozenset[str], new: str) -> Iterator[Candidate | None]:
        """Changes all imports of something from `old`, or only of these names, to the module `new`."""
        index = case.repo.index
        changes: dict[str, bytes] = {}
        imported = names or {old.rpartition(".")[2]}
        for file in sorted({file for name in imported for file in index.files_with(name)}) if new else ():
            changed = _imports_from(case, file, old, names, new)
            if not names:
                changed = _of_its_package(case, file, changed or case.repo.view.read(file) or b"", old, new) or changed
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


def _home_of_module(case: Case, name: str) -> str:
    """The one new module with the bytes of the missing one or, if there is none, with all names that it defined."""
    before, after = case.repo.index_before, case.repo.view
    was = before.modules.find(name) if before is not None and name else None
    if before is None or was is None or after.mode(was):
        return ""
    blob, modules = before.view.blob(was), case.repo.index.modules
    fresh = [path for path in modules.paths if not before.view.mode(path)]
    names = before.top_level(was)
    homes = [path for path in fresh if after.blob(path) == blob]
    homes = homes or [path for path in fresh if names and names <= case.repo.index.top_level(path)]
    return modules.name_of(homes[0]) if len(homes) == 1 and not is_test(homes[0]) else ""


def _imports_from(case: Case, file: str, old: str, names: frozenset[str], new: str) -> bytes | None:
    """The file with its imports from `old` changed to `new`; None where it has none, or one that can't be changed."""
    modules, style = case.repo.index.modules, ImportStyle.of(case.repo.view, case.repo.view.read(file) or b"")
    data = changed = case.repo.view.read(file) or b""
    while node := next(_from_there(case, file, changed, old, names), None):
        moved = [alias for alias in node.names if not names or alias.name in names]
        there = ast.ImportFrom(module=new, names=moved, level=0)
        there = made_relative(case, file, there) if node.level else there
        replaced = _replaced(changed, node, there, style)
        if replaced is not None and len(moved) == len(node.names):
            replaced = sort_again(changed, replaced, node, modules)
        elif node.col_offset == 0:
            for alias in moved:
                single_import = ast.ImportFrom(module=there.module, names=[alias], level=there.level)
                replaced = insert_import(replaced, single_import, modules, style) if replaced is not None else None
        if replaced is None or replaced == changed:
            return None
        changed = replaced
    return changed if changed != data else None


def _of_its_package(case: Case, file: str, data: bytes, old: str, new: str) -> bytes | None:
    """The file with `from package import module` for a module of another name now; None where it has no such import on
    a line. What the code calls it stays."""
    package, _, name = old.rpartition(".")
    to, _, come = new.rpartition(".")
    rows, changed = data.splitlines(keepends=True), False
    for node in ast.walk(parse(data) or ast.Module([], [])):
        if not isinstance(node, ast.ImportFrom) or node.lineno != node.end_lineno or not package:
            continue
        here = case.repo.index.modules.absolute(file, node.level, node.module or "") == package
        alias = next((alias for alias in node.names if alias.name == name), None)
        if not here or alias is None or (to != package and len(node.names) > 1):
            continue
        row = node.lineno - 1
        head, keyword, listed = rows[row].partition(b"import ")
        called = b"" if alias.asname or come == name else b" as " + name.encode()
        listed = re.sub(rb"(?<![\w.])%b(?!\w)" % re.escape(name.encode()), come.encode() + called, listed, count=1)
        head = head if to == package else re.sub(rb"from\s+\S+", b"from " + to.encode(), head)
        rows[row], changed = head + keyword + listed, True
    return b"".join(rows) if changed else None


def _from_there(case: Case, file: str, data: bytes, old: str, names: frozenset[str]) -> Iterator[ast.ImportFrom]:
    """The imports from the module `old`, with one of these names if there are any."""
    for node in ast.walk(parse(data) or ast.Module([], [])):
        if isinstance(node, ast.ImportFrom) and (not names or any(alias.name in names for alias in node.names)):
            module = case.repo.index.modules.absolute(file, node.level, node.module or "")
            yield from [node] if module == old else []


def _replaced(data: bytes, node: ast.ImportFrom, there: ast.ImportFrom, style: ImportStyle) -> bytes | None:
    """The statement without the names that are imported from `there`. Where nothing else is in it, only its module
    changes; inside a function the new import stands below it."""
    lines = data.splitlines(keepends=True)
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    left = [alias for alias in node.names if alias not in there.names]
    indent, rest = lines[first][: node.col_offset], lines[last][node.end_col_offset or 0 :]
    if rest.strip().startswith(b";") or indent.strip():
        return None
    own = b"".join(lines[first : last + 1])[len(indent) :].removesuffix(rest)
    end = style.newline if rest.endswith(style.newline) else b""
    if not left:
        lines[first : last + 1] = [indent + _from(own, there, style, indent) + rest]
    else:
        behind = len(lines) - last - 1
        line = style.write(ast.ImportFrom(module=node.module, names=left, level=node.level), indent)
        if b"#" in own or style.newline in line:
            shorten(lines, node, there.names)
        else:
            lines[first : last + 1] = [indent + line + rest]
        if indent:
            below = len(lines) - behind
            lines[below - 1] = lines[below - 1].removesuffix(style.newline) + style.newline
            lines.insert(below, indent + style.write(there, indent) + end)
    result = b"".join(lines)
    return result if parse(result) is not None else None


def _from(statement: bytes, there: ast.ImportFrom, style: ImportStyle, indent: bytes) -> bytes:
    """The statement with another module; only where its line would become too long it is split up."""
    module = "." * there.level + (there.module or "")
    result, count = MODULE.subn(rb"\g<1>" + module.encode(), statement, count=1)
    fits = b"\n" in result or len(indent + result) <= max(style.width, len(indent + statement))
    return result if count and fits else style.write(there, indent)
