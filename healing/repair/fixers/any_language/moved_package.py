"""Go: a package that this pull request moved to another folder, while files still import it from the old one."""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass

from healing.model import Candidate, CIError, RootCause
from healing.repair.fixers.any_language.moved_path import moved
from healing.repair.fixers.fixer import Case, Repo, limited

SAYS = re.compile(
    r"no required module provides package|is not in (?:GOROOT|std)|cannot find (?:package|module providing package)|"
    r"does not contain package|no Go files in"
)
MODULE = re.compile(rb"^module[ \t]+\"?([^\s\"]{1,300})", re.MULTILINE)
TEXT, MAX_FILES = 4_000, 3_000


@dataclass(frozen=True)
class MovedPackage:
    """Only where all Go files of the old folder are in one new folder: every import of the module's own follows."""

    name: str = "moved_package"
    certainty: int = 90

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        if repo.before is not None and any(SAYS.search(f"{e.message[:TEXT]}\n{e.excerpt[:TEXT]}") for e in case.errors):
            yield from limited(self._candidates(case))

    def _candidates(self, case: Case) -> Iterator[Candidate | None]:
        module = MODULE.search(case.repo.view.read("go.mod") or b"")
        folders = _folders(case.repo) if module else {}
        changes: dict[str, bytes] = {}
        paths = [path for path in case.repo.view.paths() if path.endswith(".go")][:MAX_FILES]
        for path in paths if module and folders else ():
            data = text = case.repo.view.read(path) or b""
            for old, new in folders.items():
                text = _imported(text, module[1], old.encode(), new.encode()) if module else text
            if text != data:
                changes[path] = text
        if changes:
            listed = ", ".join(f"{old} is now {new}" for old, new in folders.items())
            why = f"This pull request moved a package, and others still import it from where it was: {listed}."
            yield case.candidate(self, changes, "Import the package from where it is now", why, with_tests=True)


def _folders(repo: Repo) -> dict[str, str]:
    """Old folder → new folder of each package that moved as a whole."""
    homes: dict[str, set[str]] = {}
    for old, new in moved(repo).items():
        if old.endswith(".go"):
            homes.setdefault(posixpath.dirname(old), set()).add(posixpath.dirname(new))
    left = {posixpath.dirname(path) for path in repo.view.paths() if path.endswith(".go")}
    return {old: found.pop() for old, found in homes.items() if old and old not in left and len(found) == 1}


def _imported(data: bytes, module: bytes, old: bytes, new: bytes) -> bytes:
    package = re.compile(rb'"%b/%b"' % (re.escape(module), re.escape(old)))
    return package.sub(b'"' + module + b"/" + new + b'"' if new else b'"' + module + b'"', data)
