"""R: testthat's failures, lintr, errors of scripts; R CMD check's verdicts only if there is no other error."""

import re

from healing.logs.format import at_line
from healing.logs.shapes import Row, RowPair, shaped
from healing.model import Category

_FILE = r"(?P<file>[^\s:'()]{1,300}\.(?:[RrSq]|Rmd|qmd|Rnw))"

FORMATS = (
    shaped(
        "r",
        ("── Failure (", "── Error (", "-- Failure (", "-- Error (", "Error in ", *at_line(".R", ".Rmd", ".r", ".qmd")),
        RowPair(
            tool="testthat",
            category=Category.TEST,
            first=re.compile(
                rf"(?:──|--) (?:\d{{1,5}}\. )?(?:Failure|Error) \('?{_FILE}:(?P<line>\d{{1,7}})(?::"
                rf"(?P<column>\d{{1,6}}))?'?\): "
                r"(?P<test>\S.{0,300}?)\s?[─-]{0,200}$"
            ),
            then=re.compile(r"(?P<message>\S.{0,600})$"),
            reach=2,
            alone=True,
        ),
        Row(
            tool="lintr",
            line=re.compile(
                rf"{_FILE}:(?P<line>\d{{1,7}}):(?P<column>\d{{1,6}}): (?P<level>style|warning|error|note): "
                r"(?:\[(?P<code>[\w.]{3,60})\] )?(?P<message>\S.{0,600})$"
            ),
        ),
        RowPair(
            tool="r",
            category=Category.RUNTIME,
            first=re.compile(r"Error in (?!try\(|rule \w).{1,300}? ?: ?$"),
            then=re.compile(r"\s{1,8}(?P<message>\S.{0,600})$"),
            reach=1,
        ),
        Row(
            tool="r",
            category=Category.RUNTIME,
            line=re.compile(r"Error in (?!`|try\().{1,300}? : (?P<message>\S.{0,600})$"),
        ),
    ),
    shaped(
        "r-check",
        ("* checking ",),
        Row(
            tool="r-cmd-check",
            category=Category.CONFIG,
            line=re.compile(r"\* (?P<message>checking .{1,200}?) \.\.\.(?: \[.{1,30}\])? (?P<level>ERROR|WARNING)$"),
        ),
        rank=-1,
    ),
)
