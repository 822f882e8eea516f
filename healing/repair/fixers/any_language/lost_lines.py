"""Lines, or a whole file, that this pull request took away and that a test, a compiler or an import still needs: a
definition that others use, a decorator, a `return`."""

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from healing.causes.unknown_words import words_of
from healing.graph import is_test
from healing.model import Candidate, Category, CIError, RootCause
from healing.repair.fixers.fixer import LIMIT, Case, Repo, limited
from healing.repair.fixers.losses import AHEAD, MAX_FILES, changes, shifts

PROSE = (".md", ".rst", ".txt", ".adoc")
MAX_ROWS = 60  # of one place
MAX_READ = 3_000  # files that are searched for users of a name
TEXT = 4_000  # characters of an error that are read
MODIFIERS = (
    rb"(?:(?:export|default|async|pub(?:\([\w: ]{1,50}\))?|public|private|protected|static|final|abstract|inline|extern"
    rb"|unsafe|const|declare|readonly)\s+){0,5}"
)
KINDS = (
    rb"(?:def|class|function\*?|func(?:[ \t]*\([^()\n]{1,100}\))?"
    rb"|fn|let|var|type|interface|struct|enum|trait|mod|#define)"
)
ASSIGNED = (
    rb"(?:export[ \t]+)?(?:const[ \t]+)?(?:self\.|this\.|exports\.)?([A-Za-z_$][\w$]*)"
    rb"[ \t]*(?::[^=\n]{1,200})?=(?![=>])"
)
# A function or its prototype in C, at the start of a line.
IN_C = (
    rb"^(?!(?:return|await|throw|else|new|yield|export)\b)(?:[A-Za-z_]\w{0,60}[ \t*]{1,4}){1,5}(\w+)[ \t]*"
    rb"\([^;{}\n]{0,300}[;{,)]\s*$"
)
DECLARED = re.compile(rb"^[ \t]*(?:%b%b[ \t]+(\w+)|%b)|%b" % (MODIFIERS, KINDS, ASSIGNED, IN_C), re.MULTILINE)
METHOD = re.compile(  # of a class in JavaScript
    rb"[ \t]+(?:(?:static|async|get|set)[ \t]+){0,3}(?!(?:if|for|while|switch|catch|with|function)\b)(#?[\w$]+)[ \t]*"
    rb"\([^;]{0,300}\)[ \t]*\{\s*$"
)
IMPORT = re.compile(rb"^[ \t]*(?:import|from|use|pub use|#[ \t]*include)\b[^\n]*", re.MULTILINE)
WORD = re.compile(rb"[A-Za-z_$][\w$]*")
# Neither a comment nor prose; `#[…]` is an attribute in Rust, and `#define` code in C.
STATEMENT = re.compile(rb"\s*(?:[^\s#/*\-'\"]|#!?\[|#[ \t]*(?:define|include|if|pragma)\b|/[^/*]|\*[^/ ]|-[^-])")


@dataclass(frozen=True)
class Removal:
    """Adjacent lines that are gone: they belong at the 0-based row `at`. `owner` is the definition around them, or the
    one that they stand on."""

    file: str
    at: int
    lines: tuple[bytes, ...]
    owner: str

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
        said = words_of("\n".join(f"{e.message[:TEXT]}\n{e.excerpt[:TEXT]}\n{e.test or ''}" for e in case.errors))
        meant = [r for r in _removals(case.repo) if said & {*r.declared, r.owner} and _is_needed(case.repo, r)]
        for removal in meant[:LIMIT]:
            yield self._candidate(case, (removal,))
            yield self._candidate(case, (removal, *_needed_by(removal, _removals(case.repo))))
        yield self._candidate(case, tuple(meant)) if len(meant) > 1 else None
        for path in _deleted(case.repo, said):
            data = (case.repo.before.read(path) if case.repo.before else None) or b""
            yield self._marked(case, {path: data}, f"Put back {path}", path)

    def _candidate(self, case: Case, removals: tuple[Removal, ...]) -> Candidate | None:
        new: dict[str, bytes] = {}
        for removal in sorted(removals, key=lambda removal: -removal.at):
            lines = new.get(removal.file, case.repo.view.read(removal.file) or b"").splitlines(keepends=True)
            new[removal.file] = b"".join([*lines[: removal.at], *removal.lines, *lines[removal.at :]])
        first = removals[0]
        names = sorted(first.declared) or [_shown(first.lines)]
        return self._marked(case, new, f"Put back `{names[0]}`", f"{first.file}:{first.at + 1}")

    def _marked(self, case: Case, new: dict[str, bytes], title: str, place: str) -> Candidate | None:
        why = (
            "This pull request removed it, and what is left of the code still needs it. If that is meant, reject this, "
            "and change what needs it."
        )
        candidate = case.candidate(self, new, title, why)
        flags = (f"puts back what this change removed at {place}",)
        return candidate and candidate.model_copy(update={"flags": flags})


def _removals(repo: Repo) -> Iterator[Removal]:
    """What the pull request removed from the product's files without a replacement."""
    for file in repo.changed:
        if is_test(file) or file.endswith(PROSE):
            continue
        old, new = (((v.read(file) if v else None) or b"").splitlines(keepends=True) for v in (repo.before, repo.view))
        for kind, first, end, at, _ in changes(old, new):
            lines = tuple(old[first:end])
            if kind == "delete" and len(lines) <= MAX_ROWS and any(map(STATEMENT.match, lines)):
                yield Removal(file, at, lines, _owner(old, first, end))


def _owner(old: list[bytes], first: int, end: int) -> str:
    """The name of the definition that lines belong to: below them if they are decorators, else the one around them."""
    code = [line for line in old[first:end] if line.strip()]
    below = next((line for line in old[end:] if line.strip() and not AHEAD.match(line)), b"")
    indent = min(len(line) - len(line.lstrip()) for line in code)
    outer = (line for line in reversed(old[:first]) if line.strip() and len(line) - len(line.lstrip()) < indent)
    definitions = (match for line in outer if (match := DECLARED.match(line) or METHOD.match(line)) and match[1])
    found = DECLARED.match(below) if all(map(AHEAD.match, code)) else next(definitions, None)
    return found[1].decode() if found and found[1] else ""


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


def _deleted(repo: Repo, said: frozenset[str]) -> Iterator[str]:
    """The product's files that are gone, and whose names the error says."""
    assert repo.before is not None
    now = frozenset(repo.view.paths())
    gone = [path for path in repo.before.paths() if path not in now and not is_test(path) and not path.endswith(PROSE)]
    blobs = {repo.view.blob(path) for path in now} if gone else set()
    for path in gone[:MAX_FILES]:
        stem = posixpath.basename(path).partition(".")[0]
        moved = any(posixpath.basename(other).partition(".")[0] == stem for other in now - set(repo.before.paths()))
        if stem in said and repo.before.blob(path) not in blobs and not moved:
            yield path


def _shown(lines: tuple[bytes, ...]) -> str:
    text = next(line.strip() for line in lines if line.strip())
    return text.decode("utf-8", "replace").replace("`", "'")[:60]
