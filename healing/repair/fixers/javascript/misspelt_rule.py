"""A rule that ESLint doesn't know, which the settings of the pull request's base spell otherwise."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from healing.graph.names import closest_name
from healing.model import Candidate, CIError, RootCause
from healing.repair.fixers.fixer import Case, Repo, limited
from healing.repair.fixers.losses import changes
from healing.verify.faults import unknown_rules

SETTINGS = re.compile(r"(^|/)(?:eslint\.config\.[cm]?[jt]s|\.eslintrc(?:\.\w{1,5})?|package\.json)$")
WORD = re.compile(rb"[\w-]+")


@dataclass(frozen=True)
class MisspeltRule:
    """Only on a line that is otherwise as it was before."""

    name: str = "misspelt_rule"
    certainty: int = 90

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        wrong = unknown_rules("\n".join(error.message for error in case.errors))
        if repo.before is not None and wrong:
            yield from limited(self._candidates(case, wrong))

    def _candidates(self, case: Case, wrong: frozenset[str]) -> Iterator[Candidate | None]:
        for file in filter(SETTINGS.search, case.repo.changed):
            views = (case.repo.before, case.repo.view)
            old, new = (((view.read(file) if view else None) or b"").splitlines(keepends=True) for view in views)
            for _, first, end, at, until in changes(old, new):
                for was, row in zip(range(first, end), range(at, until), strict=False):
                    for name in sorted(wrong):
                        right = closest_name(name, _words(old[was]) - _words(new[row])) or ""
                        if right and old[was] == new[row].replace(name.encode(), right.encode()):
                            restored = b"".join([*new[:row], old[was], *new[row + 1 :]])
                            why = f"ESLint has no rule `{name}`; before this pull request {file} had `{right}` there."
                            yield case.candidate(self, {file: restored}, f"Write `{right}` for `{name}`", why)


def _words(line: bytes) -> frozenset[str]:
    return frozenset(word.decode("utf-8", "replace") for word in WORD.findall(line))
