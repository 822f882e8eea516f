"""Dart and Flutter: analyze (both signs), the compiler, test."""

import re

from healing.logs.format import at_line
from healing.logs.shapes import Row, RowPair, shaped
from healing.model import Category

_AT = r"(?P<file>[^\s:][^:•]{0,300}\.(?:dart|ya?ml)):(?P<line>\d{1,7}):(?P<column>\d{1,6})"
_LEVEL = r"\s{0,8}(?P<level>error|warning|info)"

FORMAT = shaped(
    "dart",
    (*at_line(".dart"), "pubspec.yaml:", " [E]"),
    Row(
        tool="dart",
        line=re.compile(rf"{_LEVEL} • (?P<message>\S.{{0,600}}?) • {_AT} • (?P<code>\w{{3,80}})(?: • .{{0,80}})?$"),
    ),
    Row(
        tool="dart",
        line=re.compile(rf"{_LEVEL} - {_AT} - (?P<message>\S.{{0,600}}) - (?P<code>\w{{3,80}})$"),
    ),
    Row(
        tool="dart",
        category=Category.COMPILE,
        line=re.compile(rf"(?:org-dartlang-app:///)?{_AT}: (?P<level>Error|Warning): (?P<message>\S.{{0,600}})$"),
    ),
    RowPair(
        tool="dart-test",
        category=Category.TEST,
        first=re.compile(r"\d\d:\d\d \+\d{1,6}(?: ~\d{1,6})?(?: -\d{1,6})?: (?:(?P<file>\S{1,300}\.dart): )?"
            r"(?P<test>\S.{0,300}?) \[E\]$"),
        between=(
            re.compile(r"\s{1,8}Expected: (?P<expected>\S.{0,600})$"),
            re.compile(r"\s{1,8}Actual: (?P<actual>\S.{0,600})$"),
            re.compile(r"\s{2}(?!Expected:|\s|Actual:|package:|dart:)(?P<message>\S.{0,600})$"),
        ),
        then=re.compile(r"\s{1,8}(?P<file>[^\s:]{1,300}_test\.dart) (?P<line>\d{1,7}):(?P<column>\d{1,6})\s{1,40}main"),
        stop=re.compile(r"\d\d:\d\d \+\d"),
        reach=60,
        alone=True,
    ),
)  # fmt: skip
