"""A local variable or parameter that this change renamed in one part of its function and not in the other."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from healing.graph.names import closest_name
from healing.model import Candidate, CIError, RootCause
from healing.repair.fixers.any_language.renamed_word import renamed_words
from healing.repair.fixers.fixer import Case, Repo, limited, rewrite
from healing.repair.fixers.signatures import Function

FAMILIES = ("undefined-name", "unbound-local")


@dataclass(frozen=True)
class HalfRenamedLocal:
    """The renaming is finished where the new name is a parameter, or stands in at least half of the places. Otherwise
    the old name comes back: a slip of the pen changes few places, a renaming most."""

    name: str = "half_renamed_local"
    certainty: int = 88

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        if repo.before is not None and case.family in FAMILIES and "." not in case.name:
            yield from limited(self._candidates(case))

    def _candidates(self, case: Case) -> Iterator[Candidate | None]:
        pairs = [pair for pair in _renamed(case.repo) if case.name in pair and not _is_slip(case, pair)]
        for file in dict.fromkeys(file for file, _ in case.frames if case.may_edit(file)):
            tree, lines = case.repo.index.tree(file), {line for path, line in case.frames if path == file}
            for function in _functions(tree, lines) if tree else ():
                for old, new in pairs:
                    kept, moved = _named(function, old), _named(function, new)
                    if not kept or not moved:
                        continue
                    finish = len(moved) >= len(kept) or any(isinstance(node, ast.arg) for node in moved)
                    nodes, wrong, right = (kept, old, new) if finish else (moved, new, old)
                    data = rewrite(case.repo.view.read(file) or b"", nodes, wrong, right)
                    why = f"This change renamed `{old}` to `{new}` in a part of `{function.name}` only."
                    yield case.candidate(self, {file: data}, f"Write `{right}` for `{wrong}`", why)


def _renamed(repo: Repo) -> list[tuple[str, str]]:
    return [(old.decode(), new.decode()) for old, new in renamed_words(repo)]


def _is_slip(case: Case, pair: tuple[str, str]) -> bool:
    """Whether MisspeltName knows the right word, and the other files with the same slip."""
    return case.family == "undefined-name" and closest_name(pair[1], {pair[0]}) is not None


def _functions(tree: ast.Module, lines: set[int]) -> list[Function]:
    """The innermost function around each of these lines."""
    functions = [node for node in ast.walk(tree) if isinstance(node, Function)]
    innermost = {line: f for f in sorted(functions, key=lambda f: f.lineno) for line in lines & _lines(f)}
    return list(dict.fromkeys(innermost.values()))


def _lines(function: Function) -> set[int]:
    return set(range(function.lineno, (function.end_lineno or function.lineno) + 1))


def _named(function: Function, name: str) -> list[ast.AST]:
    """The places of a name in a function: its parameters and the variables of its body."""
    return [
        node
        for node in ast.walk(function)
        if (isinstance(node, ast.Name) and node.id == name) or (isinstance(node, ast.arg) and node.arg == name)
    ]
