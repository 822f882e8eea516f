"""Clojure: clojure.test."""

import re

from healing.logs.shapes import RowPair, shaped
from healing.model import Category

FORMAT = shaped(
    "clojure",
    ("FAIL in (", "ERROR in ("),
    RowPair(
        tool="clojure-test",
        category=Category.TEST,
        first=re.compile(r"(?:FAIL|ERROR) in \((?P<test>\S{1,200})\) \((?P<file>[^\s:()]{1,300}):(?P<line>\d{1,7})\)$"),
        between=(
            re.compile(r"expected: (?P<expected>.{1,600})$"),
            re.compile(r"(?!expected:)(?P<message>\S.{0,600})$"),
        ),
        then=re.compile(r"\s{0,4}actual: (?P<actual>.{1,600})$"),
        reach=12,
        alone=True,
    ),
)
