"""Arguments in the wrong order: the parameters' from before this pull request, or one that it wrote itself."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from healing.model import Candidate, CIError, RootCause
from healing.repair.fixers.any_language.calls import calling, calls, signatures, wanted_lines
from healing.repair.fixers.fixer import Case, Repo, limited
from healing.repair.fixers.losses import MAX_FILES, TOKEN, changes

WRONG = re.compile(
    r"arguments to this \w+ are incorrect|mismatched types|is not assignable to parameter of type|"
    r"cannot use [^\n]{1,500} in argument|incompatible types|cannot be applied to given types|[Tt]ype mismatch|"
    r"passing argument \d|incompatible type for argument"
)
Order = tuple[int, ...]


@dataclass(frozen=True)
class ReorderedCall:
    """Only where the parameters are the same in another order, and only calls at the errors' lines that the pull
    request did not write."""

    name: str = "reordered_call"
    certainty: int = 90

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        if repo.before is not None and any(WRONG.search(e.message[:1000]) for e in case.errors):
            yield from limited(self._candidates(case))

    def _candidates(self, case: Case) -> Iterator[Candidate | None]:
        for name, order in reordered(case.repo).items():
            title, why = (
                f"Pass `{name}` its arguments in the new order",
                f"This pull request changed the order of `{name}`'s parameters; now this call has it too.",
            )
            for whole in (False, True):  # a compiler may stop at the first file, or the first call of a package
                followed: dict[str, bytes] = {}
                for file in calling(case, whole=whole):
                    data = case.repo.view.read(file) or b""
                    old = (case.repo.before.read(file) if case.repo.before else None) or b""
                    wanted = wanted_lines(case, file, data, name, whole=whole)
                    followed[file] = _followed(data, frozenset(old.splitlines()), wanted, file, name, order)
                yield from case.followed(self, followed, title, why)
        for file, line in dict.fromkeys((e.file, e.line) for e in case.errors if e.file and e.line):
            new = _as_before(case.repo, file, line)
            why = f"This pull request only changed the order in {file}:{line}, where the types don't fit now."
            yield case.candidate(self, {file: new} if new else {}, "Write the arguments in the order from before", why)


def reordered(repo: Repo) -> dict[str, Order]:
    """The functions whose parameters are the same in another order, with the old place of each. Not those of a name
    that several functions of a file have, or that different files reorder differently."""
    orders: dict[str, set[Order]] = {}
    for path in repo.changed[:MAX_FILES]:
        old, new = (signatures(path, view.read(path) or b"") for view in (repo.before, repo.view) if view is not None)
        for name, now in new.items():
            was = old.get(name, [])
            if was != now and sorted(was) == sorted(now) and len(set(now)) == len(now):
                orders.setdefault(name, set()).add(tuple(was.index(parameter) for parameter in now))
    return {name: order for name, (order, *others) in orders.items() if not others}


def _as_before(repo: Repo, file: str, line: int) -> bytes | None:
    """The file with a line as it was, where its words are merely in another order."""
    old, new = ((view.read(file) or b"").splitlines(keepends=True) for view in (repo.before, repo.view) if view)
    for _, i1, i2, j1, j2 in changes(old, new):
        if i2 - i1 == j2 - j1 and j1 < line <= j2:
            was, now = old[i1 + line - 1 - j1], new[line - 1]
            if sorted(TOKEN.findall(was)) == sorted(TOKEN.findall(now)):
                return b"".join([*new[: line - 1], was, *new[line:]])
    return None


def _followed(data: bytes, old: frozenset[bytes], wanted: set[int], file: str, name: str, order: Order) -> bytes:
    """The file with the calls of a function on these lines in the new order, if all their lines are old ones."""
    for start, spans in calls(file, data, name):
        if len(spans) != len(order):
            continue
        first, last = data.count(b"\n", 0, start) + 1, data.count(b"\n", 0, spans[-1][1]) + 1
        rows = data.splitlines()[first - 1 : last]
        if not wanted & set(range(first, last + 1)) or not old.issuperset(rows):
            continue
        texts = [data[left:right] for left, right in spans]
        for (left, right), place in reversed([*zip(spans, order, strict=True)]):
            data = data[:left] + texts[place] + data[right:]
    return data
