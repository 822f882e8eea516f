"""Solidity: Foundry's tests (the compiler's code frames are read by the generic formats)."""

import re

from healing.logs.shapes import Row, shaped
from healing.model import Category

FORMAT = shaped(
    "solidity",
    ("[FAIL",),
    Row(
        tool="forge",
        category=Category.TEST,
        line=re.compile(
            r"\[FAIL(?:[:.] (?:Reason: )?(?P<message>.{1,600}?))?\] (?P<test>\w{1,200}\([^()]{0,200}\))(?:"
            r" \(.{1,200}\))?$"
        ),
    ),
)
