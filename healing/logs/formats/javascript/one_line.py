"""One-line forms of ESLint, stylelint, JSHint, TSLint and standard: compact, unix, visualstudio, prose."""

import re
from collections.abc import Mapping
from typing import Any

from healing.logs.format import Finding, line_format, number
from healing.logs.formats.javascript.stylish import category
from healing.logs.lines import Line
from healing.model import Severity

_FILE = r"(?P<file>(?:[A-Za-z]:[\\/])?[^\s:\[(][^:\[]{0,400})"
_WEB = re.compile(
    r".*\.(?:[cm]?[jt]sx?|vue|svelte|astro|mdx?|s?css|sass|less|pcss|sss|html?|json[5c]?|ya?ml"
    r"|graphql|gql|hbs|sol)$"
)
_AT = r"(?P<line>\d{1,9}):(?P<column>\d{1,9})"
_COMPACT = re.compile(
    rf"{_FILE}: line (?P<line>\d{{1,9}}), col(?:umn)? (?P<column>\d{{1,9}}), (?P<level>Error|Warning|error|warning)"
    r" - (?P<message>.*?\S) ?(?:\((?P<code>[\w@/.-]{2,100})\))?\s{0,9}$"
)
_JSHINT = re.compile(
    rf"{_FILE}: line (?P<line>\d{{1,9}}), col (?P<column>\d{{1,9}}), "
    r"(?!(?:Error|Warning|error|warning) - )(?P<message>\S.*?)(?: \((?P<code>[EWI]\d{3})\))?\s{0,9}$"
)
_UNIX = re.compile(
    rf"{_FILE}:{_AT}:? (?P<message>\S.*?) (?:\((?P<rule>[\w@/.-]{{2,100}})\) )?"
    r"\[(?P<level>Error|Warning|error|warning)(?:/(?P<code>[\w@/.()-]{1,120}))?\]\s{0,9}$"
)
_STUDIO = re.compile(
    rf"{_FILE}\((?P<line>\d{{1,9}}),(?P<column>\d{{1,9}})\): (?P<level>error|warning) "
    r"(?P<code>(?![A-Z]{1,6}\d{2,6}\b)[\w@/.-]{0,100}?) ?: (?P<message>\S.*)$"
)
_CODEFRAME = re.compile(
    r"\s{0,4}(?P<level>error|warning): (?P<message>\S.{0,2000}?) (?:\((?P<code>[\w@/.-]{2,100})\) )?at "
    rf"(?P<file>[^\s:][^:]{{0,400}}):{_AT}:\s{{0,9}}$"
)
_STANDARD = re.compile(  # standardrb's form for Ruby is the same
    rf"\s{{2}}(?P<file>(?:[A-Za-z]:[\\/])?[^\s:][^:]{{0,400}}\.(?:[cm]?[jt]sx?|vue|html"
    rf"|md)):{_AT}: (?P<message>\S.*?)(?: \((?P<code>null|[a-z@][\w@/.-]{{1,100}})\))?"
    rf"(?P<level> \(warning\))?\s{{0,9}}$"
)
_TSLINT = re.compile(
    r"(?:(?P<level>ERROR|WARNING): )?(?:\((?P<code>[\w-]{2,60})\) )?"
    r"(?P<file>(?:[A-Za-z]:[\\/])?[^\s:\[(][^:\[]{0,400}\.[jt]sx?)"
    r"(?:\[(?P<line>\d{1,9}), (?P<column>\d{1,9})\]: |:(?P<row>\d{1,9}):(?P<col>\d{1,9}) - )(?P<message>\S.*)$"
)


def _finding(tool: str, groups: Mapping[str, Any], line: Line, level: str | None) -> Finding:
    code = groups["code"] or groups.get("rule")
    code = None if code in ("", "null") else code
    warning = "warning" in (level or "").lower()
    return Finding(
        tool=tool,
        code=code,
        category=category(code, groups["message"]),
        severity=Severity.WARNING if warning else Severity.ERROR,
        message=groups["message"],
        file=groups["file"],
        line=number(groups["line"] or groups.get("row")),
        column=number(groups["column"] or groups.get("col")),
        log_line=line.number,
        excerpt=line.text,
        score=0.2 if warning else 1.0,
    )


def _eslint(groups: Mapping[str, Any], line: Line) -> Finding | None:
    """The finding of ESLint, stylelint or oxlint, whose formatters are alike; the file's type distinguishes stylelint,
    and all of them from MSBuild."""
    if not _WEB.match(groups["file"]):
        return None
    styles = groups["file"].endswith((".css", ".scss", ".sass", ".less", ".pcss", ".sss"))
    tool = "stylelint" if styles else "oxlint" if "(" in (groups["code"] or "") else "eslint"
    return _finding(tool, groups, line, groups["level"])


def _jshint(groups: Mapping[str, Any], line: Line) -> Finding:
    return _finding("jshint", groups, line, "warning" if (groups["code"] or "").startswith("I") else None)


def _standard(groups: Mapping[str, Any], line: Line) -> Finding | None:
    """The finding of standard, whose messages end with a full stop and, since version 15, a rule."""
    if not groups["code"] and not groups["message"].endswith("."):
        return None
    return _finding("standard", groups, line, groups["level"])


def _tslint(groups: Mapping[str, Any], line: Line) -> Finding | None:
    if not groups["level"] and not groups["line"]:
        return None
    return _finding("tslint", groups, line, groups["level"])


FORMATS = (
    line_format(
        "eslint-one-line",
        (
            *(", Error - ", ", Warning - ", ", error - ", ", warning - "),
            *(" [Error", " [Warning", " [error]", " [warning]"),
            *("): error ", "): warning ", "error: ", "warning: "),
        ),
        (_COMPACT, _eslint),
        (_UNIX, _eslint),
        (_STUDIO, _eslint),
        (_CODEFRAME, _eslint),
    ),
    line_format("jshint", (", col ",), (_JSHINT, _jshint)),
    line_format(
        "standard",
        tuple(f".{e}:" for e in ("js", "mjs", "cjs", "jsx", "ts", "tsx", "vue", "html")),
        (_STANDARD, _standard),
    ),
    line_format("tslint", (".ts[", ".tsx[", ".js[", "ERROR: ", "WARNING: "), (_TSLINT, _tslint)),
)
