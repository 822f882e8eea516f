"""A place on a line of its own and the message above or below it, with a code frame or an empty line between them.

`generic-below` reads adjacent pairs of lines; compilers that print code frames have more lines between the two.
"""

import re

from healing.logs.format import at_line
from healing.logs.shapes import RowPair, shaped
from healing.logs.wording import FILE, SOUNDS_WRONG, SOURCES
from healing.model import Category

_N, _C = r"(?P<line>\d{1,7})", r"(?P<column>\d{1,6})"
_WRONG = f"(?=.{{0,300}}(?i:{SOUNDS_WRONG.pattern}))"
_PLACE = (
    rf"\s{{0,8}}(?:(?:-- [A-Z][A-Z -]{{2,80}}[A-Z] -{{2,200}}"
    rf"|In|Error:|[✖×●■]|\[\d{{1,4}}\]|at) )?{FILE}[:,]{_N}(?:[:,.]{_C})?"
    r"(?:\s?-{1,2}\s?\d{1,7}(?::\d{1,6})?)?(?: \(line .{1,60}\)| at #/\S{0,200})?:?\s{0,4}$"
)
# A code frame with its carets and borders.
_PICTURE = r"\s{0,12}(?:[>→]?\s{0,4}\d{0,7}\s{0,4}[|│┆:╷╵┌╰]|[\^~╷╵│|┬─.-]|$)"
_NO_SENTENCE = r"(?!Error Context|[A-Z]{1,5}\d{2,6}\b|.{0,600}[;{}(),=]$|.{0,80} compiled with )"
_SENTENCE = rf"\s{{0,8}}{_NO_SENTENCE}{_WRONG}(?P<sentence>[A-Za-z`'\"“‘]\S{{0,80}} [^|│]{{3,600}}?)"
_LEVEL = r"\s{0,8}\[?(?P<level>[EWCF](?=\])|(?i:(?:fatal )?error|warning))(?:\]|:) (?P<message>\S.{2,600})"

FORMAT = shaped(
    "generic-apart",
    (
        *at_line(*(f".{ending}" for ending in SOURCES)),
        *(f".{ending},{digit}" for ending in ("agda", "idr") for digit in range(1, 10)),
        " root stylesheet",
    ),
    RowPair(
        tool="generic",
        category=Category.COMPILE,
        score=0.4,
        first=re.compile(_PLACE),
        then=re.compile(rf"(?:{_LEVEL}|{_SENTENCE})$"),
        stop=re.compile(rf"(?!{_PICTURE})"),
        reach=9,
    ),
    RowPair(
        tool="generic",
        category=Category.COMPILE,
        score=0.4,
        first=re.compile(
            rf"{_NO_SENTENCE}(?:(?P<level>(?i:(?:fatal )?error|warning)): )?"
            rf"{_WRONG}(?P<message>[A-Z`'\"“‘]\S{{0,80}} [^|│]{{3,600}}?|[a-z]{{2,20}} [^|│]{{3,300}}(?=:$))[.:]?$"
        ),
        then=re.compile(rf"\s{{0,8}}(?:at |in )?{FILE}[: ]{_N}:{_C}(?:\s{{2}}.{{0,100}}|:)?$"),
        stop=re.compile(rf"(?!{_PICTURE})"),
        reach=6,
    ),
    rank=0,
    before=5,
)
