"""Elixir: ExUnit, Credo, Dialyzer, and the compiler's code frames (older forms are in `native/functional.py`)."""

import re

from healing.logs.shapes import Row, RowPair, shaped
from healing.model import Category

_FILE = r"(?P<file>[^\s:]{1,300}\.(?:exs?|[lh]?eex))"

FORMAT = shaped(
    "elixir",
    ("  └─ ", "↗ ", "→ ", "↑ ", "↓ ", "↘ ", ") test ", ") doctest ", ".ex:"),
    RowPair(
        tool="exunit",
        category=Category.TEST,
        first=re.compile(r"\s{2}\d{1,6}\) (?P<test>(?:test|doctest|property) .{1,300}) \([\w.]{1,200}\)$"),
        between=(
            re.compile(rf"\s{{5}}{_FILE}:(?P<line>\d{{1,7}})$"),
            re.compile(
                r"\s{5}(?P<message>(?:\*\* \(|Assertion |match \(|Expected |Assertion failed|Doctest ).{0,600})$"
            ),
            re.compile(r"\s{5}left:\s{1,8}(?P<actual>.{0,600})$"),
            re.compile(r"\s{5}right:\s{1,8}(?P<expected>.{0,600})$"),
        ),
        then=re.compile(r"\s{7}(?P<file>\S{1,300}\.exs):(?P<line>\d{1,7}): \(test\)$"),
        stop=re.compile(r"\s{2}\d{1,6}\) |Finished in "),
        reach=60,
        alone=True,
    ),
    RowPair(
        tool="elixir",
        category=Category.COMPILE,
        first=re.compile(r"\s{0,4}(?P<level>error|warning): (?P<message>\S.{0,600})$"),
        then=re.compile(rf"\s{{1,8}}└─ {_FILE}:(?P<line>\d{{1,7}})(?::(?P<column>\d{{1,6}}))?(?::.{{0,200}})?$"),
        reach=14,
    ),
    RowPair(
        tool="credo",
        first=re.compile(r"┃?\s{0,2}\[[A-Z]\] [↗→↑↓↘] (?P<message>[A-Z].{0,400})$"),
        then=re.compile(rf"┃?\s{{1,8}}{_FILE}:(?P<line>\d{{1,7}})(?::(?P<column>\d{{1,6}}))? #\(.{{1,200}}\)$"),
        reach=4,
    ),
    Row(
        tool="credo",
        line=re.compile(
            rf"\[[A-Z]\] [↗→↑↓↘] {_FILE}:(?P<line>\d{{1,7}})(?::(?P<column>\d{{1,6}}))? (?P<message>[A-Z].{{0,400}})$"
        ),
    ),
    RowPair(
        tool="dialyzer",
        category=Category.TYPE,
        first=re.compile(rf"{_FILE}:(?P<line>\d{{1,7}})(?::(?P<column>\d{{1,6}}))?:(?P<code>[a-z]\w{{3,60}})$"),
        then=re.compile(r"(?P<message>[A-Z].{0,600})$"),
        reach=2,
    ),
    before=12,
)
