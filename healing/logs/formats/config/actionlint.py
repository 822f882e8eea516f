"""actionlint, and GitHub's own errors for an invalid workflow file."""

import re

from healing.logs.shapes import Row, shaped
from healing.model import Category

_WORKFLOW = r"(?P<file>[^\s:()]{0,300}\.github[\\/][^\s:()]{1,200}\.ya?ml|[^\s:()]{0,300}\baction\.ya?ml)"

FORMAT = shaped(
    "actionlint",
    (*(f".{end}:{digit}" for end in ("yml", "yaml") for digit in range(1, 10)), "(Line: "),
    Row(
        tool="actionlint",
        line=re.compile(
            rf"{_WORKFLOW}:(?P<line>\d{{1,7}}):(?P<column>\d{{1,6}}): (?P<message>\S.{{0,2000}}) \["
            rf"(?P<code>[a-z-]{{2,40}})\]$"
        ),
    ),
    Row(
        tool="github-actions",
        category=Category.CONFIG,
        line=re.compile(
            rf"(?:.{{0,200}}?[\s'\"])?{_WORKFLOW}['\"]? \(Line: (?P<line>\d{{1,7}}), Col: (?P<column>\d{{1,6}})\): "
            r"(?P<message>\S.{0,2000})$"
        ),
    ),
)
