"""A file that this pull request moved or renamed, while a Makefile, a script or `#include` still has the old path."""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass

from healing.causes.unknown_words import words_of
from healing.model import Candidate, CIError, RootCause
from healing.repair.fixers.fixer import Case, Repo, limited
from healing.repair.fixers.losses import MAX_FILES

SAYS = re.compile(
    r"No such file or directory|No rule to make target|[Cc]annot (?:find|open)|[Cc]an't (?:find|open|read|stat)|"
    r"[Nn]ot found|does ?n[o']t exist|not a file|ENOENT|no required module provides package|is not in (?:GOROOT|std)|"
    r"openBinaryFile"
)
TEXT = 4_000  # characters of an error that are read
# Their imports say paths in ways of their own, or they are no code.
OTHERS = (".py", ".pyi", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".rs", ".md", ".rst", ".adoc", ".lock")
MAKEFILE = re.compile(r"(?:^|/)(?:GNUm|[mM])akefile[\w.]{0,20}\Z|\.mk\Z")
INCLUDES = (".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx", ".m", ".mm")
MAX_READ, MAX_BYTES = 3_000, 400_000
BEFORE = rb"(?<![\w./-])((?:\./)?(?:\$\w{1,50}/|\$[({][\w@.]{1,50}[)}]/)?)"
BEHIND = rb"(?![\w/-]|\.\w)"


@dataclass(frozen=True)
class MovedPath:
    """Only a path that an error says, of a file that has the same bytes elsewhere, or else its name: all files of the
    product that have the path follow."""

    name: str = "moved_path"
    certainty: int = 85

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        if repo.before is not None and any(SAYS.search(f"{e.message[:TEXT]}\n{e.excerpt[:TEXT]}") for e in case.errors):
            yield from limited(self._candidates(case))

    def _candidates(self, case: Case) -> Iterator[Candidate | None]:
        said = words_of("\n".join(f"{e.message[:TEXT]}\n{e.excerpt[:TEXT]}" for e in case.errors))
        moves = {old: new for old, new in moved(case.repo).items() if _stem(old) in said}
        changes: dict[str, bytes] = {}
        for path in _readers(case.repo) if moves else ():
            data = text = case.repo.view.read(path) or b""
            for old, new in sorted(moves.items()):
                text = followed(path, text, old, new)
            if text != data:
                changes[path] = text
        listed = ", ".join(f"{old} is now {new}" for old, new in list(moves.items())[:3])
        why = f"This pull request moved files, and others still have the old path: {listed}."
        yield from case.followed(self, changes, "Follow a file to where it is now", why) if changes else ()


def moved(repo: Repo) -> dict[str, str]:
    """Where each file went that is gone: the one new file with its bytes, else the one with its name or its folder and
    most of its lines."""
    assert repo.before is not None
    old, new = frozenset(repo.before.paths()), frozenset(repo.view.paths())
    gone, fresh = sorted(old - new), sorted(new - old)
    if max(len(gone), len(fresh)) > MAX_FILES:
        return {}
    by_blob: dict[str | None, list[str]] = {}
    for path in fresh:
        by_blob.setdefault(repo.view.blob(path), []).append(path)
    homes = {path: by_blob.get(repo.before.blob(path), []) for path in gone}
    for path in gone:
        same_name = [other for other in fresh if posixpath.basename(other) == posixpath.basename(path)]
        homes[path] = homes[path] or [other for other in same_name if _alike(repo, path, other)]
    return {path: found[0] for path, found in homes.items() if len(found) == 1}


def _alike(repo: Repo, old: str, new: str) -> bool:
    """Whether most lines of a file are in another."""
    was = set(((repo.before.read(old) if repo.before else None) or b"").splitlines())
    return len(was & set((repo.view.read(new) or b"").splitlines())) * 2 > len(was)


def followed(path: str, data: bytes, old: str, new: str) -> bytes:
    """The file with the new path wherever it has the old one: from the root, from its own folder, of a header from a
    folder in which both are; and of a C file in a Makefile its object."""
    for was, now in _writings(path, old, new):
        pattern = re.compile(BEFORE + re.escape(was.encode()) + BEHIND)
        data = pattern.sub(lambda match, now=now: match[1] + now.encode(), data)  # type: ignore[misc]
    was, now = posixpath.basename(old), posixpath.basename(new)
    if path.endswith(INCLUDES):
        data = _included(data, old, new)
    if MAKEFILE.search(path) and was != now and old.endswith(INCLUDES):
        object_file = re.compile(rb"(?<![\w.-])%b\.o(?![\w.])" % re.escape(_stem(old).encode()))
        data = object_file.sub(_stem(new).encode() + b".o", data)
    return data


def _writings(path: str, old: str, new: str) -> Iterator[tuple[str, str]]:
    """How a file may write the old path, and the new one likewise. A bare word (`build`) may be anything."""
    folder = posixpath.dirname(path)
    if "/" in old or (not folder and "." in old):
        yield old, new
    near, now = posixpath.relpath(old, folder or "."), posixpath.relpath(new, folder or ".")
    if folder and ("/" in near or "." in near):
        yield near, now


def _included(data: bytes, old: str, new: str) -> bytes:
    """The `#include`s of a header by its path in a folder that both paths begin with."""
    parts, others = old.split("/"), new.split("/")
    for depth in range(1, min(len(parts), len(others))):
        if parts[:depth] == others[:depth]:
            was, now = "/".join(parts[depth:]), "/".join(others[depth:])
            line = re.compile(rb"(^[ \t]*#[ \t]*include[ \t]*[<\"])%b([>\"])" % re.escape(was.encode()), re.MULTILINE)
            data = line.sub(lambda match, now=now: match[1] + now.encode() + match[2], data)  # type: ignore[misc]
    return data


def _readers(repo: Repo) -> Iterator[str]:
    """The files that may have a path of another."""
    for path in list(repo.view.paths())[:MAX_READ]:
        data = b"" if path.endswith(OTHERS) or path.startswith(".github/") else repo.view.read(path) or b""
        if data and len(data) <= MAX_BYTES and b"\0" not in data[:1_000]:
            yield path


def _stem(path: str) -> str:
    return posixpath.splitext(posixpath.basename(path))[0]
