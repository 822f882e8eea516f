"""A label of Sphinx that this pull request renamed, while others still refer to it by its old name."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from healing.model import Candidate, CIError, RootCause
from healing.repair.fixers.fixer import Case, Repo, limited
from healing.repair.fixers.losses import changes

UNDEFINED = re.compile(r"undefined label: ['\"]?(?P<name>[^'\"\n]{1,200}?)['\"]?(?: \(|$| \[)")
LABEL = re.compile(rb"\s{0,80}(?:\.\. _`?(?P<rst>[^:`\n]{1,200})`?:|\((?P<myst>[^()\n]{1,200})\)=)\s*$")
DOCUMENTS = (".rst", ".md", ".txt")
MAX_FILES, TEXT = 500, 1_000


@dataclass(frozen=True)
class RenamedLabel:
    """Only where another label stands in the very place of the one that is gone: the references follow."""

    name: str = "renamed_label"
    certainty: int = 90

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        if repo.before is not None and (gone := _gone(case.errors)):
            yield from limited(self._candidates(case, gone))

    def _candidates(self, case: Case, gone: frozenset[str]) -> Iterator[Candidate | None]:
        renamed = {old: new for old, new in _renamed(case.repo) if old.lower() in gone}
        followed: dict[str, bytes] = {}
        for path in [path for path in case.repo.view.paths() if path.endswith(DOCUMENTS)][:MAX_FILES]:
            data = case.repo.view.read(path) or b""
            for old, new in renamed.items():
                data = b"".join(_referred(data, old, new))
            if data != case.repo.view.read(path):
                followed[path] = data
        names = ", ".join(f"`{old}` by its new name `{new}`" for old, new in sorted(renamed.items()))
        title, why = f"Refer to {names}", "This pull request renamed the label there."
        yield case.candidate(self, followed, title, why, with_tests=True) if followed else None


def _gone(errors: tuple[CIError, ...]) -> frozenset[str]:
    found = (UNDEFINED.search(error.message[:TEXT]) for error in errors)
    return frozenset(match["name"].lower() for match in found if match)


def _renamed(repo: Repo) -> Iterator[tuple[str, str]]:
    """(old, new) of each label that has another in its place."""
    for path in [path for path in repo.changed if path.endswith(DOCUMENTS)]:
        old, new = (((v.read(path) if v else None) or b"").splitlines() for v in (repo.before, repo.view))
        for _, i1, i2, j1, j2 in changes(old, new):
            if i2 - i1 == j2 - j1:
                for was, now in zip(old[i1:i2], new[j1:j2], strict=True):
                    pair = LABEL.match(was), LABEL.match(now)
                    if pair[0] and pair[1]:
                        yield _name(pair[0]), _name(pair[1])


def _name(match: re.Match[bytes]) -> str:
    return (match["rst"] or match["myst"]).decode("utf-8", "replace").strip()


def _referred(data: bytes, old: str, new: str) -> Iterator[bytes]:
    """The parts of a document whose references say `new` in place of `old`."""
    at = 0
    for match in _reference(old).finditer(data):
        yield data[at : match.end(1)] + new.encode()
        at = match.start(2)
    yield data[at:]


def _reference(name: str) -> re.Pattern[bytes]:
    """A reference by a role: :ref:`name`, :ref:`text <name>`, {ref}`name`."""
    return re.compile(rb"([:{](?:num)?ref[:}]`(?:[^`<>]{0,200}<)?)" + re.escape(name.encode()) + rb"(>?`)", re.I)
