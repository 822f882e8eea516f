"""A place on a line of its own, with the message below or a coded rule above; lists of `File:`, `Line:`, `Message:`."""

import re

from healing.logs.format import at_line
from healing.logs.shapes import RowPair, shaped
from healing.logs.wording import FILE, SOUNDS_WRONG, SOURCES
from healing.model import Category

_LEVEL = r"(?P<level>(?i:fatal error|error|warning|fatal|failure))"
_WRONG = f"(?=.{{0,300}}(?i:{SOUNDS_WRONG.pattern}))"
# A line of code below a place belongs to a code frame.
_CODE = r"(?!.{0,600}[;{}(),=]$)(?!\s{0,12}(?:return|throw|const|let|var|if|raise|def|self|assert|import|from|await)\b)"
_KEY = r"(?i:message|error|description|reason|msg|problem|details?|issue|title)"

FORMAT = shaped(
    "generic-below",
    (*at_line(*(f".{ending}" for ending in SOURCES)), "File: ", "file: ", "File :", "Path: ", "ocation: ", "ilename: "),
    RowPair(
        tool="generic",
        category=Category.COMPILE,
        score=0.4,
        first=re.compile(
            rf"\s{{0,8}}(?:[-*•●✖✗×❌] )?{FILE}:(?P<line>\d{{1,7}})(?::(?P<column>\d{{1,6}}))?(?:-\d{{1,7}}"
            rf"(?::\d{{1,6}})?)?:?\s{{0,4}}$"
        ),
        then=re.compile(
            rf"(?:\s{{0,12}}(?:[✖✗×❌] )?{_LEVEL}\b ?(?:[(\[](?P<code>[\w@:/.-]{{1,80}})[)\]])?:\s{{1,4}}"
            rf"(?P<message>\S.{{0,600}})"
            rf"|\s{{2,12}}{_CODE}{_WRONG}(?P<sentence>[A-Z\w`'\"].{{3,600}}))$"
        ),
        reach=1,
    ),
    RowPair(
        tool="generic",
        score=0.4,
        first=re.compile(r"(?=[A-Z\[])\[?(?P<code>[A-Z]{0,5}\d{2,6})\]?:? (?P<message>[A-Za-z'\"`].{3,600})$"),
        then=re.compile(rf"\s{{0,8}}{FILE}:(?P<line>\d{{1,7}})(?::(?P<column>\d{{1,6}}))?$"),
        reach=1,
    ),
    RowPair(
        tool="generic",
        category=Category.COMPILE,
        score=0.4,
        first=re.compile(
            rf"\s{{0,8}}(?i:file(?:name)?|path|location)\s{{0,8}}:\s{{1,12}}{FILE}(?::(?P<line>\d{{1,7}})(?::"
            rf"(?P<column>\d{{1,6}}))?)?$"
        ),
        between=(
            re.compile(r"\s{0,8}(?i:line(?: number)?)\s{0,8}:\s{1,12}(?P<line>\d{1,7})(?::(?P<column>\d{1,6}))?$"),
            re.compile(r"\s{0,8}(?i:col(?:umn)?)\s{0,8}:\s{1,12}(?P<column>\d{1,6})$"),
            re.compile(r"\s{0,8}(?i:rule|code|check)\s{0,8}:\s{1,12}(?P<code>\S{1,80})$"),
            re.compile(r"\s{0,8}(?i:severity|level)\s{0,8}:\s{1,12}(?P<level>\w{1,20})$"),
        ),
        then=re.compile(rf"\s{{0,8}}{_KEY}\s{{0,8}}:\s{{1,12}}(?P<message>\S.{{0,600}})$"),
        stop=re.compile(r"\s{0,8}$|(?!\s{0,8}[\w ]{1,30}\s{0,8}:\s)"),
        reach=8,
    ),
    RowPair(
        tool="generic",
        category=Category.COMPILE,
        score=0.4,
        first=re.compile(rf"\s{{0,8}}{_KEY}\s{{0,8}}:\s{{1,12}}(?P<message>\S.{{0,600}})$"),
        between=(re.compile(r"\s{0,8}(?i:rule|code|check)\s{0,8}:\s{1,12}(?P<code>\S{1,80})$"),),
        then=re.compile(
            rf"\s{{0,8}}(?i:file(?:name)?|path|location)\s{{0,8}}:\s{{1,12}}{FILE}:(?P<line>\d{{1,7}})(?::"
            rf"(?P<column>\d{{1,6}}))?$"
        ),
        stop=re.compile(r"\s{0,8}$|(?!\s{0,8}[\w ]{1,30}\s{0,8}:\s)"),
        reach=5,
    ),
    rank=0,
    before=4,
)
