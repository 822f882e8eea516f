"""Link checkers: markdown-link-check, lychee."""

import re

from healing.logs.shapes import RowPair, shaped

_FILE = r"(?P<file>[^\s:\[\]]{1,300})"

FORMAT = shaped(
    "links",
    ("FILE: ", "Errors in ", "]:\n"),
    RowPair(
        tool="markdown-link-check",
        first=re.compile(rf"FILE: {_FILE}$"),
        then=re.compile(r"\s{1,8}\[(?:✖|x|/)\] (?P<message>\S{1,600}(?: (?:→|->) Status: .{1,80})?)$"),
        stop=re.compile(r"FILE: "),
        many=True,
        reach=400,
    ),
    RowPair(
        tool="lychee",
        first=re.compile(rf"(?:(?:#{{1,6}} )?Errors in |\[(?=[^\s:\[\]]{{1,300}}\]:$)){_FILE}(?:\]:)?$"),
        then=re.compile(
            r"\s{0,8}(?:\* )?\[(?P<code>[45]\d\d|ERR(?:OR)?|TIMEOUT)\] (?P<message><?\S{1,600}>?"
            r"(?: \(at (?P<line>\d{1,7}):(?P<column>\d{1,6})\))?(?: \| .{0,400})?)$"
        ),
        many=True,
        reach=4,
    ),
)
