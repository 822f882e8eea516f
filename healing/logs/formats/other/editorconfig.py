"""editorconfig-checker: a file and tab-indented rows below it."""

import re

from healing.logs.shapes import RowPair, shaped
from healing.model import Category

_SAYS = (
    r"(?P<message>(?:Wrong (?:indent|line end|amount of|char)|Trailing whitespace|Final newline|No final"
    r" newline|Line too long"
    r"|Not all lines have|Charset|.{0,60}(?:newline|indentation|line ending)).{0,200})$"
)

FORMAT = shaped(
    "editorconfig",
    (
        "\tWrong indent", "\tWrong line end", "\tWrong amount", "\tWrong char", "Trailing whitespace", "Final"
            r" newline", "Line too long",
        ": Wrong indent", ": Wrong amount", "Not all lines have",
    ),
    RowPair(
        tool="editorconfig-checker",
        category=Category.FORMAT,
        first=re.compile(r"(?P<file>[^\s:][^:]{0,300}):$"),
        then=re.compile(rf"(?:\t|\s{{2,8}})(?:(?P<line>\d{{1,7}})(?:-(?P<end_line>\d{{1,7}}))?: )?{_SAYS}"),
        many=True,
        reach=1,
    ),
    before=1,
)  # fmt: skip
