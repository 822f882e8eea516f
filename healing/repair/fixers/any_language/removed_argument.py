"""A call that still passes what its function no longer takes: this pull request removed the parameter."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from healing.model import Candidate, CIError, RootCause
from healing.repair.fixers.any_language.calls import calling, calls, signatures, wanted_lines
from healing.repair.fixers.fixer import Case, Repo, limited
from healing.repair.fixers.losses import MAX_FILES

WRONG = re.compile(
    r"too many arguments|Expected \d{1,3} arguments?, but got \d|takes \d{1,3} arguments? but \d{1,3} arguments? "
    r"(?:was|were) supplied|arguments to this \w+ are incorrect|passing argument \d|cannot be applied to given types|"
    r"Too many arguments"
)
ACTS = re.compile(rb"(?<!sizeof)\(|\+\+|--|=(?!=)|\bawait\b")  # an argument that is there for what it does
Kept = tuple[int, ...]


@dataclass(frozen=True)
class RemovedArgument:
    """Only where the parameters that are left stand in the order from before, and only in calls at the errors' lines
    that the pull request did not write. An argument that calls something stays: it may be needed for what it does."""

    name: str = "removed_argument"
    certainty: int = 90

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        if repo.before is not None and any(WRONG.search(e.message[:1000]) for e in case.errors):
            yield from limited(self._candidates(case))

    def _candidates(self, case: Case) -> Iterator[Candidate | None]:
        for name, (kept, of) in shortened(case.repo).items():
            title, why = (
                f"Pass `{name}` no more than it takes",
                f"This pull request removed a parameter of `{name}`, and this call still passes it.",
            )
            for whole in (False, True):  # a compiler may stop at the first file, or the first call of a package
                changes: dict[str, bytes] = {}
                for file in calling(case, whole=whole):
                    data = case.repo.view.read(file) or b""
                    before = (case.repo.before.read(file) if case.repo.before else None) or b""
                    wanted = wanted_lines(case, file, data, name, whole=whole)
                    changes[file] = _without(file, data, frozenset(before.splitlines()), wanted, name, kept, of)
                yield from case.followed(self, changes, title, why)


def shortened(repo: Repo) -> dict[str, tuple[Kept, int]]:
    """The functions that lost parameters: the old places of those that are left, and how many there were. Not those of
    a name that several functions of a file have, or that files change differently."""
    found: dict[str, set[tuple[Kept, int]]] = {}
    for path in repo.changed[:MAX_FILES]:
        old, new = (signatures(path, view.read(path) or b"") for view in (repo.before, repo.view) if view is not None)
        for name, now in new.items():
            was = old.get(name, now)
            places = [was.index(parameter) for parameter in now if parameter in was]
            unique = len(set(was)) == len(was)
            if unique and len(now) < len(was) and len(places) == len(now) and places == sorted(places):
                found.setdefault(name, set()).add((tuple(places), len(was)))
    return {name: one for name, (one, *others) in found.items() if not others}


def _without(file: str, data: bytes, old: frozenset[bytes], wanted: set[int], name: str, kept: Kept, of: int) -> bytes:
    """The file with the calls on these lines without the arguments of the parameters that are gone."""
    for start, spans in calls(file, data, name):
        gone = [place for place in range(of) if place not in kept]
        if len(spans) != of or any(ACTS.search(data[slice(*spans[place])]) for place in gone):
            continue
        first, last = data.count(b"\n", 0, start) + 1, data.count(b"\n", 0, spans[-1][1]) + 1
        if not wanted & set(range(first, last + 1)) or not old.issuperset(data.splitlines()[first - 1 : last]):
            continue
        for place in reversed(gone):
            is_last = not any(left > place for left in kept)
            left = spans[place - 1][1] if is_last and place else spans[place][0]
            right = spans[place][1] if is_last or place + 1 >= of else spans[place + 1][0]
            data = data[:left] + data[right:]
    return data
