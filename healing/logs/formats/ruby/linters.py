"""Ruby's smaller linters: erb-lint, haml-lint, slim-lint, reek, brakeman, fasterer, puppet-lint, foodcritic."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from healing.logs.format import Build, Finding, Format, line_format, number
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category, Severity

_FILE = r"(?P<file>(?:[A-Za-z]:[\\/])?[^\s:][^:\t]{0,400}?"
_AT = r":(?P<line>\d{1,9})"
_LEVELS = {"E": Severity.ERROR, "ERROR": Severity.ERROR}


def _finding(tool: str, groups: Mapping[str, Any], line: Line, severity: Severity = Severity.WARNING) -> Finding:
    security = tool == "brakeman"
    return Finding(
        tool=tool,
        code=groups.get("code"),
        category=Category.SECURITY if security else Category.LINT,
        severity=_LEVELS.get(groups.get("level") or "", severity),
        message=groups["message"].strip(),
        file=groups.get("file"),
        line=number(groups.get("line")),
        column=number(groups.get("column")),
        log_line=line.number,
        excerpt=line.text,
    )


_ERB = re.compile(rf"{_FILE}\.(?:erb|rhtml)){_AT}:(?P<column>\d{{1,9}}): (?P<message>\S.*)$")
_TEMPLATE = re.compile(
    rf"{_FILE}\.(?P<ending>haml|slim|inky|skim)){_AT} \[(?P<level>[EWC])\] "
    r"(?:(?P<code>[A-Z]\w{1,60}): )?(?P<message>\S.*)$"
)
_FASTERER = re.compile(rf"\s{{0,4}}{_FILE}\.(?:rb|rake|ru)){_AT} (?P<message>[A-Z].{{0,200}} (?:slower|faster) .*)$")
_PUPPET = re.compile(
    r"(?:(?P<file>\S[^:\n]{0,400}?\.pp) - |(?P<near>\S[^:\n]{0,400}\.pp):)?(?P<level>ERROR|WARNING): "
    r"(?P<message>\S.{0,400}?) on line (?P<line>\d{1,9})(?: col(?:umn)? (?P<column>\d{1,9}))?"
    r"(?: \(check: (?P<code>\w{1,60})\))?$"
)
_FOODCRITIC = re.compile(rf"(?P<code>(?:FC|CB|ETSY)\w{{0,6}}\d{{1,4}}): (?P<message>\S.{{0,400}}?): {_FILE}){_AT}$")
_BRAKEMAN = re.compile(
    r"(?P<file>/?[\w./ -]{1,300}\.\w{1,8})(?:\t|\s{2,8})(?P<line>\d{1,9})(?:\t|\s{2,8})(?P<message>[A-Z].*?)"
    r"(?:\t|\s{2,8})(?P<confidence>High|Medium|Weak)$"
)


def _row(tool: str, severity: Severity = Severity.WARNING) -> Build:
    return lambda groups, line: _finding(tool, groups, line, severity)


def _template(groups: Mapping[str, Any], line: Line) -> Finding:
    return _finding(f"{groups['ending']}-lint", groups, line)


class _Brakeman:
    """Reads the blocks of brakeman's text report: `Message:`, `File:`, `Line:`, each on a line of its own."""

    def __init__(self, _paths: Paths) -> None:
        self._finding: dict[str, str] = {}
        self._first = 0
        self._last = 0

    @property
    def busy(self) -> bool:
        return bool(self._finding)

    def read(self, line: Line) -> Iterable[Finding]:
        name, colon, value = line.text.partition(": ")
        if not colon or name not in ("Confidence", "Category", "Check", "Message", "Code", "File", "Line"):
            return self.close()
        done = self.close() if name == "Confidence" else ()
        if not self._finding and name != "Confidence":
            return done
        if not self._finding:
            self._first = line.number
        self._finding[name], self._last = value.strip()[:2000], line.number
        return done

    def close(self) -> Iterable[Finding]:
        fields, self._finding = self._finding, {}
        if "Message" not in fields or "File" not in fields:
            return ()
        groups = {"message": fields["Message"], "file": fields["File"], "line": fields.get("Line")}
        finding = _finding(
            "brakeman", groups | {"code": fields.get("Check")}, Line(self._first, "\n".join(fields.values()))
        )
        return (replace(finding, span=(self._first, self._last)),)


_SMELL = re.compile(
    r"\s{1,6}(?:\[(?P<lines>\d{1,9}(?:, \d{1,9}){0,200})\]:\s?"
    r"|(?P<file>(?:[A-Za-z]:[\\/])?[^\s:][^:]{0,400}):(?P<line>\d{1,9}): )?"
    r"(?P<code>[A-Z][A-Za-z]{3,40}): (?P<message>\S.*?)(?: \[https?://\S{1,200}\])?$"
)
_SMELLY = re.compile(r"(?P<file>\S.{0,400}?) -- \d{1,6} warnings?:$")


class _Reek:
    """Reads a file's heading, then its smells; each has one line number, several or none."""

    def __init__(self, _paths: Paths) -> None:
        self._file: str | None = None

    @property
    def busy(self) -> bool:
        return self._file is not None

    def read(self, line: Line) -> Iterable[Finding]:
        if head := _SMELLY.match(line.text):
            self._file = head["file"]
            return ()
        match = _SMELL.match(line.text) if self._file else None
        if match is None:
            self._file = None
            return ()
        rows = (match["lines"] or match["line"] or "").split(", ")
        file = match["file"] or self._file
        return [_finding("reek", match.groupdict() | {"file": file, "line": row}, line) for row in rows]

    def close(self) -> Iterable[Finding]:
        return ()


_HINTS = (
    ".erb:", ".rhtml:", " [W] ", " [E] ", " [C] ", " slower ", " faster ", " on line ", "FC0", "FC1", "High", "Medium",
    "Weak",
)  # fmt: skip
FORMATS = (
    line_format(
        "ruby-lint",
        _HINTS,
        (_ERB, _row("erb-lint")),
        (_TEMPLATE, _template),
        (_FASTERER, _row("fasterer")),
        (_PUPPET, _row("puppet-lint")),
        (_FOODCRITIC, _row("foodcritic")),
        (_BRAKEMAN, _row("brakeman")),
    ),
    Format("brakeman", ("Confidence: ",), _Brakeman, before=0),
    Format("reek", (" warning:\n", " warnings:\n"), _Reek),
)
