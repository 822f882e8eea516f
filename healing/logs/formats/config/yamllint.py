"""yamllint: a file and rows below it, one line each (parsable), and workflow commands (github)."""

import re

from healing.logs.format import at_line
from healing.logs.shapes import Row, RowPair, shaped

_FILE = r"(?P<file>(?:[A-Za-z]:)?[^\s:][^:]{0,300}\.(?:ya?ml|yamllint|clang-format|clang-tidy))"
_AT = r"(?P<line>\d{1,7}):(?P<column>\d{1,6})"
_CODE = r"(?P<code>[a-z][a-z-]{2,40})"

FORMAT = shaped(
    "yamllint",
    (".yml\n", ".yaml\n", *at_line(".yml", ".yaml"), "::error file=", "::warning file="),
    RowPair(
        tool="yamllint",
        first=re.compile(rf"{_FILE}$"),
        then=re.compile(
            rf"(?:\s{{1,8}}{_AT}\s{{1,12}}(?P<level>error|warning)\s{{1,8}}(?P<message>\S.{{0,600}}?)(?:"
            rf"\s{{1,4}}\({_CODE}\))$)"
        ),
        many=True,
        reach=1,
    ),
    RowPair(
        tool="yamllint",
        first=re.compile(rf"(?:::group::)?{_FILE}$"),
        then=re.compile(rf"{_AT} \[{_CODE}\] (?P<message>\S.{{0,600}})$"),
        many=True,
        reach=1,
    ),
    Row(
        tool="yamllint",
        line=re.compile(rf"{_FILE}:{_AT}: \[(?P<level>error|warning)\] (?P<message>\S.{{0,600}}?)(?: \({_CODE}\))?$"),
    ),
    Row(
        tool="yamllint",
        line=re.compile(
            rf"::(?P<level>error|warning) file=(?P<file>[^,]{{1,300}}),line=\d{{1,7}},col=\d{{1,6}}::{_AT} "
            rf"\[{_CODE}\] (?P<message>\S.{{0,600}})$"
        ),
    ),
)
