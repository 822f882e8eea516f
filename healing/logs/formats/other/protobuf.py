"""Protocol buffers: protoc, Buf, protolint."""

import re

from healing.logs.format import at_line
from healing.logs.shapes import Row, shaped
from healing.model import Category

_FILE = r"(?P<file>[^\s:\[\]][^:\[\]]{0,300}\.proto)"
_AT = r":(?P<line>\d{1,7}):(?P<column>\d{1,6})"

FORMAT = shaped(
    "protobuf",
    (*at_line(".proto"), ".proto: "),
    Row(tool="protolint", line=re.compile(rf"\[{_FILE}{_AT}\] (?P<message>\S.{{0,600}})$")),
    Row(tool="buf", line=re.compile(rf"{_FILE}{_AT}:(?P<message>\S.{{0,600}})$")),
    Row(
        tool="protoc",
        category=Category.COMPILE,
        line=re.compile(rf"{_FILE}{_AT}: (?:(?P<level>warning|error): )?(?P<message>\S.{{0,600}})$"),
    ),
    Row(
        tool="protoc",
        category=Category.COMPILE,
        line=re.compile(r"(?P<file>[^\s:]{1,300}\.proto): (?P<message>File not found\..{0,80})$"),
    ),
)
