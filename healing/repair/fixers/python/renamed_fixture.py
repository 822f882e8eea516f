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
BY_NAME = ("getfixturevalue", "usefixtures")  # calls that are given a fixture's name as a string


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
            had, has = _fixtures(before.tree(home)), _fixtures(index.tree(home))
            if old not in had or old in has or not is_test(home):
                continue
            same = [name for name in has.keys() - had.keys() if _body(has[name]) == _body(had[old])]
            if len(same) == 1:
                title = f"Ask for the fixture `{old}` by its new name `{same[0]}`"
                why = f"This pull request renamed it in {home}; the tests that use it follow."
                for strings in (True, False):  # a string may be part of a test's id, which has to stay
                    changes = _followed(index, old, same[0], strings=strings)
                    yield case.candidate(self, changes, title, why, with_tests=True) if changes else None


def _fixtures(tree: ast.Module | None) -> dict[str, Function]:
    """The fixtures of a file, by name."""
    functions = [node for node in ast.walk(tree) if isinstance(node, Function)] if tree else []
    return {f.name: f for f in functions if any("fixture" in ast.unparse(one) for one in f.decorator_list)}


def _body(function: Function) -> str:
    return ast.dump(ast.Module(function.body, [])) + ast.dump(function.args)


def _followed(index: NameIndex, old: str, new: str, *, strings: bool) -> dict[str, bytes]:
    """The test files that ask for the old name, without those that have a fixture of it."""
    changes: dict[str, bytes] = {}
    for path in [path for path in index.files_with(old) if is_test(path)][:MAX_FILES]:
        tree, data = index.tree(path), index.view.read(path) or b""
        if tree is not None and old not in _fixtures(tree):
            changed = rewrite(data, list(_asked(tree, old, strings=strings)), old, new)
            if changed != data:
                changes[path] = changed
    return changes


def _asked(tree: ast.Module, old: str, *, strings: bool) -> Iterator[ast.AST]:
    """Parameters of the name with what the function does with them, and `strings` that are the name in files that ask
    by one."""
    strings = strings and any(word in ast.unparse(node) for node in _calls(tree) for word in BY_NAME)
    for function in ast.walk(tree):
        if isinstance(function, Function) and any(arg.arg == old for arg in _arguments(function)):
            yield from (arg for arg in _arguments(function) if arg.arg == old)
            yield from (n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == old)
        elif strings and isinstance(function, ast.Constant) and function.value == old:
            yield function


def _calls(tree: ast.Module) -> list[ast.expr]:
    return [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]


def _arguments(function: Function) -> list[ast.arg]:
    return [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
