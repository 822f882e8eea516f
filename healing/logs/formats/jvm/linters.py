"""Java's linters: checkstyle by itself, PMD, SpotBugs, Spotless, google-java-format, Android lint."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from healing.logs.format import Finding, Format, at_line, line_format, number
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category, Severity

_FILE = r"(?P<file>(?:[A-Za-z]:[\\/]|/)?[^\s:\[\]()][^:\[\]()]{0,400}?\.\w{1,10})"
_ANT_CHECKSTYLE = re.compile(
    rf"\s{{0,4}}\[(?:ant:)?checkstyle\] (?:\[(?P<level>ERROR|WARN|INFO)\] )?{_FILE}:(?P<line>\d{{1,9}})"
    r"(?::(?P<column>\d{1,9}))?: (?P<message>\S.*?)(?: \[(?P<code>\w{2,80})\])?$"
)
_PMD = re.compile(
    rf"{_FILE}:(?P<line>\d{{1,9}}):(?:\t|\s{{2,8}})(?P<code>[A-Z][A-Za-z]{{3,60}}):(?:\t|\s{{1,8}})(?P<message>\S.*)$"
)
_PMD_MAVEN = re.compile(
    r"\[(?:INFO|WARNING|ERROR)\] PMD Failure: (?P<owner>[\w.$]{1,300}):(?P<line>\d{1,9}) Rule:(?P<code>\w{2,80})"
    r" Priority:(?P<priority>\d) (?P<message>\S.*?)\.?$"
)
_SPOTBUGS = re.compile(
    r"(?:\[(?:ERROR|WARNING|INFO)\] )?(?P<rank>High|Medium|Low"
    r"|[HML]): (?P<message>\S.{1,600}?) \[(?P<owners>[\w.$, ]{1,400})\]"
    r"(?: (?:At|In|Dereferenced at|Method invoked at"
    r"|.{1,80} at) (?P<file>[\w$.]{1,200}):?(?:\[lines? (?P<line>\d{1,9})(?:-\d{1,9})?\])?)?"
    r".{0,300}? (?P<code>[A-Z][A-Z0-9_]{4,80})$"
)
_SPOTBUGS_TEXT = re.compile(
    r"(?P<rank>[HML]) [A-Z] (?P<code>[A-Za-z0-9]{1,12}): (?P<message>\S.*?)\s{1,4}(?:At"
    r"|In) (?P<file>[\w$.]{1,200}\.\w{1,8}):"
    r"\[lines? (?P<line>\d{1,9})(?:-\d{1,9})?\]$"
)
_ANDROID = re.compile(
    rf"{_FILE}(?::(?P<line>\d{{1,9}}))?: (?P<level>Error"
    rf"|Warning): (?P<message>\S.*?) \[(?P<code>[A-Z]\w{{2,80}})(?: from .{{1,200}})?\]$"
)
_ECHO = re.compile(r".{1,300}build\.xml:\d{1,9}: (?:Compile failed; see|The following error occurred)")
_LEVELS = {"WARN": Severity.WARNING, "INFO": Severity.NOTE, "Warning": Severity.WARNING}


def _finding(tool: str, groups: Mapping[str, Any], line: Line, file: str | None) -> Finding:
    severity = _LEVELS.get(groups.get("level") or "", Severity.ERROR)
    return Finding(
        tool=tool,
        code=groups.get("code"),
        category=Category.LINT,
        severity=severity,
        message=groups["message"],
        file=file,
        line=number(groups.get("line")),
        column=number(groups.get("column")),
        log_line=line.number,
        excerpt=line.text,
        score=1.0 if severity is Severity.ERROR else 0.2,
    )


def _checkstyle(groups: Mapping[str, Any], line: Line) -> Finding:
    return _finding("checkstyle", groups, line, groups["file"])


def _pmd(groups: Mapping[str, Any], line: Line) -> Finding:
    owner = groups.get("owner")
    return _finding("pmd", groups, line, _source(owner) if owner else groups["file"])


def _spotbugs(groups: Mapping[str, Any], line: Line) -> Finding:
    owner = (groups.get("owners") or "").partition(",")[0]
    file = groups.get("file") or ""
    folder = owner.rpartition(".")[0].replace(".", "/")
    named = f"{folder}/{file}" if folder and file.endswith((".java", ".kt")) else file or _source(owner)
    return _finding("spotbugs", groups, line, named or None)


def _source(owner: str) -> str:
    return owner.partition("$")[0].replace(".", "/") + ".java"


def _android(groups: Mapping[str, Any], line: Line) -> Finding:
    return _finding("android-lint", groups, line, groups["file"])


def _echo(_groups: Mapping[str, Any], line: Line) -> Finding:
    """A finding without a message, for ant's summary of what javac has reported."""
    return Finding(
        tool="ant",
        category=Category.COMPILE,
        message="",
        test=line.text,
        log_line=line.number,
        span=(line.number, line.number),
    )


class _Spotless:
    """Reads `The following files had format violations:` and each file's diff below it."""

    def __init__(self, _paths: Paths) -> None:
        self._open = False

    @property
    def busy(self) -> bool:
        return self._open

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if _VIOLATIONS.match(text):
            self._open = True
            return ()
        if not self._open:
            return ()
        if match := _LISTED.match(text):
            return (_unformatted(match["file"], line),)
        if not _DIFFERENCE.match(text) or _RUN.match(text):
            self._open = False
        return ()

    def close(self) -> Iterable[Finding]:
        return ()


_VIOLATIONS = re.compile(
    r".{0,200}(?:The following files had format violations|following files (?:are not formatted"
    r"|need to be formatted)):?$"
)
_LISTED = re.compile(r"(?:> |\[ERROR\] )?\s{2,8}(?P<file>[\w./\\$@+-]{1,400}\.\w{1,10})$")
_DIFFERENCE = re.compile(r"(?:> |\[ERROR\] )?\s{2,12}|\s*$")
_RUN = re.compile(r"(?:\[ERROR\] )?Run ")


def _unformatted(file: str, line: Line) -> Finding:
    return Finding(
        tool="spotless",
        code="unformatted",
        category=Category.FORMAT,
        message="has format violations",
        file=file,
        log_line=line.number,
        excerpt=line.text,
        suggestion="Run spotlessApply.",
    )


FORMATS = (
    line_format(
        "jvm-lint",
        (
            "checkstyle] ", "PMD Failure: ", *at_line(".java"), ":[line ", "[lines ", ": Error: ", ": Warning: ",
            "Compile failed; see", "following error occurred",
        ),
        (_ANT_CHECKSTYLE, _checkstyle),
        (_PMD_MAVEN, _pmd),
        (_PMD, _pmd),
        (_SPOTBUGS, _spotbugs),
        (_SPOTBUGS_TEXT, _spotbugs),
        (_ANDROID, _android),
        (_ECHO, _echo),
    ),
    Format("spotless", ("format violations", "not formatted:", "be formatted:"), _Spotless, before=0),
)  # fmt: skip
