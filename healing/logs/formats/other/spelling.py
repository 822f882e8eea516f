"""Spelling: codespell, typos (brief), misspell, cspell."""

import re

from healing.logs.shapes import Row, shaped

_AT = r"(?P<file>(?:[A-Za-z]:)?[^\s:][^:]{0,300}):(?P<line>\d{1,7})"
_COLUMN = r":(?P<column>\d{1,6})"

FORMAT = shaped(
    "spelling",
    (" ==> ", "` -> `", " is a misspelling of ", "nknown word (", "orbidden word (", "isspelled word ("),
    Row(
        tool="codespell",
        line=re.compile(rf"(?:WARNING: )?{_AT}: (?P<message>\S{{1,80}} ==> (?P<suggestion>\S.{{0,300}}))$"),
    ),
    Row(
        tool="typos",
        line=re.compile(rf"{_AT}{_COLUMN}: (?P<message>`[^`]{{1,80}}` -> (?P<suggestion>`[^`]{{1,80}}`.{{0,200}}))$"),
    ),
    Row(
        tool="misspell",
        line=re.compile(
            rf"{_AT}{_COLUMN}: (?P<message>\"[^\"]{{1,80}}\" is a misspelling of \"(?P<suggestion>[^\"]{{1,80}})\")$"
        ),
    ),
    Row(
        tool="cspell",
        line=re.compile(
            rf"{_AT}{_COLUMN} - (?P<message>(?:Unknown|Forbidden|Misspelled) word \([^()]{{1,120}}\))"
            r"(?:.{0,20}?(?:fix|Suggestions?): [(\[](?P<suggestion>[^()\[\]]{1,300})[)\]])?.{0,300}$"
        ),
    ),
)
