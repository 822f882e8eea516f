"""Tables with columns for lines and messages, with bars of any kind; the first row names the columns."""

import re
from collections.abc import Iterable

from healing.logs.format import Finding, Format, number
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.logs.wording import default_score, read_words
from healing.model import Category, Severity

_BAR = re.compile(r"[|│┃║]")
_RULE = re.compile(r"[\s|│┃║+\-=─━═╔╗╚╝╟╢╠╣┌┐└┘├┤┬┴┼┏┓┗┛┣┫┳┻╋╪╤╧╞╡:]{3,400}$")
_NAMES = {
    "file": ("file", "path", "filename", "file name", "file path", "location"),
    "line": ("line", "line number", "ln", "row", "#", "line no"),
    "column": ("column", "col"),
    "message": (
        "message",
        "description",
        "error",
        "problem",
        "issue",
        "msg",
        "title",
        "violation",
        "reason",
        "details",
    ),
    "level": ("severity", "level", "type", "priority"),
    "code": ("rule", "code", "id", "check", "rule id", "rule name"),
}
_PLACE = re.compile(r"(?P<file>[^\s:]{1,300}):(?P<line>\d{1,7})(?::(?P<column>\d{1,6}))?$")


class _Reader:
    """Reads tables; busy from a row of column names to the end of the table."""

    def __init__(self, _paths: Paths) -> None:
        self._columns: dict[str, int] = {}
        self._file = ""

    @property
    def busy(self) -> bool:
        return bool(self._columns)

    def read(self, line: Line) -> Iterable[Finding]:
        if len(line.text) > 2_000 or len(cells := _cells(line.text)) < 2:
            if self._columns and not _RULE.match(line.text):
                self._columns = {}
            return ()
        if columns := _named(cells):
            self._columns, self._file = columns, _file_of(cells)
            return ()
        if not self._columns or _RULE.match(line.text):
            return ()
        return self._row(cells, line)

    def close(self) -> Iterable[Finding]:
        return ()

    def _row(self, cells: list[str], line: Line) -> Iterable[Finding]:
        fields = {name: cells[at] for name, at in self._columns.items() if at < len(cells)}
        file = fields.get("file") or self._file
        if match := _PLACE.match(file):
            fields, file = {**match.groupdict(default=""), **fields, "line": match["line"]}, match["file"]
        row, message = number(fields.get("line")), fields.get("message", "")
        if not file or row is None or not message or "." not in file:
            return ()
        words = read_words(f"{fields['level']}: {message}" if fields.get("level") else message)
        severity = words.severity or Severity.ERROR
        return (
            Finding(
                tool="generic",
                category=Category.LINT,
                code=fields.get("code") or words.code,
                severity=severity,
                message=words.message,
                file=file,
                line=row,
                column=number(fields.get("column")),
                log_line=line.number,
                excerpt=line.text,
                score=default_score(severity),
            ),
        )


def _cells(text: str) -> list[str]:
    if not _BAR.search(text):
        return []
    return [cell.strip() for cell in _BAR.split(text.strip())[1 if _BAR.match(text.strip()) else 0 :]]


def _named(cells: list[str]) -> dict[str, int]:
    """The index of each known column; {} unless the row names a line or place, and a message."""
    columns: dict[str, int] = {}
    for at, cell in enumerate(cells):
        for name, words in _NAMES.items():
            if cell.lower() in words:
                columns.setdefault(name, at)
    if "message" not in columns and "line" in columns and _file_of(cells):
        columns["message"] = next(at for at, cell in enumerate(cells) if cell == _file_of(cells))
    placed = "line" in columns or ("file" in columns and "location" in (cell.lower() for cell in cells))
    return columns if placed and "message" in columns else {}


def _file_of(cells: list[str]) -> str:
    """The file in a row of column names; a table for one file has it as the name of the message column."""
    return next((cell for cell in cells if re.match(r"[\w./\\-]{1,300}\.\w{1,12}$", cell)), "")


FORMAT = Format(
    "generic-table",
    (
        "| Line",
        "| line",
        "│ Line",
        "│ line",
        "| File",
        "│ File",
        "| LINE",
        "│ LINE",
        "| Location",
        "│ Location",
        "|Line",
        "┃ Line",
    ),
    _Reader,
    rank=0,
    before=0,
)
