"""Slips of punctuation with one obvious cure: a colon, a comma, a bracket, a quote, `=` for `==`."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from healing.fixers.fixer import Case, Repo, limited
from healing.graph.python.syntax import parse, syntax_error
from healing.model import Candidate, Category, CIError, RootCause

CLOSING = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True)
class Slip:
    """A syntax error in a file, as the compiler of this Python tells it. `column` and `end` are 0-based characters."""

    lines: list[str]
    row: int
    column: int
    end: int
    message: str

    @property
    def line(self) -> str:
        return self.lines[self.row]


@dataclass(frozen=True)
class SyntaxSlip:
    """Proposed only where the file parses afterwards, the likeliest cure first: which one is right the checks say."""

    name: str = "syntax_slip"
    certainty: int = 85

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        if cause.category in (Category.SYNTAX, Category.INDENTATION) or "SyntaxError" in cause.message:
            yield from limited(self._candidates(case))

    def _candidates(self, case: Case) -> Iterator[Candidate | None]:
        for file in broken_files(case):
            for new, what, row in mended(case.repo.view.read(file) or b""):
                why = f"{file} doesn't parse at line {row + 1}; {what} fixes it."
                yield case.candidate(self, {file: new}, f"Mend the syntax of {file}", why)


def broken_files(case: Case) -> list[str]:
    """Files of the errors that don't parse; where all of them do, what they import that doesn't."""
    near = dict.fromkeys([*(file for file, _ in case.frames), *case.crashed, *case.cause.files])
    broken = [file for file in near if _is_broken(case, file)]
    if broken:
        return broken
    todo, seen = list(near), set(near)
    while todo and len(seen) < 2000:
        for file in sorted(case.repo.graph.imports(todo.pop()) - seen):
            seen.add(file)
            todo.append(file)
            if _is_broken(case, file):
                broken.append(file)
    return broken[:3]


def _is_broken(case: Case, file: str) -> bool:
    data = case.repo.view.read(file) if file.endswith((".py", ".pyi")) else None
    return data is not None and syntax_error(data) is not None


def mended(data: bytes) -> Iterator[tuple[bytes, str, int]]:
    """(whole new file, what was done, 0-based row) for each cure after which the file parses."""
    slip = _slip(data)
    for pattern, cures in CURES if slip else ():
        if slip and re.search(pattern, slip.message):
            for row, text, what in cures(slip):
                changed = [*slip.lines]
                changed[row] = text
                new = "".join(changed).encode()
                if parse(new) is not None:
                    yield new, what, row


def _slip(data: bytes) -> Slip | None:
    error = syntax_error(data)
    try:
        lines = [line.decode() for line in data.splitlines(keepends=True)]
    except UnicodeDecodeError:
        return None
    if error is None or not error.lineno or not 0 < error.lineno <= len(lines):
        return None
    column = max((error.offset or 1) - 1, 0)
    same_row = error.end_lineno in (None, error.lineno) and error.end_offset
    end = max((error.end_offset or 1) - 1, column) if same_row else len(lines[error.lineno - 1])
    return Slip(lines, error.lineno - 1, column, end, error.msg or "")


Cures = Iterator[tuple[int, str, str]]  # (row, the whole new line, what was done)


def _colon(slip: Slip) -> Cures:
    for at in (_code_end(slip.line), len(slip.line[: slip.column].rstrip())):
        yield slip.row, _put(slip.line, at, ":"), "a missing colon"


def _close(slip: Slip) -> Cures:
    bracket = slip.line[slip.column : slip.column + 1]
    if bracket not in CLOSING:
        return
    what = f"a missing `{CLOSING[bracket]}`"
    if _code_end(slip.line) == slip.column + 1:
        yield from _close_block(slip, CLOSING[bracket], what)
        return
    for row in range(slip.row, min(slip.row + 10, len(slip.lines))):
        line, end = slip.lines[row], _code_end(slip.lines[row])
        if line[:end].endswith(":"):
            yield row, _put(line, end - 1, CLOSING[bracket]), what
        yield row, _put(line, end, CLOSING[bracket]), what
        if row == slip.row:
            for match in re.finditer(r",(?=\s)", line[slip.column + 1 : end]):
                yield row, _put(line, slip.column + 1 + match.start(), CLOSING[bracket]), what


def _close_block(slip: Slip, closing: str, what: str) -> Cures:
    """A bracket that ends its line is closed on a line of its own, below the last line that is indented further."""
    indent = _indent(slip.line)
    inner = slip.row
    for row in range(slip.row + 1, len(slip.lines)):
        if slip.lines[row].strip() and len(_indent(slip.lines[row])) <= len(indent):
            break
        inner = row if slip.lines[row].strip() else inner
    line = slip.lines[inner]
    newline = line[len(line.rstrip("\r\n")) :] or "\n"
    yield inner, f"{line.rstrip()}{newline}{indent}{closing}{newline}", what


def _before_it(slip: Slip) -> Cures:
    """`if f(1:` and `raise E("x" from e` are told as slips at what follows, not as open brackets."""
    before = slip.line[: slip.column].rstrip()
    for opening, closing in CLOSING.items():
        if before.count(opening) > before.count(closing):
            yield slip.row, _put(slip.line, len(before), closing), f"a missing `{closing}`"


def _unmatched(slip: Slip) -> Cures:
    yield slip.row, slip.line[: slip.column] + slip.line[slip.column + 1 :], "one closing bracket less"


def _mismatched(slip: Slip) -> Cures:
    found = re.search(r"does not match opening parenthesis '([(\[{])'", slip.message)
    if found:
        right = CLOSING[found.group(1)]
        yield slip.row, slip.line[: slip.column] + right + slip.line[slip.column + 1 :], f"`{right}` as closing bracket"


def _quote(slip: Slip) -> Cures:
    mark = slip.line[slip.column : slip.column + 1]
    if mark in ("'", '"'):
        end = len(slip.line.rstrip("\r\n"))
        for at in (end, *(m.start() for m in re.finditer(r"[)\]},:]+$", slip.line[:end]))):
            yield slip.row, _put(slip.line, at, mark), "a missing quote"


def _comma(slip: Slip) -> Cures:
    """Between two things on the line, or at the end of a line of a longer list."""
    for row in range(slip.row, min(slip.row + 3, len(slip.lines))):
        line = slip.lines[row]
        inside = [m.start() for m in re.finditer(r"(?<=[\w)\]}\"'])[ \t]+(?=[\w(\[{\"'])", line)]
        start, end = (slip.column, slip.end) if row == slip.row else (0, len(line))
        for at in [*(i for i in inside if start <= i <= end), _code_end(line)]:
            yield row, _put(line, at, ","), "a missing comma"


def _equals(slip: Slip) -> Cures:
    for match in re.finditer(r"(?<![=!<>:+*/%&|^@-])=(?!=)", slip.line):
        yield slip.row, slip.line[: match.start()] + "==" + slip.line[match.end() :], "`==` instead of `=`"


CURES: tuple[tuple[str, Callable[[Slip], Cures]], ...] = (
    (r"expected ':'", _colon),
    (r"was never closed", _close),
    (r"^unmatched '", _unmatched),
    (r"does not match opening parenthesis", _mismatched),
    (r"unterminated (?:f-)?string literal", _quote),
    (r"Maybe you meant '=='", _equals),
    (r"forgot a comma", _comma),
    (r"invalid syntax", _colon),
    (r"invalid syntax", _before_it),
)


def _code_end(line: str) -> int:
    """Where the code of a line ends, before a comment; a `#` with a space before it counts as one."""
    code = re.sub(r"\s+#.*$", "", line.rstrip("\r\n"))
    return len(code.rstrip())


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _put(line: str, at: int, text: str) -> str:
    return line[:at] + text + line[at:]
