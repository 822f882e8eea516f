"""Restores an import that this change removed from a file that still needs it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from healing.model import Candidate, CIError, RootCause
from healing.repair.fixers.fixer import Case, Repo, limited

IMPORT = re.compile(  # a one-line statement in Python, JavaScript, Rust, Java and C; or a package in Go's list
    rb"#\s*include\b|\s*(?:(?:pub )?use|import|from|export|(?:var|let|const|static)\b.{0,300}\b(?:require|import)\b)\b"
    rb"|\s*(?:[\w.]{1,100} )?\"[^\"]{1,300}\"\s*$"
)
HEADER = re.compile(r"note: include \W{0,3}<(?P<name>[\w./+-]{1,100})>")
OPENING, CLOSING = b"({[", b")}]"
TOKEN = re.compile(rb"[\w$]+")
MAX_LINES, MAX_LENGTH = 5_000, 2_000


@dataclass(frozen=True)
class LostImport:
    """Only whole lines, and only where nothing is lost that the change wrote in their place."""

    name: str = "lost_import"
    certainty: int = 88

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        name = _header(case) or (re.split(r"\.|::", case.name)[0] if case.family == "undefined-name" else "")
        if repo.before is not None and name:
            yield from limited(self._candidates(case, name.encode()))

    def _candidates(self, case: Case, name: bytes) -> Iterator[Candidate | None]:
        changes: dict[str, bytes] = {}
        for file in sorted({*case.crashed, *(error.file for error in case.errors if error.file)}):
            was = case.repo.before.read(file) if case.repo.before else None
            now = case.repo.view.read(file)
            new = restored(was, now, name) if was is not None and now is not None else None
            if new is not None:
                changes[file] = new
        why = f"This pull request removed the import of `{name.decode()}`, which is still used."
        yield case.candidate(self, changes, f"Import `{name.decode()}` again", why)


def _header(case: Case) -> str:
    """The header that gcc's note asks for."""
    notes = (HEADER.search(error.excerpt[:MAX_LENGTH]) for error in case.errors)
    return next((note["name"] for note in notes if note), "")


def restored(was: bytes, now: bytes, name: bytes) -> bytes | None:
    """The file with its previous import of the name; None where it had none, or still has one."""
    old, new = was.splitlines(keepends=True), now.splitlines(keepends=True)
    if max(len(old), len(new)) > MAX_LINES:
        return None
    word = re.compile(rb"(?<![\w$])" + re.escape(name) + rb"(?![\w$])")
    for kind, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        lost = [line for line in old[i1:i2] if _imports(line, word)]
        if kind == "delete" and lost:
            if all(line in lost or not line.strip() for line in old[i1:i2]):
                lost = old[i1:i2]
            return b"".join([*new[:j1], *lost, *new[j1:]])
        if kind == "replace" and lost and (index := _in_place(lost[0], new[j1:j2])) is not None:
            return b"".join([*new[: j1 + index], lost[0], *new[j1 + index + 1 :]])
        # The line below it was edited too.
        if kind == "replace" and lost and old[i1 : i1 + len(lost)] == lost and not any(map(IMPORT.match, new[j1:j2])):
            return b"".join([*new[:j1], *lost, *new[j1:]])
    return None


def _imports(line: bytes, word: re.Pattern[bytes]) -> bool:
    if len(line) > MAX_LENGTH or not IMPORT.match(line) or not word.search(line):
        return False
    return all(line.count(OPENING[i : i + 1]) == line.count(CLOSING[i : i + 1]) for i in range(len(OPENING)))


def _in_place(lost: bytes, lines: list[bytes]) -> int | None:
    """The index of the one line that the change wrote that is the same import with fewer names."""
    old_tokens = set(TOKEN.findall(lost))
    matches = [at for at, line in enumerate(lines) if IMPORT.match(line) and set(TOKEN.findall(line)) < old_tokens]
    return matches[0] if len(matches) == 1 else None
