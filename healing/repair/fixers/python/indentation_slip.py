"""A line that is indented too much or too little: it is indented like the lines around it."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from healing.graph.python.syntax import parse, syntax_error
from healing.model import Candidate, Category, CIError, RootCause
from healing.repair.fixers.fixer import Case, Repo, limited
from healing.repair.fixers.python.syntax_slip import broken_files

TELLS = re.compile(r"unexpected indent|unindent does not match|expected an indented block|inconsistent use of tabs")
AROUND = 8  # lines before and after, whose indentation may be the right one
INDENT = re.compile(r"[ \t]*")
STEP = "    "
# The reported row and the ones before it: a wrongly indented `if` is reported at what follows it.
ROWS = 4


@dataclass(frozen=True)
class IndentationSlip:
    """Tries the reported line, those before it, and the blocks that begin there; smallest steps first. The checks
    decide which is right."""

    name: str = "indentation_slip"
    certainty: int = 80

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        indented = cause.category in (Category.SYNTAX, Category.INDENTATION) or "IndentationError" in cause.message
        if indented or "SyntaxError" in cause.message:
            yield from limited(self._candidates(case))

    def _candidates(self, case: Case) -> Iterator[Candidate | None]:
        for file in broken_files(case):
            for new, row in reindented(case.repo.view.read(file) or b""):
                why = f"{file} doesn't parse: line {row + 1} is not indented as the lines around it are."
                yield case.candidate(self, {file: new}, f"Indent line {row + 1} of {file}", why)


def reindented(data: bytes) -> Iterator[tuple[bytes, int]]:
    """(the whole new file, the first 0-based row that moves) for each change after which the file parses."""
    error = syntax_error(data)
    try:
        lines = [line.decode() for line in data.splitlines(keepends=True)]
    except UnicodeDecodeError:
        return
    if error is None or not error.lineno or error.lineno > len(lines) or not TELLS.search(error.msg or ""):
        return
    row = error.lineno - 1
    rows = [row, *(at for at in range(row - 1, -1, -1) if lines[at].strip())][:ROWS]
    options = [way for first in rows for way in _ways(lines, first)]
    for _, first, last, indent in sorted(options, key=lambda way: way[0]):
        new = "".join(_moved(lines, first, last, indent)).encode()
        if parse(new) is not None:
            yield new, first


def _ways(lines: list[str], first: int) -> Iterator[tuple[tuple[int, int, int], int, int, str]]:
    """(the size of the step and how unusual it is, first row, row after the last, new indentation of the first)."""
    own = _indent(lines[first])
    near = [line for line in lines[max(first - AROUND, 0) : first + AROUND] if line.strip()]
    known = {_indent(line) for line in near} | {_indent(line) + STEP for line in near}
    usual = Counter(_indent(line) for line in lines if line.strip())
    last = first + 1
    while last < len(lines) and (not lines[last].strip() or _indent(lines[last]).startswith(own)):
        last += 1
    for indent in sorted(known - {own}):
        for end in dict.fromkeys((first + 1, last)):
            step = abs(len(indent.expandtabs()) - len(own.expandtabs()))
            yield (step, -usual[indent], end - first), first, end, indent


def _moved(lines: list[str], first: int, last: int, indent: str) -> list[str]:
    own = len(_indent(lines[first]))
    moved = [indent + line[own:] if line.strip() else line for line in lines[first:last]]
    return [*lines[:first], *moved, *lines[last:]]


def _indent(line: str) -> str:
    match = INDENT.match(line)
    return match.group() if match else ""
