"""dotenv-linter: `.env:2 LeadingCharacter: …`."""

import re

from healing.logs.shapes import Row, shaped

FORMAT = shaped(
    "dotenv",
    (".env:", ".env.", "env:"),
    Row(
        tool="dotenv-linter",
        line=re.compile(
            r"(?P<file>[^\s:]{0,300}env[^\s:]{0,80}):(?P<line>\d{1,7}) "
            r"(?:(?P<code>[A-Z][a-zA-Z]{3,40}): |(?=(?:Leading|The|Duplicated|Invalid|Extra|Incorrect"
            r"|Missing|Quote|Trailing) ))"
            r"(?P<message>\S.{0,300})$"
        ),
    ),
)
