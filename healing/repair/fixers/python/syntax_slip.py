"""Punctuation mistakes with one obvious fix: a colon, a comma, a bracket, a quote, `=` for `==`."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from healing.graph.python.syntax import parse, syntax_error
from healing.model import Candidate, Category, CIError, RootCause
from healing.repair.fixers.fixer import Case, Repo, limited
from healing.repair.fixers.punctuation import with_old_punctuation

CLOSING = {"(": ")", "[": "]", "{": "}"}
MISMATCHED = re.compile(r"does not match opening parenthesis '([(\[{])'(?: on line ([0-9]{1,7}))?")
# What may follow a bracket that is closed within a line.
FOLLOWING = re.compile(r"\s*(?:,(?=\s)|\||=(?!=)|->|[)\]}]|:(?=\s)|\b(?:if|for|else|and|or|in|is|as|from)\b)")
OPTIONAL = re.compile(r"\s*\|\s*None\s*=\s*None\b")
ARGUMENTS = dict.fromkeys(
    ("list", "set", "frozenset", "type", "optional", "sequence", "iterable", "iterator"), 1
) | dict.fromkeys(("dict", "mapping", "mutablemapping", "defaultdict", "callable"), 2)
STRING = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'")


@dataclass(frozen=True)
class Slip:
    """A syntax error in a file, as this Python's compiler reports it. `column` and `end` are 0-based characters."""

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
    """Only fixes after which the file parses, the likeliest first; the checks decide which is right."""

    name: str = "syntax_slip"
    certainty: int = 85

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        if cause.category in (Category.SYNTAX, Category.INDENTATION) or "SyntaxError" in cause.message:
            yield from limited(self._candidates(case))

    def _candidates(self, case: Case) -> Iterator[Candidate | None]:
        for file in broken_files(case):
            before = case.repo.before.read(file) if case.repo.before else None
            for new, what, row in repaired(case.repo.view.read(file) or b"", before):
                why = f"{file} doesn't parse at line {row + 1}; {what} fixes it."
                yield case.candidate(self, {file: new}, f"Fix the syntax of {file}", why)


def broken_files(case: Case) -> list[str]:
    """Files of the errors that don't parse; if all of them parse, those that they import, directly or not, that
    don't."""
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


def repaired(data: bytes, before: bytes | None = None) -> Iterator[tuple[bytes, str, int]]:
    """(whole new file, what was done, 0-based row) for each fix after which the file parses. If the version `before`
    shows what the line lost, restoring it is the only fix."""
    slip = _slip(data)
    if slip is None:
        return
    if before is not None and (restored := list(_restored(data, before, slip.row))):
        yield from restored
        return
    for pattern, fixes in REPAIRS:
        if re.search(pattern, slip.message):
            for row, text, what in fixes(slip):
                changed = [*slip.lines]
                changed[row] = text
                new = "".join(changed).encode()
                if parse(new) is not None:
                    yield new, what, row


def _restored(data: bytes, before: bytes, row: int) -> Iterator[tuple[bytes, str, int]]:
    lines = data.splitlines(keepends=True)
    for at, line in with_old_punctuation(data, before, row):
        new = b"".join([*lines[:at], line, *lines[at + 1 :]])
        if parse(new) is not None:
            yield new, "the punctuation that the line had before", at


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


Repairs = Iterator[tuple[int, str, str]]  # (row, the whole new line, what was done)


def _colon(slip: Slip) -> Repairs:
    for at in (_code_end(slip.line), len(slip.line[: slip.column].rstrip())):
        yield slip.row, _put(slip.line, at, ":"), "a missing colon"


def _close(slip: Slip) -> Repairs:
    bracket = slip.line[slip.column : slip.column + 1]
    if bracket not in CLOSING:
        return
    what = f"a missing `{CLOSING[bracket]}`"
    if _code_end(slip.line) == slip.column + 1:
        yield from _close_block(slip, CLOSING[bracket], what)
        return
    for row in range(slip.row, min(slip.row + 10, len(slip.lines))):
        line, end = slip.lines[row], _code_end(slip.lines[row])
        if row == slip.row:
            yield from _close_within(slip, row, slip.column, what)
            continue
        if line[:end].endswith(":"):
            yield row, _put(line, end - 1, CLOSING[bracket]), what
        yield row, _put(line, end, CLOSING[bracket]), what


def _close_within(slip: Slip, row: int, column: int, what: str) -> Repairs:
    """Closes the bracket at `column` on its own line: at the line's end, or before something that may follow it. For a
    type, both `list[str] | None` and `list[str | None]` parse and pass tests, so it is closed only where a single place
    fits."""
    line, end = slip.lines[row], _code_end(slip.lines[row])
    closing = CLOSING[line[column]]
    places = [end - 1] if line[:end].endswith((":", ",")) else []
    places += [end, *(match.start() for match in FOLLOWING.finditer(line, column + 1, end))]
    optional = OPTIONAL.search(line, column + 1, end)
    if optional:
        places = [optional.start()]
    elif line[column] == "[":
        fitting = {at for at in places if _parses_with(slip, row, _put(line, at, closing))}
        fitting = {at for at in fitting if _fits_name(line[:column], line[column + 1 : at])}
        places = sorted(fitting) if len(fitting) == 1 else []
    yield from ((row, _put(line, at, closing), what) for at in dict.fromkeys(places))


