"""PHP's analyzers with one-line findings: psalm, phpcs (emacs), phpmd, phpstan (raw), and unformatted files."""

import re
from collections.abc import Mapping
from typing import Any

from healing.logs.format import Build, Finding, at_line, line_format, number
from healing.logs.lines import Line
from healing.model import Category, Severity

_FILE = r"(?P<file>(?:[A-Za-z]:[\\/]|/)?[^\s:'\"][^:'\"]{0,400}?\.(?:php|phtml|inc|phpt|module|install|theme))"
_AT = r":(?P<line>\d{1,9})"
_COLUMN = r":(?P<column>\d{1,9})"
_LEVELS = {"warning": Severity.WARNING, "info": Severity.NOTE}

_PSALM = re.compile(
    rf"(?P<level>ERROR"
    rf"|INFO): (?P<code>[A-Z]\w{{2,80}}) - {_FILE}{_AT}{_COLUMN} - "
    rf"(?P<message>\S.*?)(?: \(see https?://\S{{1,200}}\))?$"
)
_PSALM_LINE = re.compile(
    rf"{_FILE}{_AT}{_COLUMN}:\s?(?P<level>error|warning|info) - (?P<code>[A-Z]\w{{2,80}}): (?P<message>\S.*)$"
)
_EMACS = re.compile(
    rf"{_FILE}{_AT}{_COLUMN}: (?P<level>error"
    rf"|warning) - (?P<message>\S.*?)(?: \((?P<code>\w{{1,60}}(?:\.\w{{1,60}}){{1,4}})\))?$"
)
_PHPMD = re.compile(rf"{_FILE}{_AT}\s{{1,4}}(?P<code>[A-Z][A-Za-z]{{2,60}})?\s{{1,40}}(?P<message>[A-Z].*)$")
_RAW = re.compile(rf"{_FILE}{_AT}:(?P<message>[A-Z$\\].*?)(?: \[identifier=(?P<code>[\w.]{{2,80}})\])?$")
_FIXER = re.compile(rf"\s{{1,6}}\d{{1,6}}\) {_FILE}(?: \((?P<rules>[\w, /]{{2,600}})\))?$")
_RECTOR = re.compile(rf"\s{{0,4}}\d{{1,6}}\) (?!/){_FILE}{_AT}$")  # PHPUnit lists places with absolute paths
_PINT = re.compile(rf"\s{{1,4}}⨯ {_FILE}\s{{1,80}}(?P<rules>[\w, …/]{{2,600}})$")


def _row(tool: str, severity: Severity = Severity.ERROR) -> Build:
    def build(groups: Mapping[str, Any], line: Line) -> Finding:
        level = (groups.get("level") or "").lower()
        return _finding(tool, groups, line, _LEVELS.get(level, severity), groups["message"])

    return build


def _unformatted(tool: str) -> Build:
    def build(groups: Mapping[str, Any], line: Line) -> Finding:
        rules = groups.get("rules")
        fields = {**groups, "code": "unformatted"}
        return _finding(
            tool, fields, line, Severity.ERROR, f"would be changed: {rules}" if rules else "would be changed"
        )

    return build


def _finding(tool: str, groups: Mapping[str, Any], line: Line, severity: Severity, message: str) -> Finding:
    by_tool = {"psalm": Category.TYPE, "phpstan": Category.TYPE}.get(tool, Category.LINT)
    return Finding(
        tool=tool,
        code=groups.get("code"),
        category=Category.FORMAT if groups.get("code") == "unformatted" else by_tool,
        severity=severity,
        message=message,
        file=groups["file"],
        line=number(groups.get("line")),
        column=number(groups.get("column")),
        log_line=line.number,
        excerpt=line.text,
        suggestion="Run the formatter on this file." if groups.get("code") == "unformatted" else None,
        score=1.0 if severity is not Severity.NOTE else 0.2,
    )


FORMAT = line_format(
    "php-lint",
    (*at_line(".php", ".phtml", ".inc", ".module"), ".php\n", ".php (", "⨯ "),
    (_PSALM, _row("psalm")),
    (_PSALM_LINE, _row("psalm")),
    (_EMACS, _row("phpcs")),
    (_PHPMD, _row("phpmd", Severity.WARNING)),
    (_RAW, _row("phpstan")),
    (_FIXER, _unformatted("php-cs-fixer")),
    (_PINT, _unformatted("pint")),
    (_RECTOR, _unformatted("rector")),
)
