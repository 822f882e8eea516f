"""Layout that pycodestyle and flake8 mind: spaces, blank lines, ends of lines. Heal's own Ruff knows the same rules."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from healing.causes import is_layout
from healing.model import Candidate, CIError, RootCause
from healing.repair.fixers.fixer import Case, Repo, limited
from healing.repair.fixers.python.long_line import in_layout
from healing.repair.fixers.python.own_ruff import changes_at, repaired


@dataclass(frozen=True)
class Layout:
    """All of a file at once: the rules alone, else the statements at these lines as Ruff formats them."""

    name: str = "layout"
    certainty: int = 95

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        if case.errors and all(map(is_layout, case.errors)):
            yield from limited(self._candidates(case))

    def _candidates(self, case: Case) -> Iterator[Candidate | None]:
        codes = sorted({error.code or "" for error in case.errors})
        why = "Only the layout at these lines changes, as Ruff writes it for the same rule."
        yield case.candidate(
            self, _changed(case, lambda data: repaired(data, codes)), "Repair the layout", why, with_tests=True
        )
        changes = {
            file: new
            for file in {error.file or "" for error in case.errors}
            if (new := in_layout(case.repo.view.read(file) or b"", [e for e in case.errors if e.file == file]))
        }
        why = "Only the layout of these statements changes: what they do is the same."
        yield case.candidate(self, changes, "Repair the layout", why, with_tests=True)


def _changed(case: Case, repair: Callable[[bytes], bytes]) -> dict[str, bytes]:
    changes: dict[str, bytes] = {}
    for file in sorted({error.file or "" for error in case.errors}):
        data = case.repo.view.read(file) or b""
        lines = {error.line for error in case.errors if error.file == file and error.line}
        new = changes_at(lines, data, repair(data))
        if new != data:
            changes[file] = new
    return changes
