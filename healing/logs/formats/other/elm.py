"""Elm: a ruled headline with the file, sentences, and the source's line."""

import re

from healing.logs.shapes import RowPair, shaped
from healing.model import Category

FORMAT = shaped(
    "elm",
    (".elm\n",),
    RowPair(
        tool="elm",
        category=Category.COMPILE,
        first=re.compile(r"-- (?P<code>[A-Z][A-Z ]{2,60}) -{1,200} (?P<file>\S{1,300}\.elm)$"),
        between=(re.compile(r"(?P<message>[A-Z`\"].{0,600})$"),),
        then=re.compile(r"(?P<line>\d{1,7})\|"),
        reach=14,
        alone=True,
    ),
)
