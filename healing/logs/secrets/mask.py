"""What stands for a secret, and what only stands where one would: placeholders."""

import re

MASK = "***"

_PLACEHOLDER = re.compile(
    r"\*{2,}|\$|%[^0-9]|x{2,}$|\.{3}|\{\{|<|my(?:password|secret|token)$|your|example|change|dummy|placeholder|redacted"
    r"|none$|null$|true$|false$|undefined|string|required|optional|secrets\.|process\.env|os\.environ|0{6}|ENC[(\[]",
    re.IGNORECASE,
)


def is_placeholder(word: str) -> bool:
    """Whether `word` says that a secret belongs here instead of being one."""
    return bool(_PLACEHOLDER.match(word))
