"""Robot Framework: tests with `| FAIL |`; the lines of suites only repeat them."""

import re

from healing.logs.shapes import RowPair, shaped
from healing.model import Category

FORMAT = shaped(
    "robot",
    ("| FAIL |",),
    RowPair(
        tool="robot",
        category=Category.TEST,
        first=re.compile(r"(?P<test>\S.{0,200}?)\s{1,80}\| FAIL \|$"),
        then=re.compile(
            r"(?:(?P<never>(?:Suite |Critical |Setup )?\d{1,6} (?:critical )?tests?,? )|"
            r"(?P<message>\S.{0,600})).{0,600}$"
        ),
        reach=1,
    ),
)
