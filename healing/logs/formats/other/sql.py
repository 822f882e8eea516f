"""SQL: SQLFluff's rows below a file, psql and mysql scripts."""

import re

from healing.logs.shapes import Row, RowPair, shaped
from healing.model import Category

FORMAT = shaped(
    "sql",
    ("] FAIL", "psql:", "ERROR 1"),
    RowPair(
        tool="sqlfluff",
        first=re.compile(r"== \[(?P<file>[^\]]{1,300})\] FAIL$"),
        then=re.compile(
            r"L:\s{0,8}(?P<line>\d{1,7}) \| P:\s{0,8}(?P<column>\d{1,6}) \|\s{1,8}(?P<code>[A-Z]\w{1,8}) \| "
            r"(?P<message>\S.{0,600})$"
        ),
        many=True,
        reach=30,
    ),
    Row(
        tool="psql",
        category=Category.COMPILE,
        line=re.compile(
            r"psql:(?P<file>[^\s:]{1,300}):(?P<line>\d{1,7}): (?P<level>ERROR|FATAL):\s{1,4}(?P<message>\S.{0,600})$"
        ),
    ),
    Row(
        tool="mysql",
        category=Category.COMPILE,
        line=re.compile(
            r"ERROR (?P<code>\d{4}) \([0-9A-Z]{5}\)(?: at line (?P<line>\d{1,7}))?: (?P<message>\S.{0,600})$"
        ),
    ),
)
