"""Values that nothing names, where only a value stands, and so random that no person and no compiler wrote them.

`createAccount("ci", "…")`, `kinit <<< '…'`, `+ result = "…"`. Ids and digests are as random: what
stands before says so.
"""

import re

from healing.logs.secrets.mask import MASK
from healing.logs.secrets.values import is_generated, is_random, is_shown

_QUOTED = re.compile(r"(?P<quote>['\"])(?P<user>[\w.@-]{1,40}+:)?(?P<word>[\w!@#$%^&*+.-]{12,64}+)(?P=quote)")
_BARE = r"(?P<user>[\w.@-]{1,40}+:)?(?P<word>[A-Za-z0-9]{16,64}+)(?=[\s'\")]|$)"
# Each begins with letters or a sign, which are found much faster than one of several.
_GIVEN = tuple(
    (sign, re.compile(before + _BARE))
    for sign, before in (("=", "="), ("echo ", "echo "), (" --", " --[a-z][a-z-]{1,40} "))
)
_HERE = re.compile(r"<<< ?['\"]?(?P<user>)(?P<word>[^\s'\"$]{8,200})")
_ID = re.compile(
    r"(?i:ids?|hash|sha\d{0,3}|integrity|digest|checksum|etag|nonce|version|rev|revision|cursor|build|name|file|path|state|(?<![\w-])key)"
    r"[\"']?\]?\s{0,4}[:=(]+\s{0,4}[\"']?$"
)


def mask_unnamed(text: str) -> str:
    """`text` without random words in quotes, after `=` and in here-strings, but for ids and digests."""
    if "<<<" in text:
        text = _HERE.sub(lambda match: _without(match) if is_generated(match["word"]) else match[0], text)
    for sign, pattern in _GIVEN:
        if sign in text:
            text = pattern.sub(_value, text)
    return _QUOTED.sub(_value, text)


def _value(match: re.Match[str]) -> str:
    whole = (match["user"] or "") + match["word"]
    if not is_random(match["word"]) or is_shown(whole):
        return match[0]
    return match[0] if _ID.search(match.string[max(0, match.start() - 30) : match.start("word")]) else _without(match)


def _without(match: re.Match[str]) -> str:
    start, end = (at - match.start() for at in match.span("word"))
    return match[0][:start] + MASK + match[0][end:]
