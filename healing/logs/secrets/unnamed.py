"""Values that nothing names, where only a value stands, and so random that no person and no compiler wrote them.

`createAccount("ci", "…")`, `kinit <<< '…'`, `+ result = "…"`. Ids and digests are as random: what
stands before says so.
"""

import base64
import binascii
import re

from healing.logs.secrets.mask import MASK
from healing.logs.secrets.values import is_generated, is_random, is_shown

_QUOTED = re.compile(r"(?P<quote>['\"])(?P<user>[\w.@\\-]{1,40}+:)?(?P<word>[\w!@#$%^&*+.-]{12,64}+)(?P=quote)")
_BARE = r"(?P<user>[\w.@-]{1,40}+:)?(?P<word>[A-Za-z0-9]{16,64}+)(?=[\s'\")]|$)"
# Each begins with letters or a sign, which are found much faster than one of several.
_GIVEN = tuple(
    (sign, re.compile(before + _BARE))
    for sign, before in (
        ("=", "="),
        ("echo ", "echo "),
        ("printf ", "printf '?%s'? "),
        (" --", " --[a-z][a-z-]{1,40} "),
    )
)
# A word of its own in a line: in a column of a table, after a colon. What else is so random says what it is before.
_ALONE = re.compile(r"(?P<user>)(?P<word>[A-Za-z0-9_+/-]{19,128}+={0,2})")
_BEFORE, _AFTER = " \t\n\r:([>│|,=", " \t\n\r,;:)]<│|&\"'"  # what may stand beside it
_SAYS_WHAT = re.compile(
    r"(?:publi[ck]|peer|\bpin|base64|data:|\bh1:|sum\b|digest|hash|md5|cach|amz|request|trace|span|\bids?\b|_id\b|etag"
    r"|signature|artifact|snapshot|fuzz|integrity|commit|\bref|version|uuid|nonce|cursor|state|hit\b|fingerprint|file|path|url|\benc[\[(])"
)
# A part of a resource's name, what a tool encrypted, and the hashed name of a machine that SSH knows.
_NOT_HIDDEN = re.compile(r"\b(?:arn|urn):[^\"'=]*$|ENC\[[^\]]*$|^\|1\|")
_PICTURES = (b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"RIFF", b"<svg")
_TEXT = re.compile(rb"(?=[^\n]{0,400}?(?: |\":))[\t\r\n -~]+$")  # with a space, or of JSON
_HERE = re.compile(r"<<< ?['\"]?(?P<user>)(?P<word>[^\s'\"$]{8,200})")
_ID = re.compile(
    r"(?i:ids?|hash|sha\d{0,3}|integrity|digest|checksum|etag|md5|nonce|version|rev|revision|cursor|build|name|file|path|state|(?<![\w-])key)"
    r"[\"']?\]?\s{0,4}[:=(]+\s{0,4}(?:W/)?[\"']?$"
)


def mask_unnamed(text: str) -> str:
    """`text` without random words, in quotes or by themselves, and here-strings, but for ids and digests."""
    if "<<<" in text:
        text = _HERE.sub(lambda match: _without(match) if is_generated(match["word"]) else match[0], text)
    for sign, pattern in _GIVEN:
        if sign in text:
            text = pattern.sub(_value, text)
    return _ALONE.sub(_alone, _QUOTED.sub(_value, text))


def _alone(match: re.Match[str]) -> str:
    word, text = match["word"], match.string
    if word.startswith(("_Z", "_R", "/")) or text[match.start() - 1 : match.start()] not in _BEFORE:
        return word
    if text[match.end() : match.end() + 1] not in _AFTER or not is_random(word):
        return word
    before = text[max(0, match.start() - 60) : match.start()].rpartition("\n")[2].lower()
    if not before.strip() or _SAYS_WHAT.search(before) or _is_encoded(word):
        return word
    run = text[max(0, match.start() - 400) : match.start()].rpartition("\n")[2].rpartition(" ")[2]
    return word if _NOT_HIDDEN.search(run) else _value(match)


def _is_encoded(word: str) -> bool:
    """Whether `word` is a text or a picture in base64: what is secret in a text is found in its decoded form."""
    try:
        data = base64.b64decode(word[: len(word) // 4 * 4])
    except (binascii.Error, ValueError):
        return False
    return data.startswith(_PICTURES) or (data.isascii() and bool(_TEXT.match(data)))


def _value(match: re.Match[str]) -> str:
    whole = (match["user"] or "") + match["word"]
    if not is_random(match["word"]) or is_shown(whole):
        return match[0]
    return match[0] if _ID.search(match.string[max(0, match.start() - 30) : match.start("word")]) else _without(match)


def _without(match: re.Match[str]) -> str:
    start, end = (at - match.start() for at in match.span("word"))
    return match[0][:start] + MASK + match[0][end:]
