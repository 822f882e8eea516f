"""ShellCheck: blocks with a caret (`In x.sh line 3:`) and its gcc form."""

import re

from healing.logs.shapes import Row, RowPair, shaped

_RULE = r"(?P<code>SC\d{4})"

FORMAT = shaped(
    "shellcheck",
    ("^-- SC", "-^ SC", "^ SC", " [SC"),
    RowPair(
        tool="shellcheck",
        first=re.compile(r"In (?P<file>\S.{0,400}) line (?P<line>\d{1,7}):$"),
        then=re.compile(
            rf"\s{{0,400}}(?P<caret>\^)(?:-{{1,400}}\^|--)? {_RULE}(?: \((?P<level>\w{{1,10}})\))?: (?P<message>.+)$"
        ),
        many=True,
        reach=5,
    ),
    Row(
        tool="shellcheck",
        line=re.compile(
            r"(?P<file>[^\s:][^:]{0,400}):(?P<line>\d{1,7}):(?P<column>\d{1,6}): (?P<level>error|warning|note|style): "
            rf"(?P<message>.+) \[{_RULE}\]$"
        ),
    ),
    before=4,
)