def _fits_name(before: str, inside: str) -> bool:
    """Whether a type of this name takes that many arguments; True for unknown names."""
    name = re.search(r"\w*\Z", before.rstrip())
    most = ARGUMENTS.get(name[0].lower() if name else "")
    depth = commas = 0
    for character in inside:
        depth += (character in CLOSING) - (character in CLOSING.values())
        commas += character == "," and depth == 0
    return most is None or commas + 1 == most


def _parses_with(slip: Slip, row: int, line: str) -> bool:
    return parse("".join([*slip.lines[:row], line, *slip.lines[row + 1 :]]).encode()) is not None


def _close_block(slip: Slip, closing: str, what: str) -> Repairs:
    """Closes a bracket that ends its line on a new line, below the last line that is indented further."""
    indent = _indent(slip.line)
    inner = slip.row
    for row in range(slip.row + 1, len(slip.lines)):
        if slip.lines[row].strip() and len(_indent(slip.lines[row])) <= len(indent):
            break
        inner = row if slip.lines[row].strip() else inner
    line = slip.lines[inner]
    newline = line[len(line.rstrip("\r\n")) :] or "\n"
    yield inner, f"{line.rstrip()}{newline}{indent}{closing}{newline}", what


def _before_it(slip: Slip) -> Repairs:
    """Closes a bracket before the reported place: `if f(1:` and `raise E("x" from e` are reported at what follows."""
    before = slip.line[: slip.column].rstrip()
    for opening, closing in CLOSING.items():
        if before.count(opening) > before.count(closing):
            yield slip.row, _put(slip.line, len(before), closing), f"a missing `{closing}`"


def _unmatched(slip: Slip) -> Repairs:
    yield slip.row, slip.line[: slip.column] + slip.line[slip.column + 1 :], "one closing bracket less"


def _mismatched(slip: Slip) -> Repairs:
    match = MISMATCHED.search(slip.message)
    if not match:
        return
    right = CLOSING[match[1]]
    yield slip.row, slip.line[: slip.column] + right + slip.line[slip.column + 1 :], f"`{right}` as closing bracket"
    row = int(match[2]) - 1 if match[2] else slip.row
    column = _unclosed(slip.lines[row], match[1], slip.column if row == slip.row else None)
    if column is not None:
        yield from _close_within(slip, row, column, f"a missing `{right}`")


def _unclosed(line: str, bracket: str, end: int | None) -> int | None:
    """The column of the line's innermost bracket of this kind that is not closed before `end`."""
    stack: list[tuple[str, int]] = []
    code = STRING.sub(lambda match: " " * len(match[0]), line[: _code_end(line) if end is None else end])
    for at, character in enumerate(code):
        if character in CLOSING:
            stack.append((character, at))
        elif stack and character == CLOSING[stack[-1][0]]:
            stack.pop()
    return next((at for opening, at in reversed(stack) if opening == bracket), None)


def _quote(slip: Slip) -> Repairs:
    mark = slip.line[slip.column : slip.column + 1]
    if mark in ("'", '"'):
        end = len(slip.line.rstrip("\r\n"))
        for at in (end, *(m.start() for m in re.finditer(r"[)\]},:]+$", slip.line[:end]))):
            yield slip.row, _put(slip.line, at, mark), "a missing quote"


def _comma(slip: Slip) -> Repairs:
    """Adds a comma between two items on the line, or at the end of a line of a longer list."""
    for row in range(slip.row, min(slip.row + 3, len(slip.lines))):
        line = slip.lines[row]
        inside = [m.start() for m in re.finditer(r"(?<=[\w)\]}\"'])[ \t]+(?=[\w(\[{\"'])", line)]
        start, end = (slip.column, slip.end) if row == slip.row else (0, len(line))
        for at in [*(i for i in inside if start <= i <= end), _code_end(line)]:
            yield row, _put(line, at, ","), "a missing comma"


def _equals(slip: Slip) -> Repairs:
    for match in re.finditer(r"(?<![=!<>:+*/%&|^@-])=(?!=)", slip.line):
        yield slip.row, slip.line[: match.start()] + "==" + slip.line[match.end() :], "`==` instead of `=`"


REPAIRS: tuple[tuple[str, Callable[[Slip], Repairs]], ...] = (
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
    """Where the code of a line ends, before a comment; a `#` after white space counts as one."""
    code = re.sub(r"\s+#.*$", "", line.rstrip("\r\n"))
    return len(code.rstrip())


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _put(line: str, at: int, text: str) -> str:
    return line[:at] + text + line[at:]
