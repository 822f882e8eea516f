"""poetry: a lock file that doesn't fit, an invalid pyproject.toml, packages and servers that it doesn't find.

What its resolver says about versions is read with uv's, which words it alike.
"""

import re

from healing.logs.shapes import Row, RowPair, shaped
from healing.model import Category

_TOOL = "poetry"
_PROJECT = "pyproject.toml"

FORMAT = shaped(
    _TOOL,
    (
        *("was last generated", "poetry.lock is not up to date", "The Poetry configuration is invalid", ") not found."),
        *("All attempts to connect to ", "is not supported by the project (", "poetry.lock was not found"),
        "is not compatible with the current version of Poetry",
    ),
    RowPair(
        tool=_TOOL,
        first=re.compile(r"The Poetry configuration is invalid:$"),
        then=re.compile(r"\s{1,4}- (?P<message>\S.{0,400})"),
        category=Category.CONFIG,
        path=_PROJECT,
        many=True,
        stop=re.compile(r"\s*$"),
    ),
    RowPair(
        tool=_TOOL,
        first=re.compile(
            r"(?P<message>The currently activated Python version [\d.]{1,20} is not supported by the project"
            r" \([^()]{1,80}\))\.$"
        ),
        # Poetry goes on with another Python where it finds one, and says nothing of this kind then.
        then=re.compile(r"Poetry was unable to find a compatible version\b"),
        category=Category.CONFIG,
        path=_PROJECT,
    ),
    Row(
        tool=_TOOL,
        line=re.compile(
            r"(?:Error: )?(?P<message>pyproject\.toml changed significantly since poetry\.lock was last generated)\. "
            r"(?P<suggestion>Run .{1,200})$"
        ),
        category=Category.DEPENDENCY,
        path="poetry.lock",
    ),
    Row(
        tool=_TOOL,
        line=re.compile(r"(?:Error: )?(?P<message>poetry\.lock (?:is not up to date|was not found).{0,200})$"),
        category=Category.DEPENDENCY,
        path="poetry.lock",
    ),
    Row(
        tool=_TOOL,
        line=re.compile(
            r"(?P<message>(?:Package [\w.-]{1,100} \([^()]{1,100}\) not found"
            r"|The lock file is not compatible with the current version of Poetry))\.(?: .{0,200})?$"
        ),
        category=Category.DEPENDENCY,
    ),
    Row(
        tool=_TOOL,
        line=re.compile(r"(?P<message>All attempts to connect to [\w.:-]{1,200} failed)\.$"),
        category=Category.INFRASTRUCTURE,
    ),
)
