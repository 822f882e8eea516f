"""MSBuild and tools run by it: C#, F#, VB, analyzers, StyleCop, dotnet format, NuGet, the SDK and test adapters.

Errors of native code (C1234, LNK…) are read by `native/msvc.py`.
"""

import re
from collections.abc import Mapping
from typing import Any

from healing.logs.format import Finding, line_format, number
from healing.logs.lines import Line
from healing.model import Category, Severity

_PREFIX = r"\s{0,12}(?:[\d:.,]{5,20}\s{1,8})?(?:\d{1,4}(?::\d{1,4})?>\s{0,4})?"
_CODE = r"(?P<code>(?!TS\d|(?:C|LNK|RC|CVT|VCR|D|A|U|PRJ|MIDL|CXX)\d{1,5}:)(?:[A-Z][A-Za-z_]{0,20}\d{1,6}|[A-Z]{4,20}))"
_PROJECT = r"(?:\s\[(?P<project>[^\[\]]{1,400}\.\w{2,10}(?:::[^\[\]]{1,200})?)\])?\s{0,2}$"
_ROW = re.compile(
    rf"{_PREFIX}(?P<file>(?:[A-Za-z]:[\\/]|/)?[^\s():\"<>|][^():\"<>|]{{0,400}}|[A-Za-z]:[\\/][^:\"<>|]{{1,400}}?)"
    r"\((?P<line>\d{1,9})(?:,(?P<column>\d{1,9}))?(?:,(?P<end_line>\d{1,9}),(?P<end_column>\d{1,9})"
    r"|-\d{1,9}(?:,\d{1,9})?)?\)"
    rf"\s?: (?:(?P<sub>\w{{1,20}}) )?(?P<level>error|warning|info|hidden) {_CODE}\s?: (?P<message>\S.*?){_PROJECT}"
)
_BARE = re.compile(
    rf"{_PREFIX}(?P<file>(?:[A-Za-z]:[\\/])?[^\s:][^:\"<>|]{{0,400}}?)\s?: (?P<level>error|warning)"
    rf" {_CODE}\s?: (?P<message>\S.*?){_PROJECT}"
)
_ALONE = re.compile(rf"{_PREFIX}(?P<level>error|warning) {_CODE}\s?: (?P<message>\S.*?){_PROJECT}")
_PLACE = re.compile(r".*\.\w{1,12}$")
_ECHO = re.compile(r"The (?:command|task|\"[^\"]{1,80}\" task).{0,400}(?:exited with code|failed\.?$)|Build failed")
_OWN = (".targets", ".props", ".tasks")


def _build(groups: Mapping[str, Any], line: Line) -> Finding | None:
    severity = {"error": Severity.ERROR, "warning": Severity.WARNING}.get(groups["level"], Severity.NOTE)
    code, message, file = groups["code"], groups["message"], groups.get("file")
    row = number(groups.get("line"))
    if code.startswith("MSB"):
        if severity is Severity.WARNING and (file or "").endswith(_OWN):  # about the machine, not the code
            severity = Severity.NOTE
        if _ECHO.match(message):
            return None
    file = file if file and _PLACE.match(file) else None
    if file is None or file.endswith(_OWN):
        file, row = _project(groups.get("project")) or file, None if not file or groups.get("project") else row
    return Finding(
        tool=_tool(code),
        code=code,
        category=_category(code, severity),
        severity=severity,
        message=message,
        file=file,
        line=row,
        column=number(groups.get("column")) if row else None,
        end_line=number(groups.get("end_line")),
        end_column=number(groups.get("end_column")),
        log_line=line.number,
        excerpt=line.text,
        score={Severity.ERROR: 1.0, Severity.WARNING: 0.2, Severity.NOTE: 0.1}[severity],
    )


def _project(project: str | None) -> str | None:
    return project.partition("::")[0] if project else None


def _tool(code: str) -> str:
    for prefix, tool in _TOOLS:
        if code.startswith(prefix):
            return tool
    return "msbuild"


_TOOLS = (
    ("CS", "csc"), ("FS", "fsc"), ("BC", "vbc"), ("NU", "nuget"), ("SA", "stylecop"), ("SX", "stylecop"),
    ("CA", "roslyn"), ("IDE", "roslyn"), ("WHITESPACE", "dotnet-format"), ("CHARSET", "dotnet-format"),
    ("FINALNEWLINE", "dotnet-format"), ("ENDOFLINE", "dotnet-format"), ("IMPORTS", "dotnet-format"),
)  # fmt: skip
_IMPORTS = ("CS0234", "CS0246", "CS0006", "FS0039", "BC30002")
_SYNTAX = re.compile(r"CS(?:10\d\d|151[0-9]|15[0-3]\d|8180|1[0-4]\d\d)$|BC30(?:19|20)\d|FS0010$")


def _category(code: str, severity: Severity) -> Category:
    tool = _tool(code)
    if tool == "dotnet-format":
        return Category.FORMAT
    if tool == "nuget":
        return Category.DEPENDENCY if not code.startswith("NU19") else Category.SECURITY
    if tool in ("stylecop", "roslyn") or (severity is not Severity.ERROR and tool != "msbuild"):
        return Category.LINT
    if code in _IMPORTS:
        return Category.IMPORT
    if _SYNTAX.match(code):
        return Category.SYNTAX
    if code.startswith(("MSB", "NETSDK")):
        return Category.CONFIG
    return Category.COMPILE if tool in ("csc", "fsc", "vbc") else Category.LINT


FORMAT = line_format(
    "msbuild", (": error ", ": warning ", ": info ", "error NU", "warning NU", "error MSB", "error NETSDK", "error CS"),
    (_ROW, _build), (_BARE, _build), (_ALONE, _build),
)  # fmt: skip
