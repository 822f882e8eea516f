"""Reads the blocks under Jest's bullets, which the format collects: what failed, why and where."""

import re
from dataclasses import dataclass, field

from healing.logs.format import Finding
from healing.logs.formats.javascript._stacks import JavascriptError, JavascriptFrame, blame, category, parse_error
from healing.logs.paths import Paths
from healing.model import Category, Severity

_SETUP = ("Validation Error", "Invalid ")
SUITE = "Test suite failed to run"
_PREAMBLE = re.compile(
    r"The error below may be caused by using the wrong test environment"
    r"|Consider using the \"\w{1,40}\" test environment"
    r"|A testing environment configured with|● "
)
_UNPARSED = "Jest encountered an unexpected token"
_CODE = re.compile(r"(TS\d{1,6}): ")  # of TypeScript's compiler, which ts-jest calls
_MARKED = re.compile(r"\s{4,12}>\s{1,8}(?P<line>\d{1,7}) \|")
_WHY = re.compile(r"\s{0,8}(?P<words>(?:\w{1,30})?SyntaxError: .*)$")
_IN_WORDS = re.compile(
    r"(?P<file>(?:[A-Za-z]:[\\/]|/)?[^\s:()\"']{1,400}\.[cm]?[jt]sx?): (?P<words>.*?) \("
    r"(?P<line>\d{1,9}):(?P<column>\d{1,9})\)"
)
_ALONE = re.compile(
    r"\s{1,8}(?P<file>(?:[A-Za-z]:[\\/]|/)?[^\s:()\"']{1,400}\.[cm]?[jt]sx?):(?P<line>\d{1,9})"
    r"(?::(?P<column>\d{1,9}))?(?: - error (?P<code>TS\d{1,6}): (?P<words>.*))?$"
)


@dataclass(slots=True)
class JestBlock:
    """A bullet and the indented lines below it. `file` is the failing file named above; `handle`: an open handle."""

    title: str
    file: str | None
    handle: bool
    first: int
    last: int = 0
    lines: list[str] = field(default_factory=list)

    @property
    def indent(self) -> str:
        """The indentation of its lines, which is smaller for configuration errors."""
        return "  " if self.title.startswith(_SETUP) else "    "


def finding_of(block: JestBlock, paths: Paths) -> Finding | None:
    """The failure in `block`; None if it belongs to no failing file and has no place."""
    error = _unparsed(block.lines) or parse_error(block.lines, _PREAMBLE)
    place = blame(error.frames, paths) or _pictured(block, error)
    setup = block.title.startswith(_SETUP)
    if block.file is None and place is None and not block.handle and not setup:
        return None
    return _finding(block, error, place, setup)


def _finding(block: JestBlock, what: JavascriptError, place: JavascriptFrame | None, setup: bool) -> Finding:
    suite = block.title == SUITE or block.title.startswith("process.exit called")
    message = f"Open handle: {block.title}" if block.handle else what.message or block.title
    if suite and block.title != SUITE:
        message = block.title
    otherwise = Category.CONFIG if setup else Category.TEST
    code = _CODE.match(message)
    kind = Category.TYPE if code else category(what.error, message, otherwise)
    return Finding(
        tool="jest",
        code=code[1] if code else None,
        category=kind,
        severity=Severity.WARNING if block.handle else Severity.ERROR,
        message=message,
        file=place.file if place else block.file,
        line=place.line if place else None,
        column=place.column if place else None,
        log_line=block.first,
        span=(block.first, max(block.first, block.last)),
        related=tuple(frame.related() for frame in reversed(what.frames[:30])),
        test=None if setup or block.handle else block.title,
        expected=what.expected,
        actual=what.actual,
        excerpt="\n".join([f"● {block.title}", *block.lines]).rstrip(),
        score=0.3 if block.handle else 1.0,
        # What a test compared is data; the block of a suite that could not run, or of a linter, has a tool's own
        # output.
        repeats=kind is Category.TEST and not suite and not block.handle and block.title != block.file,
    )


def _pictured(block: JestBlock, what: JavascriptError) -> JavascriptFrame | None:
    """The place that a code frame marks in the failing file; None if there is a stack."""
    marked = next((match for text in block.lines if (match := _MARKED.match(text))), None)
    return JavascriptFrame(block.file, int(marked["line"])) if block.file and marked and not what.frames else None


def _unparsed(lines: list[str]) -> JavascriptError | None:
    """The error of a file that could not be parsed or compiled: its place is in the message, not in the stack."""
    head = next((text.strip() for text in lines if text.strip()), "")
    alone = next((match for text in lines[:60] if (match := _ALONE.match(text))), None)
    if alone and alone["words"]:
        return JavascriptError(f"{alone['code']}: {alone['words']}", (_frame(alone),))
    why = next((match["words"] for text in lines if (match := _WHY.match(text))), None)
    if why is None or not (head.startswith((_UNPARSED, "SyntaxError", "×")) or alone):
        return None
    if spot := _IN_WORDS.search(why):
        return JavascriptError(f"{why.partition(': ')[0]}: {spot['words']}", (_frame(spot),))
    return JavascriptError(why, (_frame(alone),) if alone else parse_error(lines).frames)


def _frame(match: re.Match[str]) -> JavascriptFrame:
    column = match["column"]
    return JavascriptFrame(match["file"], int(match["line"]), int(column) if column else None)
