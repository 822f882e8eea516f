"""What stands for a secret, and what only stands where one would: placeholders."""

import re

MASK = "***"

_PLACEHOLDER = re.compile(
    r"\*{2,}|\$|%[^0-9]|#\{|\{\{|<|\.{3}|x{2,}$|@[\w.-]{1,60}@$|![a-z/]{1,20}$|0{6}|ENC[(\[]"
    r"|my[_-]?(?:password|secret|token|key)$|your|example|change|dummy|placeholder|redacted|insert|replace|enter[_-]|todo\b"
    r"|none$|null$|true$|false$|undefined|string|required|optional|secrets\.|process\.env|os\.environ",
    re.IGNORECASE,
)
_INSIDE = re.compile(r"(?i:x{6})|\*{4}|\.{3}|EXAMPLE|(?<![A-Za-z])(?i:example)|[_-](?i:here)$|\$\{|\{\{")
_LONGEST = 120  # characters of a placeholder; in what is longer such words come by chance


def is_placeholder(word: str) -> bool:
    """Whether `word` says that a secret belongs here instead of being one."""
    return bool(_PLACEHOLDER.match(word)) or is_stand_in(word)


def is_stand_in(token: str) -> bool:
    """Whether a token is the one of a manual: `ghp_xxxxxxxx`, `AKIA…EXAMPLE`."""
    return len(token) <= _LONGEST and bool(_INSIDE.search(token))
