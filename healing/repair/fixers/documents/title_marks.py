"""A title in reStructuredText whose line of marks is shorter than the title itself (Sphinx, docutils, doc8)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from unicodedata import east_asian_width

from healing.model import Candidate, CIError, RootCause
from healing.repair.fixers.fixer import Case, Repo, limited

SHORT = re.compile(r"Title (?:underline|overline) too short", re.IGNORECASE)
MARKS = re.compile(r"([=\-`:.'\"~^_*+#])\1*\s*\Z")


@dataclass(frozen=True)
class TitleMarks:
    """The marks become as long as the title, above it too where there are some."""

    name: str = "title_marks"
    certainty: int = 92

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        if case.errors and all(e.file and e.line and SHORT.search(e.message[:200]) for e in case.errors):
            yield from limited(self._candidates(case))

    def _candidates(self, case: Case) -> Iterator[Candidate | None]:
        changes: dict[str, bytes] = {}
        for file in sorted({error.file or "" for error in case.errors}):
            data = case.repo.view.read(file) or b""
            lines = {error.line or 0 for error in case.errors if error.file == file}
            changes[file] = _lengthened(data, lines)
        yield case.candidate(
            self, changes, "Lengthen the title's marks", "They have to be as long as the title.", with_tests=True
        )


def _lengthened(data: bytes, lines: set[int]) -> bytes:
    rows = data.decode("utf-8", "surrogateescape").splitlines(keepends=True)
    for line in lines:
        # Tools name the marks, the title, or the line above it.
        for row in range(max(1, line - 1), min(len(rows), line + 2)):
            title, marks = rows[row - 1].strip("\r\n"), rows[row]
            if MARKS.match(marks.strip()) and title.strip() and not MARKS.match(title.strip()):
                _write(rows, row, title)
                if row >= 2 and rows[row - 2].strip() and rows[row - 2].strip()[0] == marks.strip()[0]:
                    _write(rows, row - 2, title)
    return "".join(rows).encode("utf-8", "surrogateescape")


def _write(rows: list[str], row: int, title: str) -> None:
    marks = rows[row].strip()
    length = sum(2 if east_asian_width(char) in "WF" else 1 for char in title.rstrip())
    if MARKS.match(marks) and len(marks) < length:
        rows[row] = marks[0] * length + rows[row][len(rows[row].rstrip("\r\n")) :]
