"""remark, retext, alex and others with vfile's reporter: rows that end with a rule and its plugin."""

import re

from healing.logs.format import Finding, Format, number
from healing.logs.formats.javascript._listing import ListingReader
from healing.logs.lines import Line
from healing.model import Category, Severity

_ROW = re.compile(
    r"\s{0,9}(?:(?P<line>\d{1,9}):(?P<column>\d{1,9})(?:-(?P<end_line>\d{1,9}):(?P<end_column>\d{1,9}))?)?"
    r"\s{1,9}(?P<level>error|warning|info)\s{1,4}(?P<message>\S.{0,1000}?)\s{1,80}"
    r"(?P<code>[\w.-]{2,60})\s{1,60}(?P<plugin>(?:remark|retext|rehype|unified|alex)[\w-]{0,60}(?::[\w-]{1,60})?)\s{0,9}$"
)
_LEVELS = {"error": Severity.ERROR, "warning": Severity.WARNING, "info": Severity.NOTE}


def _row(file: str, match: re.Match[str], line: Line) -> Finding:
    return Finding(
        tool="remark",
        code=f"{match['plugin']}:{match['code']}",
        category=Category.LINT,
        severity=_LEVELS[match["level"]],
        message=re.sub(r"\s{2,}", " ", match["message"]),
        file=file,
        line=number(match["line"]),
        column=number(match["column"]),
        end_line=number(match["end_line"]),
        end_column=number(match["end_column"]),
        log_line=line.number,
        excerpt=line.text,
        score=1.0 if match["level"] == "error" else 0.3,
    )


FORMAT = Format(
    "remark", (" remark-", " retext-", " rehype-", " unified-", " alex"), lambda _: ListingReader(_ROW, _row)
)
