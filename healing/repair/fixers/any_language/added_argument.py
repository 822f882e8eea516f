"""A call that lacks an argument which this pull request gave to the other calls of the same function."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from healing.model import Candidate, CIError, RootCause
from healing.repair.fixers.any_language.calls import calls
from healing.repair.fixers.fixer import Case, Repo, limited
from healing.repair.fixers.losses import MAX_FILES

WRONG = re.compile(
    r"not enough arguments|too few arguments|missing \d{1,3} required positional argument|"
    r"Expected \d{1,3}(?:-\d{1,3})? arguments?, but got \d|takes \d{1,3} arguments? but \d{1,3} arguments? "
    r"(?:was|were) supplied|cannot be applied to given types|Missing positional argument|No value for argument"
)
CALLED = re.compile(rb"([A-Za-z_]\w{0,100})\s{0,3}\(")
# What means the same in every function: a constant, or what a method or a request is called with.
PLAIN = re.compile(
    rb"(?:self|cls|this|ctx|None|null|nil|NULL|nullptr|undefined|[Tt]rue|[Ff]alse|-?\d{1,9}|\"[^\"\n]{0,40}\"|'[^'\n]{0,40}')\Z"
)
TEXT, NAMES = 1_000, 8  # characters of a message; names of an error's line


@dataclass(frozen=True)
class Added:
    """The argument `text` at a place of a call that had so many before."""

    place: int
    text: bytes
    of: int


@dataclass(frozen=True)
class AddedArgument:
    """Only where all calls that the pull request changed got the same plain argument at the same place. The fix is
    marked, for another call may want another value."""

    name: str = "added_argument"
    certainty: int = 70

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        if repo.before is not None and any(WRONG.search(error.message[:TEXT]) for error in case.errors):
            yield from limited(self._candidates(case))

    def _candidates(self, case: Case) -> Iterator[Candidate | None]:
        files = sorted({file for file, _ in case.frames if case.may_edit(file)})
        for name in _names(case):
            added = _added(case.repo, name)
            changes = {f: _with(f, case.repo.view.read(f) or b"", name, added) for f in files} if added else {}
            if added is None or not changes:
                continue
            text = added.text.decode("utf-8", "replace")
            why = f"This pull request passes `{text}` in the calls of `{name}` that it changed; these were left."
            candidate = case.candidate(self, changes, f"Pass `{text}` to `{name}` as the other calls do", why)
            flags = (f"passes {text} to {name}, as the calls do that this change wrote",)
            yield candidate and candidate.model_copy(update={"flags": flags})


def _names(case: Case) -> list[str]:
    """The functions that are called on the lines that the errors name."""
    found: dict[str, None] = {}
    for file, line in case.frames:
        rows = (case.repo.view.read(file) or b"").splitlines()
        for name in CALLED.findall(rows[line - 1]) if 0 < line <= len(rows) else ():
            found.setdefault(name.decode())
    return list(found)[:NAMES]


def _added(repo: Repo, name: str) -> Added | None:
    """What every call of a function that the pull request changed got, where that is one and the same."""
    found: set[Added | None] = set()
    for path in repo.changed[:MAX_FILES]:
        before = (repo.before.read(path) if repo.before else None) or b""
        old = [args for _, args in _arguments(path, before, name)]
        for _, args in _arguments(path, repo.view.read(path) or b"", name):
            if args not in old:
                found.add(_one_more(args, old))
    one = next(iter(found), None)
    return one if len(found) == 1 and one is not None and PLAIN.match(one.text) else None


def _one_more(args: list[bytes], old: list[list[bytes]]) -> Added | None:
    for place, text in enumerate(args):
        if [*args[:place], *args[place + 1 :]] in old:
            return Added(place, text, len(args) - 1)
    return None


def _arguments(path: str, data: bytes, name: str) -> Iterator[tuple[list[tuple[int, int]], list[bytes]]]:
    """(spans, texts) of the arguments of each call of a function, the last first; its definition looks like one."""
    for start, spans in calls(path, data, name) if name.encode() in data else ():
        head = data[data.rfind(b"\n", 0, start) + 1 : start]
        if not re.search(rb"\b(?:def|func|function|fn)\b[^=(]*(?:\([^()]*\)\s*)?\Z", head):
            yield spans, [data[first:end] for first, end in spans]


def _with(path: str, data: bytes, name: str, added: Added) -> bytes:
    """The file with the argument in every call that has as many as before."""
    for spans, _ in _arguments(path, data, name):
        if len(spans) != added.of or not spans:
            continue
        if added.place < len(spans):
            at, text = spans[added.place][0], added.text + b", "
        else:
            at, text = spans[-1][1], b", " + added.text
        data = data[:at] + text + data[at:]
    return data
