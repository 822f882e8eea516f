"""Test runners whose verdict and place are in different lines: CUnit, EUnit, behave and cram."""

import re

from healing.logs.shapes import RowPair, shaped
from healing.model import Category

_LINE = r"(?P<line>\d{1,7})"

FORMAT = shaped(
    "runners",
    ("...FAILED", "...*failed*", "ASSERT FAILED: ", "Assertion Failed: ", ".t.err"),
    RowPair(
        tool="cunit",
        category=Category.TEST,
        first=re.compile(r"\s{0,8}Test: (?P<test>\S.{0,200}?) ?\.\.\.FAILED$"),
        then=re.compile(
            rf"\s{{1,8}}\d{{1,6}}\. (?P<file>[^\s:]{{1,300}}):{_LINE}\s{{1,8}}- (?P<message>\S.{{0,600}})$"
        ),
        reach=1,
        many=True,
        alone=True,
    ),
    # The exception and its values follow the place.
    RowPair(
        tool="eunit",
        category=Category.TEST,
        first=re.compile(
            r"\s{0,20}(?:[\w.@-]{1,200}: ?)?(?P<test>[\w:.@/-]{1,200})(?: \(.{1,200}\))?\.\.\.\*failed\*$"
        ),
        between=(
            re.compile(rf"in function \S{{1,300}} \((?P<file>[^\s()]{{1,300}}\.erl), line {_LINE}\)$"),
            re.compile(r"\*\*(?:error:\{(?P<message>assert\w{0,40})\b.*|(?P<sentence>(?:error|exit|throw):.{1,300}))$"),
            re.compile(r"\s{1,40}\{expected,(?P<expected>.{1,300})\},$"),
            re.compile(r"\s{1,40}\{value,(?P<actual>.{1,300})\}\]\}$"),
        ),
        then=re.compile(r"\s{1,20}output:<<"),
        reach=60,
        alone=True,
    ),
    RowPair(
        tool="behave",
        category=Category.TEST,
        first=re.compile(
            r"\s{2,20}(?P<test>(?:Given|When|Then|And|But|\*) \S.{0,300}?)\s{1,200}"
            rf"# (?P<file>\S{{1,300}}\.py):{_LINE}"
            r"(?: \d[\d.]{0,12}s)?$"
        ),
        then=re.compile(r"\s{2,20}(?:ASSERT FAILED|Assertion Failed): (?P<message>\S.{0,600})$"),
        reach=1,
    ),
    RowPair(
        tool="cram",
        category=Category.TEST,
        first=re.compile(r"\+\+\+ (?P<file>\S{1,300}\.t)\.err$"),
        between=(re.compile(rf"@@ -{_LINE}"),),
        then=re.compile(r"(?P<message>[-+] {2}\S.{0,300})$"),
        reach=12,
    ),
    before=1,
)
