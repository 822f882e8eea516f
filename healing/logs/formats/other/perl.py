"""Perl: errors that end a program, Test::More's failed tests, Perl::Critic."""

import re

from healing.logs.shapes import Row, RowPair, shaped
from healing.model import Category, Severity

_FILE = r"(?P<file>(?:[A-Za-z]:)?[^\s:'\"]{1,300}\.(?:pl|pm|t|PL|psgi|cgi|al))"
_ECHO = r"(?!\s|#|BEGIN failed|Compilation failed|Execution of .{1,200} aborted|.{0,200} called at )"
_WARNS = (
    r"(?=Use of uninit|Useless use|Deprecated|Subroutine .{1,80} redefined|Odd number|Argument \"|Name"
    r" \"|Possible |Scalar value"
    r"|Statement |Unquoted |Smartmatch|given is|when is|\"my\" variable|Prototype|Wide character|Constant"
    r" subroutine|Use of .{1,60} is deprecated)"
)
_AT = rf"(?P<message>\S.{{0,600}}?),? at {_FILE} line (?P<line>\d{{1,7}})(?:\.?|,.{{0,400}})$"
_CRITIC = (
    r"(?P<message>[A-Z\"].{3,300}?) at line (?P<line>\d{1,7}), "
    r"(?:column (?P<column>\d{1,6})|near '.{0,200}')\.\s.{0,200}\(Severity: \d\)"
)

FORMAT = shaped(
    "perl",
    (*(f".{ending} line " for ending in ("pl", "pm", "t", "PL", "psgi", "cgi")), "Failed test", "(Severity: "),
    Row(tool="perl", severity=Severity.WARNING, line=re.compile(_WARNS + _AT)),
    Row(tool="perl", category=Category.RUNTIME, line=re.compile(_ECHO + _AT)),
    Row(
        tool="perlcritic",
        line=re.compile(rf"(?:\[(?P<code>[\w:]{{3,80}})\] )?(?:(?P<file>[^\s:]{{1,300}}): )?{_CRITIC}"),
    ),
)

_PLACE = re.compile(rf"\s{{0,40}}#\s{{1,8}}(?:at|in) {_FILE}(?: at)? line (?P<line>\d{{1,7}})\.?$")
# Rank 1: if TAP's test points are printed too, those report the failure.
TESTS = shaped(
    "test-more",
    ("#   Failed test", "# Failed test"),
    RowPair(
        tool="prove",
        category=Category.TEST,
        first=re.compile(r"(?:.{0,200}?\s)?#\s{1,8}Failed test(?: \d{1,6})?(?: '(?P<test>.{1,300})')?$"),
        between=(_PLACE, re.compile(r"\s{0,40}#\s{1,24}got: (?P<actual>.{0,600})$")),
        then=re.compile(r"\s{0,40}#\s{1,24}expected: (?P<expected>.{0,600})$"),
        stop=re.compile(r"(?!\s{0,40}#)"),
        reach=12,
        alone=True,
    ),
    rank=1,
)
FORMATS = (FORMAT, TESTS)
