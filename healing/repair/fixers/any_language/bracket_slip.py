"""A bracket that is not closed on its line, or a comma missing at the end of one, in JavaScript, Go and Rust."""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from healing.model import Candidate, Category, CIError, RootCause
from healing.repair.fixers.fixer import Case, Repo, limited
from healing.repair.fixers.punctuation import with_old_punctuation
from healing.verify.syntax import problem

ENDINGS = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".go", ".rs")
NOT_CODE = re.compile(rb"//[^\n]*|/\*.*?\*/|\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`")
SAYS = re.compile(r"SyntaxError|syntax error")
OF_TYPESCRIPT = re.compile(r"\bTS1\d{3}\b")  # its syntax errors, which test runners repeat
CLOSERS = re.compile(rb"\s*[\])};,]+\s*\Z")
MAX_LINES = 5_000  # of a file that is searched for lost lines
TAIL = re.compile(rb"\s*(?:=>\s*)?[{;,]?\s*\Z")
CLOSING = {b"(": b")", b"[": b"]", b"{": b"}"}
ROWS = (0, -1)  # rows relative to the reported one: what is missing at the end of a line shows on the next


@dataclass(frozen=True)
class BracketSlip:
    """Only changes after which the whole file parses: the line's previous punctuation, otherwise an addition at the
    line's end, since within a line the place is unknown."""

    name: str = "bracket_slip"
    certainty: int = 80

    def propose(self, cause: RootCause, errors: tuple[CIError, ...], repo: Repo) -> Iterator[Candidate]:
        case = Case.of(cause, errors, repo)
        by_code = any(OF_TYPESCRIPT.search(f"{error.code or ''} {error.message}") for error in case.errors)
        if cause.category is Category.SYNTAX or SAYS.search(cause.message) or by_code:
            yield from limited(self._candidates(case))

    def _candidates(self, case: Case) -> Iterator[Candidate | None]:
        for file, line, comma in dict.fromkeys((e.file, e.line, "comma" in e.message) for e in case.errors):
            data = case.repo.view.read(file) if file and file.endswith(ENDINGS) else None
            # Go requires a comma before a line break where its grammar does without.
            if not file or not line or data is None or not (comma or problem(file, data)):
                continue
            before = case.repo.before.read(file) if case.repo.before else None
            restored = list(_restored(file, data, before, line - 1)) if before else []
            for new, what, row in restored or repaired(file, data, line - 1):
                why = f"{posixpath.basename(file)} doesn't parse at line {row + 1}; {what} fixes it."
                yield case.candidate(self, {file: new}, f"Fix the syntax of {file}", why)


def _restored(file: str, data: bytes, before: bytes, row: int) -> Iterator[tuple[bytes, str, int]]:
    """Like `repaired`, with lines that had other punctuation before."""
    lines = data.splitlines(keepends=True)
    for at, line in with_old_punctuation(data, before, row):
        new = b"".join([*lines[:at], line, *lines[at + 1 :]])
        if problem(file, new) is None:
            yield new, "the punctuation that the line had before", at
    yield from _lost(file, lines, before.splitlines(keepends=True))


def _lost(file: str, lines: list[bytes], before: list[bytes]) -> Iterator[tuple[bytes, str, int]]:
    """The same with lines of closing brackets only that were there before: a compiler reports such a loss anywhere
    after it."""
    if max(len(lines), len(before)) > MAX_LINES:
        return
    for _, first, end, at, until in SequenceMatcher(None, before, lines, autojunk=False).get_opcodes():
        lost = before[first:end]
        if not lost or b"".join(lines[at:until]).strip() or not all(map(CLOSERS.match, lost)):
            continue
        new = b"".join([*lines[:at], *lost, *lines[until:]])
        if problem(file, new) is None:
            yield new, "a line that was there before", at


def repaired(file: str, data: bytes, row: int) -> Iterator[tuple[bytes, str, int]]:
    """(whole new file, what was done, 0-based row) for each repair near the row after which the file parses."""
    lines = data.splitlines(keepends=True)
    for at in (row + further for further in ROWS):
        if not 0 <= at < len(lines):
            continue
        for text, what in _lines(lines[at]):
            new = b"".join([*lines[:at], text, *lines[at + 1 :]])
            if problem(file, new) is None:
                yield new, what, at


def _lines(line: bytes) -> Iterator[tuple[bytes, str]]:
    """Yields what a line may have been meant to be."""
    code = NOT_CODE.sub(lambda found: b" " * len(found[0]), line)
    end = len(code.rstrip())
    tail = TAIL.search(code[:end])
    for place, closing in _unclosed(code[:end], (tail.start() if tail else end, end)):
        yield line[:place] + closing + line[place:], f"a missing `{closing.decode()}`"
    if code[:end].strip() and code[end - 1 : end] not in b",;{([":
        yield line[:end] + b"," + line[end:], "a missing comma"


def _unclosed(code: bytes, ends: tuple[int, int]) -> list[tuple[int, bytes]]:
    """(place, bracket) of each missing bracket: before one that closes another, and at the end of the line, before and
    after what ends it. A brace at the end opens a block."""
    stack: list[bytes] = []
    missing: list[tuple[int, bytes]] = []
    for at in range(len(code)):
        character = code[at : at + 1]
        if character in CLOSING:
            stack.append(CLOSING[character])
        elif stack and character == stack[-1]:
            stack.pop()
        elif character in stack:
            missing.append((at, stack.pop()))
            stack.pop()
    if stack and code.endswith(b"{"):
        stack.pop()
    return [
        *missing,
        *((place, bracket) for bracket in dict.fromkeys(reversed(stack)) for place in dict.fromkeys(ends)),
    ]
