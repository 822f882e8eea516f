"""A fixture of pytest that this pull request renamed while tests still ask for its old name."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from healing.graph import is_test
from healing.graph.names import NameIndex
from healing.model import Candidate, CIError, RootCause
from healing.repair.fixers.fixer import Case, Repo, limited, rewrite

MAX_FILES = 200
Function = ast.FunctionDef | ast.AsyncFunctionDef
BY_NAME = (b"getfixturevalue", b"usefixtures")  # calls that are given a fixture's name as a string


@dataclass(frozen=True)
class RenamedFixture:
    """Only where one fixture of the same file is new and does the same. The tests follow, and nothing else of them
    changes."""

    name: str = "renamed_fixture"
    certainty: int = 85

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        if case.family == "missing-fixture" and case.name and repo.index_before is not None:
            yield from limited(self._candidates(case, repo.index_before))

    def _candidates(self, case: Case, before: NameIndex) -> Iterator[Candidate | None]:
        index, old = case.repo.index, case.name
        for home in before.files_with(old):
            had, has = _fixtures(before, home), _fixtures(index, home)
            if old not in had or old in has or not is_test(home):
                continue
            same = [name for name in has.keys() - had.keys() if has[name] == had[old]]
            if len(same) == 1:
                title = f"Ask for the fixture `{old}` by its new name `{same[0]}`"
                why = f"This pull request renamed it in {home}; the tests that use it follow."
                for strings in (True, False):  # a string may be part of a test's id, which has to stay
                    changes = _followed(index, old, same[0], strings=strings)
                    yield case.candidate(self, changes, title, why, with_tests=True) if changes else None


def _fixtures(index: NameIndex, path: str) -> dict[str, list[bytes]]:
    """The fixtures of a file, by name: their lines without the name."""
    tree, rows = index.tree(path), (index.view.read(path) or b"").splitlines()
    functions = [node for node in ast.walk(tree) if isinstance(node, Function)] if tree else []
    return {f.name: _lines(f, rows) for f in functions if any(map(_is_fixture, f.decorator_list))}


def _is_fixture(decorator: ast.expr) -> bool:
    names = (getattr(node, "id", getattr(node, "attr", "")) for node in ast.walk(decorator))
    return any(isinstance(name, str) and name.endswith("fixture") for name in names)


def _lines(function: Function, rows: list[bytes]) -> list[bytes]:
    first, *rest = rows[function.lineno - 1 : function.end_lineno] or [b""]
    return [first.replace(function.name.encode(), b"", 1), *rest]


def _followed(index: NameIndex, old: str, new: str, *, strings: bool) -> dict[str, bytes]:
    """The test files that ask for the old name, without those that have a fixture of it."""
    changes: dict[str, bytes] = {}
    for path in [path for path in index.files_with(old) if is_test(path)][:MAX_FILES]:
        tree, data = index.tree(path), index.view.read(path) or b""
        if tree is not None and old not in _fixtures(index, path):
            by_name = strings and any(word in data for word in BY_NAME)
            changed = rewrite(data, list(_asked(tree, old, strings=by_name)), old, new)
            if changed != data:
                changes[path] = changed
    return changes


def _asked(tree: ast.Module, old: str, *, strings: bool) -> Iterator[ast.AST]:
    """Parameters of the name with what the function does with them, and `strings` that are the name."""
    for function in ast.walk(tree):
        if isinstance(function, Function) and any(arg.arg == old for arg in _arguments(function)):
            yield from (arg for arg in _arguments(function) if arg.arg == old)
            yield from (n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == old)
        elif strings and isinstance(function, ast.Constant) and function.value == old:
            yield function


def _arguments(function: Function) -> list[ast.arg]:
    return [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
