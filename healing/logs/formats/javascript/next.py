"""Next.js build (and Create React App): after `Failed to compile.`, a module and its error; lint rows."""

import re
from collections.abc import Iterable

from healing.logs.format import Finding, Format, number
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category, Severity

_START = re.compile(r"\s{0,3}(?:⨯ )?Failed to compile\.?\s{0,9}$|Linting and checking validity")
_MODULE = re.compile(
    r"(?P<file>(?:\.[\\/]|[\w@(\[][\w@()\[\].-]{0,80}[\\/])[^\s:]{1,400}\.\w{1,8})(?::(?P<line>\d{1,9}):(?P<column>\d{1,9}))?\s{0,9}$"
)
_SAYS = re.compile(
    r"(?P<kind>Type error|Module not found|Syntax error|SyntaxError|Error"
    r"|Attempted import error)(?:: |$)(?P<message>.*)$"
)
_ROW = re.compile(
    r"(?:(?P<line>\d{1,9}):(?P<column>\d{1,9})\s{1,4}(?P<level>Error|Warning): |\s{2}Line "
    r"(?P<row>\d{1,9})(?::(?P<col>\d{1,9}))?:\s{1,8})"
    r"(?P<message>\S.*?)(?:\s{2,40}(?P<code>[@\w][\w@/-]{1,100}))?\s{0,9}$"
)
_PICTURED = re.compile(r"Error:\s{1,4}[×x] ")
_FAR = 400


class _Reader:
    """Reads the lines under a module's name; code frames have formats of their own."""

    def __init__(self, _paths: Paths) -> None:
        self._until = 0
        self._module: re.Match[str] | None = None
        self._at = 0

    @property
    def busy(self) -> bool:
        return self._until > 0

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if _START.match(text.strip()):
            self._until, self._module = line.number + _FAR, None
            return ()
        if line.number > self._until or text.startswith(("npm error", "npm ERR!")):
            self._until = 0
            return ()
        if module := _MODULE.match(text):
            self._module, self._at = module, line.number
            return ()
        if self._module is None:
            return ()
        if row := _ROW.match(text):
            return (_row(self._module, row, line),)
        if line.number - self._at == 1 and (says := _SAYS.match(text)) and not _PICTURED.match(text):
            return (_words(self._module, says, line, self._at),)
        return ()

    def close(self) -> Iterable[Finding]:
        return ()


def _row(module: re.Match[str], row: re.Match[str], line: Line) -> Finding:
    warning = row["level"] == "Warning"
    return Finding(
        tool="eslint",
        code=row["code"],
        category=Category.SYNTAX if row["message"].startswith("Parsing error") else Category.LINT,
        severity=Severity.WARNING if warning else Severity.ERROR,
        message=row["message"],
        file=module["file"],
        line=number(row["line"] or row["row"]),
        column=number(row["column"] or row["col"]),
        log_line=line.number,
        excerpt=line.text,
        score=0.2 if warning else 1.0,
    )


_KINDS = {"Type error": Category.TYPE, "Module not found": Category.IMPORT, "Attempted import error": Category.IMPORT}


def _words(module: re.Match[str], says: re.Match[str], line: Line, first: int) -> Finding:
    return Finding(
        tool="next",
        category=_KINDS.get(says["kind"], Category.SYNTAX if "yntax" in says["kind"] else Category.COMPILE),
        message=says.string.strip() if says["kind"] != "Type error" else says["message"],
        file=module["file"],
        line=number(module["line"]),
        column=number(module["column"]),
        log_line=line.number,
        span=(first, line.number),
        excerpt=f"{module.string}\n{line.text}",
    )


FORMAT = Format("next", ("Failed to compile", "Linting and checking"), _Reader, before=0)
