"""A document that this pull request moved, while others still name it where it was (Sphinx, MkDocs)."""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass

from healing.model import Candidate, CIError, RootCause
from healing.repair.fixers.fixer import Case, Repo, limited

DOCUMENTS = (".rst", ".md", ".txt", ".ipynb", ".yml", ".yaml")
GONE = re.compile(
    r"non-?existing document ['\"](?P<toc>[^'\"\n]{1,200})['\"]|unknown document: ['\"](?P<doc>[^'\"\n]{1,200})['\"]"
    r"|(?:contains a link|reference to|target) ['\"](?P<link>[^'\"\n]{1,200}\.md)(?:#[^'\"\n]{0,100})?['\"]"
)
TEXT = 1_000


@dataclass(frozen=True)
class MovedDocument:
    """Only where one new file has the very bytes of the one that is gone: the names in the documents follow."""

    name: str = "moved_document"
    certainty: int = 90

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        if repo.before is not None and any(GONE.search(error.message[:TEXT]) for error in case.errors):
            yield from limited(self._candidates(case))

    def _candidates(self, case: Case) -> Iterator[Candidate | None]:
        changes: dict[str, bytes] = {}
        moved = dict(_moved(case.repo))
        for error in case.errors:
            match, file = GONE.search(error.message[:TEXT]), error.file or ""
            name = next(filter(None, match.groups()), "") if match else ""
            pair = _names(name, file, moved) if name and file else None
            data = changes.get(file, case.repo.view.read(file) or b"")
            if pair:
                changes[file] = _named(pair[0]).sub(pair[1].encode(), data)
        names = ", ".join(sorted(posixpath.basename(new) for new in moved.values()))[:80]
        why = "This pull request moved it, unchanged."
        yield case.candidate(self, changes, f"Name the document where it is now: {names}", why, with_tests=True)


def _moved(repo: Repo) -> Iterator[tuple[str, str]]:
    """(old, new) path of each document that only its path changed of."""
    before, now = repo.before, frozenset(repo.view.paths())
    gone = [p for p in before.paths() if p not in now and p.endswith(DOCUMENTS)] if before else []
    added = [p for p in sorted(now) if before and before.blob(p) is None and p.endswith(DOCUMENTS)] if gone else []
    for old in gone:
        same = [new for new in added if before and before.blob(old) == repo.view.blob(new)]
        if len(same) == 1:
            yield old, same[0]


def _names(name: str, file: str, moved: dict[str, str]) -> tuple[str, str] | None:
    """(old, new) name as it is written in a file: with the suffix, from the folder of the file or from the root, as the
    old one is."""
    suffix = posixpath.splitext(name)[1] if name.endswith(DOCUMENTS) else ""
    for old, new in moved.items():
        known, come = (path if suffix else posixpath.splitext(path)[0] for path in (old, new))
        folder = posixpath.dirname(file)
        if posixpath.normpath(posixpath.join(folder, name)) == known:
            return name, posixpath.relpath(come, folder or ".")
        if known.endswith(f"/{name.lstrip('/')}"):  # from the documents' root, as Sphinx reports it
            root = known.removesuffix(name.lstrip("/"))
            return name.lstrip("/"), come.removeprefix(root)
    return None


def _named(name: str) -> re.Pattern[bytes]:
    return re.compile(rb"(?<![\w./-])%b(?![\w/-])" % re.escape(name.encode()))
