"""A misspelt definition: nothing uses its name, while all uses have one similar name."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from healing.graph import is_test
from healing.graph.names import closest_name
from healing.model import Candidate, CIError, RootCause
from healing.repair.fixers.fixer import Case, Repo, limited, rewrite

FAMILIES = ("undefined-name", "missing-member", "missing-attribute")
MAX_BYTES = 1 << 20  # of a file in which occurrences are counted
DEFINED = re.compile(r"^[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)", re.MULTILINE)
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True)
class MisspeltDefinition:
    """Only where two files or one test (documents count too) contain the missing name, and none the other."""

    name: str = "misspelt_definition"
    certainty: int = 88

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        if case.family in FAMILIES and "." not in case.name:
            yield from limited(self._candidates(case))

    def _candidates(self, case: Case) -> Iterator[Candidate | None]:
        usage = Misspelling(case.repo)
        if usage.files(case.name) < 2:
            return
        for file in _homes(case):
            definition = _misspelt(case, file, usage)
            if definition is not None:
                new = rewrite(case.repo.view.read(file) or b"", [definition], definition.name, case.name)
                why = (
                    f"All uses are spelled `{case.name}`; only the definition in {file} is spelled `{definition.name}`."
                )
                yield case.candidate(self, {file: new}, f"Call the definition `{case.name}`", why)


def _homes(case: Case) -> list[str]:
    """Files that may define the name: the module or class that should have it, where it failed, then all others."""
    index = case.repo.index
    named = [index.modules.find(owner) for owner in case.owners]
    classes = [path for owner in case.owners for path, _ in index.classes(owner.rpartition(".")[2])]
    places = dict.fromkeys([*(file for file in named if file), *classes])
    if case.family == "missing-attribute":
        return list(places)  # a class outside the repo can't be misspelt by it
    return list(dict.fromkeys([*places, *case.crashed, *index.modules.paths]))


def _misspelt(case: Case, file: str, usage: "Misspelling") -> Definition | None:
    """The one definition of the file with a similar name that occurs nowhere else in the repo."""
    names = set(DEFINED.findall((case.repo.view.read(file) or b"").decode("utf-8", "replace")))
    if not any(closest_name(case.name, {name}) and usage.times(name) == 1 for name in names):
        return None  # a text search, so that not every file is parsed
    tree = case.repo.index.tree(file)
    definitions = {node.name: node for node in _definitions(tree)} if tree is not None else {}
    name = closest_name(case.name, set(definitions))
    if name is None or case.name in definitions:
        return None
    return definitions[name] if usage.times(name) == 1 else None


def _definitions(tree: ast.Module) -> Iterator[Definition]:
    """The definitions at the top level and one level into classes."""
    for node in tree.body:
        if isinstance(node, Definition):
            yield node
        if isinstance(node, ast.ClassDef):
            yield from (inner for inner in node.body if isinstance(inner, Definition))


@dataclass
class Misspelling:
    """Counts names as words in the repo's files. A count reads the whole repo, so each name is counted once."""

    repo: Repo
    _times: dict[str, dict[str, int]] = field(default_factory=dict)

    def times(self, name: str) -> int:
        """The count in all files together."""
        return sum(self._counted(name).values())

    def files(self, name: str) -> int:
        """The number of files with the name, where a test counts as two: a test states the intended name."""
        return sum(min(times, 1 + is_test(path)) for path, times in self._counted(name).items())

    def _counted(self, name: str) -> dict[str, int]:
        if name not in self._times:
            word = re.compile(rb"\b" + re.escape(name.encode()) + rb"\b")
            self._times[name] = {path: len(word.findall(self._text(path))) for path in self.repo.view.paths()}
        return self._times[name]

    def _text(self, path: str) -> bytes:
        data = self.repo.view.read(path) or b""
        return data if len(data) <= MAX_BYTES and b"\0" not in data[:8000] else b""
