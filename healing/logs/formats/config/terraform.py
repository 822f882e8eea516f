"""Terraform, OpenTofu and TFLint: an error's title, and `on main.tf line 12` below it, in a box or without."""

import re

from healing.logs.format import at_line
from healing.logs.shapes import Row, RowPair, shaped
from healing.model import Category

_FILE = r"(?P<file>[^\s:][^:\n]{0,300}?\.(?:tf|tfvars|hcl|tofu|tftest\.hcl|json))"
_ON = re.compile(rf"[│|]?\s{{1,6}}on {_FILE} line (?P<line>\d{{1,7}})(?:, in .{{1,200}})?:")
_RULE = r" \((?P<code>[a-z][a-z0-9]{1,20}_\w{2,80})\)$"
_OTHER = re.compile(r"[╷╵]|[│|]? ?(?:Error|Warning|Notice): ")

FORMAT = shaped(
    "terraform",
    ("│ Error: ", "│ Warning: ", ".tf line ", ".tfvars line ", ".hcl line ", *at_line(".tf")),
    RowPair(
        tool="tflint",
        first=re.compile(rf"(?P<level>Error|Warning|Notice): (?:\[Fixable\] )?(?P<message>\S.{{0,600}}){_RULE}"),
        then=_ON,
        reach=3,
    ),
    RowPair(
        tool="terraform",
        category=Category.CONFIG,
        first=re.compile(r"[│|] (?P<level>Error|Warning): (?P<message>\S.{0,600})$"),
        then=_ON,
        stop=_OTHER,
        reach=12,
        alone=True,
    ),
    RowPair(
        tool="terraform",
        category=Category.CONFIG,
        first=re.compile(r"(?P<level>Error|Warning): (?P<message>\S.{0,600})$"),
        then=_ON,
        reach=6,
    ),
    Row(
        tool="tflint",
        line=re.compile(
            rf"{_FILE}:(?P<line>\d{{1,7}}):(?P<column>\d{{1,6}}): (?P<level>Error|Warning|Notice) - (?:\[Fixable\] )?"
            rf"(?P<message>\S.{{0,600}}){_RULE}"
        ),
    ),
    before=6,
)
