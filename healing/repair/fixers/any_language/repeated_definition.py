"""Removes a second, identical definition that this pull request added beside the first."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from healing.model import Candidate, CIError, RootCause
from healing.repair.fixers.fixer import Case, Repo, limited
from healing.repair.fixers.losses import CLOSER, changes, elements, head_of, slid

REPEATED = re.compile(
    r"\bredeclared in this block|\balready declared\b|is defined multiple times|duplicate definitions? (?:with|of)\b|"
    r"[Dd]uplicate (?:identifier|function implementation|key|case|field)\b|Cannot redeclare\b|"
    r"has already been declared|is already (?:defined|declared)\b|[Rr]edefinition of\b|\balready defined on line\b|"
    r"multiple properties with the same name"
)
WORD = re.compile(rb"\w")


@dataclass(frozen=True)
class RepeatedDefinition:
    """Only in one file, where it doesn't matter which of the two stays. In two files the definition may have been meant
    to move."""

    name: str = "repeated_definition"
    certainty: int = 87

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        if repo.before is not None and any(REPEATED.search(e.message[:1000]) for e in case.errors):
            yield from limited(self._candidates(case))

    def _candidates(self, case: Case) -> Iterator[Candidate | None]:
        places = {(file, line) for e in case.errors for file, line in [(e.file, e.line), *_noted(e)] if file and line}
        for file in sorted({file for file, _ in places}):
            was = case.repo.before.read(file) if case.repo.before else None
            now = (case.repo.view.read(file) or b"").splitlines(keepends=True)
            named = {now[line - 1].strip() for path, line in places if path == file and line <= len(now)}
            repeated = _repeated((was or b"").splitlines(keepends=True), now)
            found = [(first, end) for first, end in repeated if head_of(now[first:end]).strip() in named]
            if len(found) == 1:
                ((first, end),) = found
                first -= _blank_above(now, first, end)
                what = head_of(now[first:end]).decode(errors="replace").strip()[:80]
                why = f"This pull request added `{what}` to {file}, which has the very same lines already."
                new = b"".join(now[:first] + now[end:])
                yield case.candidate(self, {file: new}, f"Remove the second `{what}`", why)


def _noted(error: CIError) -> list[tuple[str | None, int | None]]:
    return [(note.file, note.line) for note in error.related]


def _repeated(old: list[bytes], new: list[bytes]) -> Iterator[tuple[int, int]]:
    """The 0-based rows of what was inserted though the same lines are in the file already, before and now."""
    for kind, _, _, first, end in changes(old, new):
        down = slid(new, first, end) if kind == "insert" else 0
        at = first + down
        for group in elements(new[at : end + down]) if kind != "delete" else ():
            text = _text(group)
            if WORD.search(text) and text in _text(old) and text in _text([*new[:at], b"\n", *new[at + len(group) :]]):
                yield at, at + len(group)
            at += len(group)


def _blank_above(lines: list[bytes], first: int, end: int) -> bool:
    """Whether a blank line above these would be one too many without them."""
    after = lines[end] if end < len(lines) else b""
    is_last = not after.strip() or bool(CLOSER.match(after))
    return first > 0 and not lines[first - 1].strip() and bool(lines[end - 1].strip()) and is_last


def _text(lines: list[bytes]) -> bytes:
    """The lines without indentation and blank lines, each between line breaks."""
    return b"\n" + b"\n".join(line.strip() for line in lines if line.strip()) + b"\n"
