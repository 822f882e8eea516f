"""Ruby stack traces: frames innermost first, the frame to blame, and the values of a failed test. Shared by the Ruby
formats."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from healing.logs.paths import Paths
from healing.model import Category, Related

_FRAME = re.compile(
    r"\s{0,20}(?:\| )?(?:# |from |at )?\s{0,2}"
    r"(?P<file>(?:[A-Za-z]:[\\/]|<internal:)?[^\s:`'\"#][^:`'\"]{0,400}?>?):(?P<line>\d{1,9})"
    r"(?::in (?P<function>[`'].{1,300}))?$"
)
_INNER = re.compile(
    r"<internal|.*(?:/gems/[\w.-]+-\d|/rubygems|/ruby/\d|vendor/bundle/)|/usr/|.*/bin/(?:rspec|rake|ruby|bundle)$"
)
_EXPECTED = re.compile(r"\s{0,20}(?i:expected):\s{1,8}(?P<value>\S.*)$")
_ACTUAL = re.compile(r"\s{0,20}(?i:got|actual):\s{1,8}(?P<value>\S.*)$")


@dataclass(frozen=True, slots=True)
class RubyFrame:
    """One stack frame."""

    file: str
    line: int
    function: str = ""

    def related(self) -> Related:
        """The frame as a place that belongs to an error."""
        return Related(file=self.file, line=self.line, message=f"in {self.function}" if self.function else "")


def frame(text: str) -> RubyFrame | None:
    """The frame in a line of a stack; None if it has none."""
    match = _FRAME.match(text) if ":" in text and len(text) < 1000 else None
    if match is None or not (match["function"] or "." in match["file"] or "file" in match["file"]):
        return None
    return RubyFrame(match["file"], int(match["line"]), (match["function"] or "").strip("`'"))


def blame(frames: Iterable[RubyFrame], paths: Paths) -> RubyFrame | None:
    """The innermost frame inside the repository."""
    return next((f for f in frames if not _INNER.match(f.file) and paths.inside(f.file)), None)


def category(message: str, otherwise: Category) -> Category:
    """The category of an error by the exception that its message names."""
    if "SyntaxError" in message[:80]:
        return Category.SYNTAX
    if "LoadError" in message[:80] or "cannot load such file" in message:
        return Category.IMPORT
    return otherwise


def comparison(lines: Sequence[str]) -> tuple[str | None, str | None]:
    """(expected, actual) in the lines of a failed assertion."""
    expected = next((m["value"] for text in lines if (m := _EXPECTED.match(text))), None)
    actual = next((m["value"] for text in lines if (m := _ACTUAL.match(text))), None)
    if expected is None and actual is None:
        return _diff(lines)
    return expected, actual


def _diff(lines: Sequence[str]) -> tuple[str | None, str | None]:
    if not any(text.strip() == "--- expected" for text in lines):
        return None, None
    body = [text for text in lines if not text.startswith(("---", "+++", "@@"))]
    minus, plus = ([t[1:] for t in body if t.startswith(sign)] for sign in "-+")
    return "\n".join(minus) or None, "\n".join(plus) or None
