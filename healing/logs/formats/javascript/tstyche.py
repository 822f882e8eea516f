"""TSTyche: `Error: message ts(2304)`, a code frame, and `at ./file:line:column` below it."""

import re

from healing.logs.shapes import RowPair, shaped
from healing.model import Category

_FAR = 20  # lines from an error to its place

FORMAT = shaped(
    "tstyche",
    ("     at ./",),
    RowPair(
        tool="tstyche",
        category=Category.TYPE,
        first=re.compile(r"Error: (?P<message>\S.{0,1000}?)(?: (?P<code>ts\(\d{1,6}\)))?$"),
        then=re.compile(
            r"\s{5,14}at \./(?P<file>[^\s:][^:]{0,400}\.(?:[cm]?[jt]sx?|json)):(?P<line>\d{1,9}):(?P<column>\d{1,9})$"
        ),
        reach=_FAR,
    ),
    before=_FAR,
)
