"""Puppet: `Error: … (file: x.pp, line: 3, column: 5)`."""

import re

from healing.logs.shapes import Row, shaped
from healing.model import Category

FORMAT = shaped(
    "puppet",
    ("(file: ", " at /"),
    Row(
        tool="puppet",
        category=Category.COMPILE,
        line=re.compile(
            r"(?P<level>Error|Warning): (?:Could not (?:parse|compile|retrieve).{0,120}?: )?(?P<message>\S.{0,600}?) "
            r"\((?:file: )(?P<file>[^,()]{1,300}), line: (?P<line>\d{1,7})(?:, column: (?P<column>\d{1,6}))?\)"
        ),
    ),
    Row(
        tool="puppet",
        category=Category.COMPILE,
        line=re.compile(
            r"(?P<level>Error|Warning): (?:Could not (?:parse|compile|retrieve).{0,120}?: )?(?P<message>\S.{0,600}?) "
            r"at (?P<file>/[^:()\s]{1,300}\.pp):(?P<line>\d{1,7})(?::(?P<column>\d{1,6}))?"
        ),
    ),
)
