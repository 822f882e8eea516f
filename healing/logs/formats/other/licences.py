"""Licence header checkers: license-eye, addlicense, REUSE."""

import re

from healing.logs.shapes import Row, RowPair, shaped

FORMAT = shaped(
    "licences",
    (
        "have a valid license header",
        "have no copyright",
        "have no licensing",
        "missing license header",
        "missing header",
    ),
    RowPair(
        tool="license-eye",
        first=re.compile(r"ERROR (?P<message>the following files don't have a valid license header):"),
        then=re.compile(r"(?P<file>[^\s:]{1,300})$"),
        many=True,
        reach=1,
    ),
    RowPair(
        tool="reuse",
        first=re.compile(r"The following files have (?P<message>no (?:copyright|licensing) .{0,60}):$"),
        then=re.compile(r"\* (?P<file>[^\s:]{1,300})$"),
        many=True,
        reach=1,
    ),
    Row(
        tool="addlicense",
        line=re.compile(r"(?:(?P<file>[^\s:]{1,300}): )?(?P<message>missing (?:license )?header)$"),
    ),
)
