"""Nix: `error: …` with `at file:3:5:` below it, in one line in old versions, and builds that failed."""

import re

from healing.logs.shapes import Row, RowPair, shaped
from healing.model import Category

FORMAT = shaped(
    "nix",
    ("       at /", "       at «", "error: builder for '", "error: Cannot build '", ".nix:"),
    RowPair(
        tool="nix",
        category=Category.COMPILE,
        first=re.compile(r"\s{0,8}error: (?P<message>\S.{0,600})$"),
        then=re.compile(r"\s{1,10}at (?P<file>[^\s:«»]{1,300}):(?P<line>\d{1,7})(?::(?P<column>\d{1,6}))?:?$"),
        reach=4,
    ),
    Row(
        tool="nix",
        category=Category.COMPILE,
        line=re.compile(r"(?:error: )(?P<message>(?:builder for|Cannot build) '/nix/store/\S{1,300}'.{0,200})$"),
    ),
    Row(
        tool="nix",
        category=Category.COMPILE,
        line=re.compile(
            r"error: (?P<message>\S.{0,600}?),? at (?:\(string\)|(?P<file>[^\s:]{1,300})):(?P<line>\d{1,7}):"
            r"(?P<column>\d{1,6})$"
        ),
    ),
    before=3,
)
