"""The go command's module errors: missing from go.mod or go.sum, not found, or requiring a newer Go."""

import re
from collections.abc import Iterable
from dataclasses import replace

from healing.logs.format import Finding, Format, number
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category

_PLACE = re.compile(
    r"(?:go: )?(?P<file>(?:[A-Za-z]:[\\/])?[\w.@+~/\\-]{0,300}?go\.(?:mod|sum"
    r"|work)):(?P<line>\d{1,9})(?::(?P<column>\d{1,9}))?:"
    r" (?P<message>\S.*)$"
)
_COMMAND = re.compile(
    r"(?:go(?: build| list| mod \w{2,10}| get| install| run| vet| test)?|build [\w./@-]{1,200}): (?P<message>\S.*)$"
)
_BARE = re.compile(
    r"(?P<message>(?:package [\w./@-]{1,300} (?:is not in|is not a|imports )|no Go files in |no non-test Go files"
    r"|missing go\.sum entry|verifying [\w./@-]{1,300}: |cannot find (?:main )?(?:module|package)"
    r"|import cycle not allowed"
    r"|build constraints exclude all|found packages |no required module provides package |cannot load ).*)$"
)
_NEWS = re.compile(
    r"(?:downloading|finding|found|extracting|added|upgraded|downgraded|removed|creating|to add module|copying"
    r"|adding|updating|updated|warning|using|switching to|stripping|trying|converting|no packages loaded|verified"
    r"|all modules verified|module .{0,200} is deprecated|errors parsing|reusing) ?"
)
_WORDS = re.compile(
    r"cannot|could not|can't|unknown|invalid|missing|not found|no such|requires|needed|inconsistent|errors? |fail"
    r"|mismatch|no required|does not|disabled|not in|reading |unrecognized|malformed|ambiguous|conflict|unable|denied"
    r"|excluded?|cycle|outside|no matching|timeout|refused|\bused for two"
)
_TO_DO = re.compile(r"(?:go (?:get|mod|install|work)|export |GO[A-Z]{3,20}=)")
_CHAIN = re.compile(r"package (?P<message>[\w./@-]{1,300})(?:\n|$)")  # followed by the imports that led to the error
_BROKEN = re.compile(
    r"import cycle|is not in |cannot find|not found|exclude|no Go files|no required|missing|local import"
)
_LINES = 16


class _Reader:
    """Reads errors with the indented lines under them; the last command among those is the suggestion."""

    def __init__(self, _paths: Paths) -> None:
        self._open: Finding | None = None

    @property
    def busy(self) -> bool:
        return self._open is not None

    def read(self, line: Line) -> Iterable[Finding]:
        if self._open is not None and self._joins(line):
            return ()
        done = self.close()
        self._open = _finding(line)
        return done

    def close(self) -> Iterable[Finding]:
        done, self._open = self._open, None
        if done and _CHAIN.match(done.excerpt) and not _BROKEN.search(done.message):
            return ()
        return (done,) if done else ()

    def _joins(self, line: Line) -> bool:
        error, text = self._open, line.text
        if error is None or not text.startswith("\t") or error.excerpt.count("\n") > _LINES:
            return False
        suggestion = text.strip() if _TO_DO.match(text.strip()) else error.suggestion
        message = error.message if suggestion == text.strip() else f"{error.message}\n{text.strip()}"
        self._open = replace(
            error,
            message=message,
            suggestion=suggestion,
            excerpt=f"{error.excerpt}\n{text}",
            span=(error.log_line, line.number),
        )
        return True


def _finding(line: Line) -> Finding | None:
    text = line.text
    place = _PLACE.match(text)
    match = place or _COMMAND.match(text) or _BARE.match(text) or _CHAIN.match(text)
    if match and match.re is _CHAIN:
        return _made(line, text, None)
    if match is None or _NEWS.match(match["message"]):
        return None
    if not place and text.startswith("go: ") and not _WORDS.search(match["message"]):
        return None
    if not place and not text.startswith("go: ") and not _BARE.match(match["message"]):
        return None
    message = match["message"].removesuffix("; to add it:").removesuffix("; to add:").removesuffix("; to update it:")
    return _made(line, message, place)


def _made(line: Line, message: str, place: re.Match[str] | None) -> Finding:
    return Finding(
        tool="go",
        category=Category.DEPENDENCY,
        message=message,
        file=place["file"] if place else None,
        line=number(place["line"]) if place else None,
        column=number(place["column"]) if place else None,
        log_line=line.number,
        excerpt=line.text,
    )


FORMAT = Format(
    "go-modules",
    (
        "go: ",
        "go.mod:",
        "go.work:",
        "go.sum",
        "go list: ",
        "go build: ",
        "go build ",
        "build ",
        "is not in ",
        "no Go files",
        "cannot find module",
        "cannot find package",
        "cannot find main module",
        "no required module",
        "verifying ",
        "import cycle",
        "build constraints exclude",
        "found packages ",
    ),
    _Reader,
    before=8,
)
