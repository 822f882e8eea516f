"""Makes a finding of the lines under a failed test of a JavaScript runner."""

import re
from collections.abc import Sequence

from healing.logs.failed_tests import FailedTestOutput
from healing.logs.format import Finding
from healing.logs.formats.javascript._stacks import (
    JavascriptError,
    JavascriptFrame,
    blame,
    category,
    parse_error,
)
from healing.logs.paths import Paths
from healing.model import Category

_SOURCE = r"(?P<file>(?:file:///?|[A-Za-z]:[\\/]|/)?[^\s:()\"'`]{1,400}\.(?:[cm]?[jt]sx?|vue|svelte|json|css|mdx?))"
_PLACES = (  # places in messages about a file that could not be read
    re.compile(rf"\s{{0,8}}(?:File: )?{_SOURCE}:(?P<line>\d{{1,9}}):(?P<column>\d{{1,9}})(?:: ERROR: (?P<words>.*))?$"),
    re.compile(
        rf"\s{{0,8}}(?P<words>\w{{0,30}}Error: ){_SOURCE}: .{{1,300}}\((?P<line>\d{{1,9}}):(?P<column>\d{{1,9}})\)"
    ),
    re.compile(rf".{{0,400}}\({_SOURCE}(?P<line>)(?P<column>)\)$"),
)


_DIFF = re.compile(r"Difference|[-+] ")


def failure(
    tool: str, block: FailedTestOutput, paths: Paths, *, test: bool = True, preamble: re.Pattern[str] | None = None
) -> Finding:
    """The failure in `block`; `test` is False for an error outside tests."""
    error = parse_error(block.lines, preamble)
    expected, actual = _sides(error)
    place = blame(error.frames, paths) or _in_words(block.lines, paths) or _heading(block)
    message = error.message or block.title
    if _DIFF.match(message):
        message = (
            f"expected {expected.strip(' ,')}, got {(actual or 'nothing').strip(' ,')}" if expected else block.title
        )
    kind = category(error.error, message, Category.TEST if test else Category.RUNTIME)
    return Finding(
        tool=tool,
        category=kind,
        message=message,
        file=place.file if place else block.file,
        line=(place.line or None) if place else block.line,
        column=place.column if place else block.column,
        log_line=block.first,
        span=(block.first, max(block.first, block.last)),
        related=tuple(frame.related() for frame in reversed(error.frames[:30])),
        test=block.title if test else None,
        expected=expected,
        actual=actual,
        excerpt="\n".join([block.title, *block.lines]).rstrip(),
        # What a test compared is data; a block about a file that could not be loaded has a compiler's own output.
        repeats=test and kind is Category.TEST and block.title != block.file,
    )


def _sides(error: JavascriptError) -> tuple[str | None, str | None]:
    """The expected and the actual value; none where a diff of two orders has the same text on both sides."""
    same = error.expected is not None and error.expected.strip(" ,") == (error.actual or "").strip(" ,")
    return (None, None) if same else (error.expected, error.actual)


def _heading(block: FailedTestOutput) -> JavascriptFrame | None:
    return JavascriptFrame(block.file, block.line, block.column) if block.file and block.line else None


def _in_words(lines: Sequence[str], paths: Paths) -> JavascriptFrame | None:
    for text in lines[:40]:
        for pattern in _PLACES:
            match = pattern.match(text[:900]) if "." in text else None
            if match and paths.inside(match["file"]):
                return JavascriptFrame(match["file"], int(match["line"] or 0), int(match["column"] or 0) or None)
    return None
