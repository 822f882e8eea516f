"""A single mark of a merge conflict (`>>>>>>> main`) that was left behind in a file, in every language."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from healing.model import Candidate, Category, CIError, RootCause
from healing.repair.fixers.fixer import Case, Repo, limited
from healing.verify.syntax import problem

MARK = re.compile(rb"(?:<{7}|\|{7}|>{7})(?: .*)?\s*\Z|={7}\s*\Z")
SAYS = re.compile(
    r"[Ss]yntax ?[Ee]rror|[Uu]nexpected (?:token|end|symbol)|[Mm]erge conflict|conflict marker|missing separator|"
    r"version control conflict"
)
PROSE = (".md", ".rst", ".txt", ".adoc")  # where `=======` underlines a title
MESSAGE = 1_000  # characters of a message that are searched


@dataclass(frozen=True)
class MergeMark:
    """Only lines that the pull request added, where the marks are all of one side: of a whole conflict nobody knows
    which side is right. Only where the file can be read without them and not with them; of a file that no parser of
    Heal's reads, where an error is at the mark or on the line below it."""

    name: str = "merge_mark"
    certainty: int = 94

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        unread = cause.category is Category.SYNTAX or SAYS.search(cause.message[:MESSAGE])
        if repo.before is not None and unread:
            yield from limited(self._candidates(case))

    def _candidates(self, case: Case) -> Iterator[Candidate | None]:
        for file in dict.fromkeys(error.file for error in case.errors if error.file):
            data = case.repo.view.read(file) or b""
            before = (case.repo.before.read(file) if case.repo.before else None) or b""
            rows = lone_marks(data)
            lines = data.splitlines(keepends=True)
            had = frozenset(before.splitlines())
            added = {row for row in rows if lines[row].rstrip() not in had}
            new = b"".join(line for row, line in enumerate(lines) if row not in added)
            at = {row for e in case.errors if e.file == file and e.line for row in (e.line - 1, e.line - 2)}
            at_mark = bool(at & added) and not file.endswith(PROSE)
            if added and (problem(file, data) or at_mark) and not problem(file, new):
                mark = lines[min(added)].decode("utf-8", "replace").strip()[:80]
                why = f"A merge left `{mark}` in {file}, which can't be read with it. This pull request added the line."
                yield case.candidate(self, {file: new}, f"Remove the merge conflict's mark `{mark}`", why)


def lone_marks(data: bytes) -> list[int]:
    """The 0-based rows of a merge conflict's marks where there are only such of one kind; else none."""
    lines = data.splitlines()
    rows = [row for row, line in enumerate(lines) if MARK.match(line)]
    return rows if len({lines[row][:7] for row in rows}) == 1 else []
