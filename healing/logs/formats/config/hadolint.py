"""hadolint: `Dockerfile:3 DL3008 warning: …`, without a level in old versions, with a column for parse errors."""

import re

from healing.logs.shapes import Row, shaped

_FILE = r"(?:hadolint:)?(?P<file>(?:[A-Za-z]:)?[^\s:][^:]{0,300}|-)"

FORMAT = shaped(
    "hadolint",
    (" DL1", " DL3", " DL4", " DL9", " SC1", " SC2", " SC3", " unexpected ", " invalid flag"),
    Row(
        tool="hadolint",
        line=re.compile(
            rf"{_FILE}:(?P<line>\d{{1,7}}):? (?:\x1b)?(?P<code>(?:DL|SC)\d{{4}}):? "
            r"(?:(?P<level>error|warning|info|style|ignore): )?(?P<message>\S.{0,1000})$"
        ),
    ),
    Row(
        tool="hadolint",
        line=re.compile(
            r"(?P<file>[^\s:][^:]{0,300}ockerfile[^:\s]{0,80}):(?P<line>\d{1,7}):(?P<column>\d{1,6}) "
            r"(?P<message>(?:unexpected|invalid|expecting) .{0,1000})$"
        ),
    ),
)
