"""Lines, or a whole file, that this pull request took away and that others still need: a definition that is used, a
decorator, a `return`."""

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from healing.graph import is_test
from healing.model import Candidate, Category, CIError, RootCause
from healing.repair.fixers.fixer import LIMIT, Case, Repo, limited
from healing.repair.fixers.losses import MAX_FILES, changes, shifts
from healing.repair.fixers.lost import DECLARED, PROSE, owners_of, put_back, shown, words_of_errors

MAX_ROWS = 60  # of one place
MAX_READ = 3_000  # files that are searched for users of a name
IMPORT = re.compile(rb"^[ \t]*(?:import|from|use|pub use|#[ \t]*include)\b[^\n]*", re.MULTILINE)
WORD = re.compile(rb"[A-Za-z_$][\w$]*")
# Neither a comment nor prose; `#[…]` is an attribute in Rust, and `#define` code in C.
STATEMENT = re.compile(rb"\s*(?:[^\s#/*\-'\"]|#!?\[|#[ \t]*(?:define|include|if|pragma)\b|/[^/*]|\*[^/ ]|-[^-])")


@dataclass(frozen=True)
class Removal:
    """Adjacent lines that are gone: they belong at the 0-based row `at`. `owners` are the definitions around them, and
    the one that they stand on."""

    file: str
    at: int
    lines: tuple[bytes, ...]
    owners: frozenset[str]

    @property
    def declared(self) -> frozenset[str]:
        """The names that the lines define at their least indentation."""
        least = min(len(line) - len(line.lstrip()) for line in self.lines if line.strip())
        outer = b"".join(line for line in self.lines if line[least : least + 1].strip())
        return frozenset(name.decode() for match in DECLARED.finditer(outer) for name in match.groups() if name)


@dataclass(frozen=True)
class LostLines:
    """Only of the product, where nothing was written in their place, and where the error says a name that they define,
    or the function or class that lost them. What they define must still be used by the product, and the change must
    touch no other use of it: who removes something on purpose does. The fix is marked."""

    name: str = "lost_lines"
    certainty: int = 60

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        if repo.before is not None and len(repo.changed) <= MAX_FILES and cause.category is not Category.FORMAT:
            yield from limited(self._candidates(Case.of(cause, errors, repo)))

    def _candidates(self, case: Case) -> Iterator[Candidate | None]:
        error_words = words_of_errors(case.errors)
        meant = [r for r in _removals(case.repo) if error_words & (r.declared | r.owners) and _is_needed(case.repo, r)]
        for removal in meant[:LIMIT]:
            yield self._candidate(case, (removal,))
            yield self._candidate(case, (removal, *_needed_by(removal, _removals(case.repo))))
        yield self._candidate(case, tuple(meant)) if len(meant) > 1 else None
        for path in _deleted(case.repo, error_words):
            data = (case.repo.before.read(path) if case.repo.before else None) or b""
            yield put_back(case, self, {path: data}, path, path)

    def _candidate(self, case: Case, removals: tuple[Removal, ...]) -> Candidate | None:
        new: dict[str, bytes] = {}
        for removal in sorted(removals, key=lambda removal: -removal.at):
            lines = new.get(removal.file, case.repo.view.read(removal.file) or b"").splitlines(keepends=True)
            new[removal.file] = b"".join([*lines[: removal.at], *removal.lines, *lines[removal.at :]])
        first = removals[0]
        names = sorted(first.declared) or [shown(first.lines)]
        return put_back(case, self, new, f"`{names[0]}`", f"{first.file}:{first.at + 1}")


def _removals(repo: Repo) -> Iterator[Removal]:
    """What the pull request removed from the product's files without a replacement."""
    for file in repo.changed:
        if is_test(file) or file.endswith(PROSE):
            continue
        old, new = (((v.read(file) if v else None) or b"").splitlines(keepends=True) for v in (repo.before, repo.view))
        for kind, first, end, at, _ in changes(old, new):
            lines = tuple(old[first:end])
            if kind == "delete" and len(lines) <= MAX_ROWS and any(map(STATEMENT.match, lines)):
                yield Removal(file, at, lines, owners_of(old, first, end))


def _needed_by(removal: Removal, others: Iterable[Removal]) -> Iterator[Removal]:
    """What was removed from the same file and is used by what was removed here: imports and other definitions."""
    used = frozenset(WORD.findall(b"".join(removal.lines)))
    for other in others:
        text = b"".join(other.lines)
        given = frozenset(word for line in IMPORT.findall(text) for word in WORD.findall(line))
        if other.file == removal.file and other != removal and used & {*given, *(n.encode() for n in other.declared)}:
            yield other


def _is_needed(repo: Repo, removal: Removal) -> bool:
    """Whether the product still uses one of the names that the lines define, if they define any, and the change has it
    nowhere else."""
    names = removal.declared
    if not names:
        return True
    alone = [name for name in sorted(names) if set(shifts(repo, name.encode()) or {}) == {removal.file}]
    paths = [removal.file, *(path for path in repo.view.paths() if not is_test(path) and not path.endswith(PROSE))]
    texts = [repo.view.read(path) or b"" for path in dict.fromkeys(paths[:MAX_READ])]
    return any(re.search(rb"(?<![\w$])%b(?![\w$])" % re.escape(name.encode()), t) for name in alone for t in texts)


def _deleted(repo: Repo, error_words: frozenset[str]) -> Iterator[str]:
    """The product's files that are gone, and whose names the error says."""
    assert repo.before is not None
    was, now = frozenset(repo.before.paths()), frozenset(repo.view.paths())
    added = {posixpath.basename(path).partition(".")[0] for path in now - was}
    gone = [path for path in sorted(was - now) if not is_test(path) and not path.endswith(PROSE)]
    blobs = {repo.view.blob(path) for path in now} if gone else set()
    for path in gone[:MAX_FILES]:
        stem = posixpath.basename(path).partition(".")[0]
        if stem in error_words - added and repo.before.blob(path) not in blobs:
            yield path
