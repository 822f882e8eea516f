"""Kotlin: kotlinc by itself, in Gradle and for Android; ktlint and detekt."""

import re
from collections.abc import Mapping
from typing import Any

from healing.logs.format import Finding, at_line, line_format, number
from healing.logs.lines import Line
from healing.model import Category, Severity

_FILE = r"(?:file:/{1,3}(?=[A-Za-z]:|/)|file://)?(?P<file>(?:[A-Za-z]:[\\/]|/)?[^\s:(][^:(]{0,400}?\.(?:kts?|java))"
_STAMP = r"(?:\[[\w:.,+-]{8,40}\]\s{1,4}|> Task \S{1,200}\s{1,4})?"
_SHORT = re.compile(
    rf"{_STAMP}(?P<level>[ewv]): (?:\[(?P<plugin>\w{{2,10}})\] )?{_FILE}"
    r":(?: \((?P<row>\d{1,9}), (?P<col>\d{1,9})\):|(?P<line>\d{1,9}):(?P<column>\d{1,9}):?) (?P<message>\S.*)$"
)
_PLAIN = re.compile(
    rf"{_FILE}:(?P<line>\d{{1,9}}):(?P<column>\d{{1,9}}): (?P<level>error|warning|info|exception): (?P<message>\S.*)$"
)
_BARE = re.compile(
    r"e: (?:\[(?P<plugin>\w{2,10})\] |java\.lang\.|warnings found and -Werror|.{0,40}[Ii]ncompatible"
    r"|Could not)(?P<message>.*)$"
)
_KTLINT = re.compile(
    rf"{_FILE}:(?P<line>\d{{1,9}}):(?P<column>\d{{1,9}}): (?:(?:Lint error|error) > )?(?P<message>[^\[\]]{{3,600}}?) "
    r"\((?P<code>(?:[a-z][\w-]{1,40}:)?[a-z][a-z-]{2,80})\)$"
)
_LINT_ERROR = re.compile(
    rf"{_FILE}:(?P<line>\d{{1,9}}):"
    rf"(?P<column>\d{{1,9}}):? (?:Lint error > \[(?P<code>[\w:-]{{2,80}})\] )(?P<message>\S.*)$"
)
_DETEKT = re.compile(
    rf"\s{{0,4}}(?:e: "
    rf"|w: )?{_FILE}:"
    rf"(?P<line>\d{{1,9}}):(?P<column>\d{{1,9}}): (?P<message>\S.{{2,600}}?) \[(?P<code>[A-Z]\w{{2,80}})\]$"
)
_OLD_DETEKT = re.compile(
    r"\s{0,8}(?:- )?(?P<code>[A-Z]\w{2,80}) - (?:\d{1,6}/\d{1,6} - )?(?P<message>\[.{0,300}?\]) at "
    rf"{_FILE}:(?P<line>\d{{1,9}}):(?P<column>\d{{1,9}})(?: - .*)?$"
)
_LEVELS = {"w": Severity.WARNING, "warning": Severity.WARNING, "v": Severity.NOTE, "info": Severity.NOTE}


def _compiler(groups: Mapping[str, Any], line: Line) -> Finding | None:
    severity = _LEVELS.get(groups["level"], Severity.ERROR)
    return _finding(
        "ksp" if groups.get("plugin") == "ksp" else "kotlinc",
        groups,
        line,
        severity,
        _category(groups["message"], severity),
    )


def _bare(groups: Mapping[str, Any], line: Line) -> Finding | None:
    message = line.text.removeprefix("e: ")
    tool = groups["plugin"] if groups["plugin"] in ("ksp", "kapt") else "kotlinc"
    return Finding(tool=tool, category=Category.COMPILE, message=message, log_line=line.number, excerpt=line.text)


def _ktlint(groups: Mapping[str, Any], line: Line) -> Finding | None:
    return _finding("ktlint", groups, line, Severity.ERROR, Category.FORMAT)


def _detekt(groups: Mapping[str, Any], line: Line) -> Finding | None:
    if groups["message"].startswith("["):  # has only the subject
        groups = {**groups, "message": f"{groups['code']} - {groups['message']}"}
    return _finding("detekt", groups, line, Severity.ERROR, Category.LINT)


def _finding(tool: str, groups: Mapping[str, Any], line: Line, severity: Severity, what: Category) -> Finding:
    return Finding(
        tool=tool,
        code=groups.get("code"),
        category=what,
        severity=severity,
        message=groups["message"],
        file=groups["file"],
        line=number(groups.get("line") or groups.get("row")),
        column=number(groups.get("column") or groups.get("col")),
        log_line=line.number,
        excerpt=line.text,
        score=1.0 if severity is Severity.ERROR else 0.2,
    )


def _category(message: str, severity: Severity) -> Category:
    if severity is not Severity.ERROR:
        return Category.LINT
    if message.lower().startswith("unresolved reference"):
        return Category.IMPORT
    if re.match(r"[Ee]xpecting |[Ss]yntax error|Unexpected tokens", message):
        return Category.SYNTAX
    return (
        Category.TYPE
        if re.match(r"(?:[Tt]ype mismatch|.{0,20}type mismatch|Argument type)", message)
        else Category.COMPILE
    )


_KOTLIN = (*at_line(".kt", ".kts"), ".kt: (", ".kts: (")
FORMATS = (
    line_format(
        "kotlinc",
        (*_KOTLIN, "e: [", "e: java", "e: warnings", "ncompatible", "e: Could not", ".java:"),
        (_SHORT, _compiler),
        (_PLAIN, _compiler),
        (_BARE, _bare),
    ),
    line_format("ktlint", _KOTLIN, (_LINT_ERROR, _ktlint), (_KTLINT, _ktlint)),
    line_format("detekt", _KOTLIN, (_DETEKT, _detekt), (_OLD_DETEKT, _detekt)),
)
