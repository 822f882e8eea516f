"""Julia: failed tests, and errors that ended a script."""

import re

from healing.logs.shapes import RowPair, shaped
from healing.model import Category

FORMAT = shaped(
    "julia",
    ("Test Failed at ", "Error During Test at ", "LoadError: "),
    RowPair(
        tool="julia",
        category=Category.TEST,
        first=re.compile(
            r"(?:(?P<test>\S.{0,200}): )?(?:Test Failed|Error During Test) at (?P<file>[^\s:]{1,300}):"
            r"(?P<line>\d{1,7})$"
        ),
        between=(re.compile(r"\s{1,8}(?P<message>(?:Expression|Got exception|Test threw).{1,600})$"),),
        then=re.compile(
            r"\s{1,8}(?:Evaluated: (?P<actual>\S.{0,600})|(?P<message>[A-Z]\w{2,60}(?:Error|Exception).{0,600}))$"
        ),
        stop=re.compile(r"\s?$|Stacktrace"),
        reach=8,
        alone=True,
    ),
    RowPair(
        tool="julia",
        category=Category.RUNTIME,
        first=re.compile(r"ERROR: (?:LoadError: )+(?P<message>(?!Some tests did not pass)\S.{0,600})$"),
        then=re.compile(r"in expression starting at (?P<file>[^\s:]{1,300}):(?P<line>\d{1,7})$"),
        reach=80,
        alone=True,
    ),
)
