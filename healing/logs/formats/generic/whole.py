"""Errors in a file without a line: `error: a.yml: message`, `a.yml: error: message`, and unformatted files."""

import re

from healing.logs.shapes import Row, shaped
from healing.logs.wording import SOURCES
from healing.model import Category

_FILE = (
    r"[\"'`]?(?P<file>(?:[A-Za-z]:)?(?:[\w.@+~()\[\]$,=#-]{0,120}[\\/]){0,40}[\w.@+~()\[\]$,=#-]{1,120}"
    rf"\.(?:{'|'.join(SOURCES)}))[\"'`]?"
)
_LEVEL = r"(?P<level>(?i:fatal error|error|fatal))"
_SAYS = r"(?P<message>(?!\d{1,7}:)\S.{3,600})$"

FORMAT = shaped(
    "generic-file",
    (
        "error: ", "ERROR: ", "Error: ", "[error] ", "[ERROR] ", "❌ ", "✖ ", "✘ ", "✗ ", "not formatted",
        "not properly formatted",
        "nformatted", "ould reformat", "ould be reformatted", "::$",
        "needs formatting", "need formatting", "rror in ", "Failed to ", "ailed to ",
    ),
    Row(tool="generic", category=Category.COMPILE, score=0.4, line=re.compile(rf"\s{{0,8}}\[?{_LEVEL}\]?:?"
        rf"\s{{1,4}}(?:in )?{_FILE}: {_SAYS}")),
    Row(tool="generic", category=Category.COMPILE, score=0.4, line=re.compile(rf"\s{{0,8}}{_FILE}: {_LEVEL}: {_SAYS}")),
    Row(tool="generic", score=0.4, line=re.compile(rf"\s{{0,8}}[❌✖✘✗]\s{{1,4}}{_FILE}(?::| -) {_SAYS}")),
    # a schema violation, with the value's path in place of a line
    Row(tool="generic", category=Category.CONFIG, score=0.4, line=re.compile(
        rf"\s{{0,8}}{_FILE}::(?P<code>\$[\w.\[\]'\"/*-]{{0,200}}): {_SAYS}")),
    Row(
        tool="generic",
        category=Category.COMPILE,
        score=0.4,
        line=re.compile(
            rf"(?:(?i:error|fatal): )?(?P<message>[Ff]ailed to (?:parse|compile|read|load|validate) {_FILE}"
            rf"(?::.{{0,600}}|\.?))$"
        ),
    ),
    Row(
        tool="generic",
        category=Category.FORMAT,
        score=0.4,
        line=re.compile(
            rf"(?:\[\w{{1,10}}\] |[❌✖✘✗] )?{_FILE}:? (?P<message>(?:(?:is|was) )?(?:not (?:properly |correctly"
            rf" )?formatted|unformatted"
            r"|would be reformatted|needs? (?:to be )?(?:re)?format(?:ting|ted)))\.?$"
        ),
    ),
    Row(
        tool="generic",
        category=Category.FORMAT,
        score=0.4,
        line=re.compile(
            rf"(?P<message>(?:[Ww]ould reformat|[Uu]nformatted(?: file)?|[Nn]ot (?:properly )?formatted|[Nn]eeds"
            rf" formatting)):? {_FILE}$"
        ),
    ),
    rank=0,
)  # fmt: skip
