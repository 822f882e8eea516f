"""Exceptions in the cells of a notebook, as IPython prints them for nbconvert, papermill and pytest's plugins."""

import re

from healing.logs.shapes import RowPair, shaped
from healing.model import Category

FORMAT = shaped(
    "notebook",
    ("rror         ", "xception      "),
    RowPair(
        tool="notebook",
        category=Category.RUNTIME,
        first=re.compile(r"(?P<code>\w{1,60}(?:Error|Exception)) {6,80}Traceback \(most recent call last\)$"),
        between=(
            re.compile(r"(?:Cell )?(?:In ?|Input In )\[\d{1,5}\], (?:in )?(?:line|<cell line:) (?P<line>\d{1,6})"),
        ),
        then=re.compile(r"(?P<message>\w{1,60}(?:Error|Exception)(?:: .{1,600})?)$"),
        reach=60,
    ),
)
