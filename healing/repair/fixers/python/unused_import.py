"""Removes an import that a linter calls unused, where no tool of the repository does so by itself."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from healing.graph.names import imports_of, unbound_names
from healing.graph.python.syntax import parse
from healing.model import Candidate, CIError, RootCause
from healing.repair.fixers.fixer import Case, Repo, limited

MESSAGE_LIMIT = 500
BY_THEMSELVES = ("ruff", "ruff-check")  # linters that remove such imports: their own fix is asked for
FOR_OTHERS = ("__init__.py", "conftest.py")
BOM = b"\xef\xbb\xbf"
OWN_LINE = re.compile(rb"\s*,?\s*(?:#.*)?\s*", re.S)  # what stands behind a name that has a line to itself
NAME = r"[\w.]{1,200}"
# As Pyflakes, Pylint and Vulture word it.
UNUSED = re.compile(
    rf"[`'](?:{NAME} as )?(?P<pyflakes>{NAME})[`'] imported but unused"
    rf"|Unused import (?:{NAME} as )?(?P<imported>{NAME})"
    rf"|Unused {NAME} imported (?:from {NAME} )?as (?P<renamed>{NAME})"
    rf"|Unused (?P<name>{NAME}) imported from {NAME}"
    rf"|unused import [`'](?P<vulture>{NAME})[`']"
)


@dataclass(frozen=True)
class UnusedImport:
    """Not in an `__init__.py` or a `conftest.py`, whose imports are for others, nor in a block, nor where the file has
    the name without reading it as linters do: as a parameter (a fixture of pytest), a string or in a doctest. Not while
    the file uses an undefined name either, which may be the import's, misspelt."""

    name: str = "unused_import"
    certainty: int = 80

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        yield from limited(self._candidates(case))

    def _candidates(self, case: Case) -> Iterator[Candidate | None]:
        unused: dict[str, list[tuple[int, str]]] = {}
        for error in case.errors:
            name = _name(error) if error.tool not in BY_THEMSELVES else ""
            if name and error.line and error.file and PurePosixPath(error.file).name not in FOR_OTHERS:
                unused.setdefault(error.file, []).append((error.line, name))
        changes: dict[str, bytes] = {}
        removed: list[str] = []
        for file, places in unused.items():
            data = case.repo.view.read(file) if PurePosixPath(file).suffix in (".py", ".pyi") else None
            tree = parse(data) if data is not None else None
            if data is None or tree is None:
                continue
            if any(not name.startswith("__") for name in unbound_names(tree)):
                continue  # one of them may be what was meant by the import
            changes[file], names = _without(data, tree, [place for place in places if not _is_named(tree, place[1])])
            removed += names
        if removed:
            listed = ", ".join(f"`{name}`" for name in dict.fromkeys(removed))
            title = f"Remove the unused import of {listed}"
            yield case.candidate(self, changes, title[:200], f"{case.errors[0].tool} says that nothing here uses it.")


def _is_named(tree: ast.Module, name: str) -> bool:
    """Whether a parameter has the name, a string is the name, or an example in a documentation string has it."""
    last = name.rpartition(".")[2]
    example = re.compile(rf"^\s*(?:>>>|\.\.\.) .*\b{re.escape(last)}\b", re.M)
    return any(
        node.arg == last
        if isinstance(node, ast.arg)
        else isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and (node.value == last or (">>>" in node.value and example.search(node.value) is not None))
        for node in ast.walk(tree)
    )


def _name(error: CIError) -> str:
    """The name of the unused import as the linter writes it; empty where the error is about something else."""
    found = UNUSED.search(error.message[:MESSAGE_LIMIT])
    return next((name for name in found.groups() if name), "") if found else ""


def _without(data: bytes, tree: ast.Module, places: list[tuple[int, str]]) -> tuple[bytes, list[str]]:
    """The file without these (line, name) of its imports, and the names that are gone."""
    lines, gone = data.splitlines(keepends=True), list[str]()
    if lines and lines[0].startswith(BOM):
        return data, []  # the parser doesn't count the mark in the columns of the first line
    for node in sorted(imports_of(tree), key=lambda node: node.lineno, reverse=True):
        end = node.end_lineno or node.lineno
        named = {name for line, name in places if node.lineno <= line <= end}
        unused = [alias for alias in node.names if named & _spellings(node, alias)]
        beside = lines[end - 1][node.end_col_offset or 0 :].strip()
        if not unused or node.col_offset or (beside and not beside.startswith(b"#")):
            continue
        if len(unused) == len(node.names):
            _drop(lines, node.lineno - 1, end)
        else:
            shorten(lines, node, unused)
        gone += [alias.asname or alias.name for alias in unused]
    return b"".join(lines), gone


def _spellings(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> set[str]:
    """How linters write the name of one import."""
    if alias.asname:
        return {alias.asname}
    if isinstance(node, ast.Import):
        return {alias.name, alias.name.partition(".")[0]}
    return {alias.name, f"{'.' * node.level}{node.module or ''}.{alias.name}", f"{'.' * node.level}{alias.name}"}


def _drop(lines: list[bytes], first: int, end: int) -> None:
    """Removes whole lines, and one of two gaps that meet there."""
    del lines[first:end]
    if first >= len(lines) or not lines[first].strip():
        while first and not lines[first - 1].strip():
            first -= 1
            del lines[first]
    while not first and lines and not lines[0].strip():
        del lines[0]


def shorten(lines: list[bytes], node: ast.Import | ast.ImportFrom, unused: list[ast.alias]) -> None:
    """Removes some names of one statement, the last first, so that the places of the others stay."""
    for alias in reversed(unused):
        index = node.names.index(alias)
        row, left, right = alias.lineno - 1, alias.col_offset, alias.end_col_offset or 0
        if not lines[row][:left].strip() and OWN_LINE.fullmatch(lines[row][right:]):
            del lines[row]
        elif any(other not in unused for other in node.names[index + 1 :]):
            after = node.names[index + 1]
            lines[row : after.lineno] = [lines[row][:left] + lines[after.lineno - 1][after.col_offset :]]
        else:
            before = node.names[index - 1]
            top, end = (before.end_lineno or 0) - 1, before.end_col_offset or 0
            lines[top : row + 1] = [lines[top][:end] + lines[row][right:]]
