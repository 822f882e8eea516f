"""mypy: errors with their codes, columns and end positions; notes joined to their error; --pretty code frames."""

import re
from collections.abc import Iterable
from dataclasses import replace

from healing.logs.format import Finding, Format, at_line, number
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category, Related, Severity

_ROW = re.compile(
    # argparse prints the same of a program's arguments
    r"(?!.{1,200}\.py: error: (?:unrecognized arguments|the following arguments are required|argument .{1,80}): )"
    r"(?P<file>(?:[A-Za-z]:[\\/])?[^\s:][^:]{0,400}\.(?:pyi?|ipynb)(?:\[\d+\])?)"
    r"(?::(?P<line>\d{1,9})(?::(?P<column>\d{1,9})(?::(?P<end_line>\d{1,9}):(?P<end_column>\d{1,9}))?)?)?"
    r": (?P<level>error|warning|note|info): (?P<message>.*)$"
)
_CODE = re.compile(r"\s{1,3}\[(?P<code>[a-z][a-z0-9-]{1,40})\]$")
_SETUP = re.compile(
    r"(?:mypy|(?P<file>[\w./-]{1,200}\.(?:ini|toml|cfg))): (?:\[mypy[^\]]{0,80}\]: |error: )(?P<message>.*)$"
)
_CARET = re.compile(r"\s{4}\s*\^~*\s*$")
_CATEGORIES = {"import-not-found": Category.IMPORT, "import": Category.IMPORT, "syntax": Category.SYNTAX}
_LEVELS = {"error": Severity.ERROR, "warning": Severity.WARNING, "note": Severity.NOTE, "info": Severity.NOTE}
_NOTES = 20


class _Reader:
    """Holds each error until the next row, so that its notes, wrapped message and code frame can be added."""

    def __init__(self, _paths: Paths) -> None:
        self._open: Finding | None = None

    @property
    def busy(self) -> bool:
        return self._open is not None

    def read(self, line: Line) -> Iterable[Finding]:
        match = _ROW.match(line.text) if ": " in line.text else None
        if match is None:
            if self._open is not None and self._joins(line):
                return ()
            return (*self.close(), *_setup(line))
        if match["level"] == "note" and self._joins_note(match):
            return ()
        done = self.close()
        self._open = _finding(match, line)
        return done

    def close(self) -> Iterable[Finding]:
        done, self._open = self._open, None
        return (done,) if done else ()

    def _joins_note(self, match: re.Match[str]) -> bool:
        error = self._open
        if error is None or error.file != match["file"] or error.severity is Severity.NOTE:
            return False
        note = Related(file=match["file"], line=number(match["line"]), message=match["message"])
        if len(error.related) < _NOTES:
            self._open = replace(error, related=(*error.related, note), excerpt=f"{error.excerpt}\n{match.string}")
        return True

    def _joins(self, line: Line) -> bool:
        """Whether the line belongs to the open error with --pretty: the wrapped message up to the code, then the
        indented source and its caret. If so, adds it."""
        error, text = self._open, line.text
        if error is None or error.excerpt.count("\n") > 2 * _NOTES:
            return False
        if text.startswith("    "):
            span = (error.log_line, line.number) if _CARET.match(text) else error.span
            self._open = replace(error, excerpt=f"{error.excerpt}\n{text}", span=span)
            return True
        if error.code or error.span or not text.strip() or text.startswith(("Found ", "Success")):
            return False
        if error.excerpt.count("\n") > 3 or len(error.excerpt) < 60:  # mypy wraps at the terminal's width
            return False
        message, code = _split(f"{error.message} {text}".replace("  ", " "))
        self._open = replace(
            error, message=message, code=code, category=_category(code), excerpt=f"{error.excerpt}\n{text}"
        )
        return True


def _finding(match: re.Match[str], line: Line) -> Finding:
    message, code = _split(match["message"])
    return Finding(
        tool="mypy",
        code=code,
        category=_category(code) if match["line"] else Category.CONFIG,
        severity=_LEVELS[match["level"]],
        message=message,
        file=match["file"],
        line=number(match["line"]),
        column=number(match["column"]),
        end_line=number(match["end_line"]),
        end_column=number(match["end_column"]),
        log_line=line.number,
        excerpt=line.text,
        score=1.0 if match["level"] == "error" else 0.2,
    )


def _setup(line: Line) -> Iterable[Finding]:
    match = _SETUP.match(line.text)
    if match is None:
        return ()
    return (
        Finding(
            tool="mypy",
            category=Category.CONFIG,
            message=match["message"],
            file=match["file"],
            log_line=line.number,
            excerpt=line.text,
        ),
    )


def _split(message: str) -> tuple[str, str | None]:
    match = _CODE.search(message[-60:])
    return (message[: len(message) - len(match[0])], match["code"]) if match else (message, None)


def _category(code: str | None) -> Category:
    return _CATEGORIES.get(code or "", Category.TYPE)


FORMAT = Format("mypy", (*at_line(".py", ".pyi", ".ipynb"), ".py: ", ".pyi: ", "mypy: ", ": [mypy"), _Reader)
