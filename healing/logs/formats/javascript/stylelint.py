"""stylelint's listing (string, verbose): rows of place, sign, message and rule."""

import re

from healing.logs.format import Finding, Format, number
from healing.logs.formats.javascript._listing import ListingReader, split_rule
from healing.logs.lines import Line
from healing.model import Category, Severity

_ROW = re.compile(
    r"\s{1,9}(?P<line>\d{1,9}):(?P<column>\d{1,9})\s{1,8}(?P<sign>[✖⚠ℹ×‼√i])\s{1,8}(?P<message>\S.*)$"
    r"|\s{1,4}(?P<alone>[✖⚠×‼])\s{2,8}(?P<words>[A-Z].*)$"
)


def _row(file: str, match: re.Match[str], line: Line) -> Finding:
    message, code = split_rule(match["message"] or match["words"])
    sign = match["sign"] or match["alone"]
    severity = Severity.ERROR if sign in "✖×" else Severity.NOTE if sign in "ℹi" else Severity.WARNING
    return Finding(
        tool="stylelint",
        code=code,
        category=Category.SYNTAX if code == "CssSyntaxError" else Category.LINT,
        severity=severity,
        message=message,
        file=file,
        line=number(match["line"]),
        column=number(match["column"]),
        log_line=line.number,
        excerpt=line.text,
        score=1.0 if severity is Severity.ERROR else 0.2,
    )


FORMAT = Format("stylelint", ("  ✖  ", "  ⚠  ", "  ℹ  ", "  ×  ", "  ‼  "), lambda _: ListingReader(_ROW, _row))
