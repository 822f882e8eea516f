"""Formatters that only name the files that they would change."""

import re

from healing.logs.shapes import Row, shaped
from healing.model import Category

FORMAT = shaped(
    "formatters",
    ('" is not formatted.', ": Unused imports/variables detected"),
    Row(
        tool="mdformat",
        category=Category.FORMAT,
        line=re.compile(r"Error: File \"(?P<file>[^\"\n]{1,400})\" (?P<message>is not formatted)\.$"),
    ),
    Row(
        tool="autoflake",
        category=Category.LINT,
        line=re.compile(r"(?P<file>\S[^:\n]{0,400}\.pyi?): (?P<message>Unused imports/variables detected)$"),
    ),
)
