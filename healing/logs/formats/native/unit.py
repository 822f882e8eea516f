"""Test libraries with test and place on one line: Boost.Test, CppUTest, Unity, Check, XCTest, Swift Testing."""

import re
from collections.abc import Mapping
from typing import Any

from healing.logs.format import Build, Finding, line_format, number
from healing.logs.lines import Line
from healing.model import Category

_FILE = r"(?:\d{1,6}: )?(?P<file>(?:[A-Za-z]:[\\/])?[^\s:()][^:()]{0,400})"
_BOOST = re.compile(
    rf"{_FILE}(?:\((?P<row>\d{{1,9}})\)|:(?P<line>\d{{1,9}})): (?:fatal |info "
    rf"|)(?:error)(?:\w{{0,10}})?: in \"(?P<test>[^\"]{{1,300}})\": (?P<message>\S.*)$"
)
_CPPUTEST = re.compile(
    rf"{_FILE}:(?P<line>\d{{1,9}}): error: Failure in (?:IGNORE_)?TEST\((?P<test>[\w:, ]{{1,300}})\)"
    rf"(?P<message>.{{0,300}})$"
)
_UNITY = re.compile(rf"{_FILE}:(?P<line>\d{{1,9}}):(?P<test>\w{{1,200}}):FAIL(?::\s?(?P<message>.*))?$")
_CHECK = re.compile(
    rf"{_FILE}:(?P<line>\d{{1,9}}):[FE]:(?P<suite>[^:]{{1,100}}):(?P<test>\w{{1,200}}):\d{{1,9}}: (?P<message>\S.*)$"
)
_XCTEST = re.compile(
    rf"{_FILE}:(?P<line>\d{{1,9}}): error: (?:-\[(?P<objc>[\w. ]{{1,300}})\]"
    rf"|(?P<test>\w{{1,200}}\.\w{{1,200}})) : (?P<message>\S.*)$"
)
_SWIFT = re.compile(
    r"\S{0,4}\s{0,4}Test (?P<test>\S.{0,300}?) recorded an issue(?: with \d+ arguments? .{0,200}?)? at "
    r"(?P<file>[^:]{1,300}):(?P<line>\d{1,9}):(?P<column>\d{1,9}): (?P<message>\S.*)$"
)
_VALUES = (
    re.compile(r".{0,200}\[(?P<actual>[^\[\]]{1,300}?) (?:!=|==|<|>|<=|>=) (?P<expected>[^\[\]]{1,300})\]$"),
    re.compile(r"Expected (?P<expected>.{1,200}?) Was (?P<actual>.{1,200}?)\.?$"),
    re.compile(r'.{0,200}failed: \("(?P<actual>.{0,200}?)"\) is not equal to \("(?P<expected>.{0,200}?)"\)'),
)


def _build(tool: str) -> Build:
    def build(groups: Mapping[str, Any], line: Line) -> Finding | None:
        message = (groups["message"] or "").strip() or "failed"
        values = next((match for pattern in _VALUES if (match := pattern.match(message))), None)
        file = groups["file"]
        return Finding(
            tool=tool,
            category=Category.TEST,
            message=message,
            file=None if file.startswith("unknown ") else file,
            line=number(groups.get("line") or groups.get("row")),
            column=number(groups.get("column")),
            test=groups.get("test") or groups.get("objc"),
            expected=values["expected"] if values else None,
            actual=values["actual"] if values else None,
            log_line=line.number,
            excerpt=line.text,
        )

    return build


FORMAT = line_format(
    "unit",
    (
        'error: in "',
        'errorin: in "',
        "error: Failure in ",
        ":FAIL",
        ":F:",
        ":E:",
        ": error: -[",
        " : XCT",
        " : failed",
        "recorded an",
    ),
    (_BOOST, _build("boost-test")),
    (_CPPUTEST, _build("cpputest")),
    (_UNITY, _build("unity")),
    (_CHECK, _build("check")),
    (_XCTEST, _build("xctest")),
    (_SWIFT, _build("swift-testing")),
)
