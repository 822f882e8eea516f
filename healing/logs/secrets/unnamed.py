"""Masks random strings that no name marks as secrets: `createAccount("ci", "…")`, `kinit <<< '…'`, `+ result = "…"`.

Only strings so random that neither a person nor a compiler wrote them count. Ids and digests are as random; they are
recognized by the text before them and stay.
"""

import base64
import binascii
import re

from healing.logs.secrets.mask import MASK
from healing.logs.secrets.values import is_generated, is_public, is_random

_QUOTED = re.compile(r"(?P<quote>['\"])(?P<user>[\w.@\\-]{1,40}+:)?(?P<word>[\w!@#$%^&*+.-]{12,64}+)(?P=quote)")
_BARE = r"(?P<user>[\w.@-]{1,40}+:)?(?P<word>[A-Za-z0-9]{16,64}+)(?=[\s'\")]|$)"
# Each pattern begins with literal characters: `re` finds those much faster than one of several alternatives.
_GIVEN = tuple(
    (literal, re.compile(before + _BARE))
    for literal, before in (
        ("=", "="),
        ("echo ", "echo "),
        ("printf ", "printf '?%s'? "),
        (" --", " --[a-z][a-z-]{1,40} "),
    )
)
# A word by itself, as in a column of a table or after a colon.
_ALONE = re.compile(r"(?P<user>)(?P<word>[A-Za-z0-9_+/-]{19,128}+={0,2})")
_BEFORE, _AFTER = " \t\n\r:([>│|,=", " \t\n\r,;:)]<│|&\"'"  # the characters that may be next to it
# Words before a random string that name it as something other than a secret.
_NAMES_ANOTHER_KIND = re.compile(
    r"(?:publi[ck]|peer|\bpin|base64|data:|\bh1:|sum\b|digest|hash|md5|cach|amz|request|trace|span|\bids?\b|_id\b|etag"
    r"|signature|artifact|snapshot|fuzz|integrity|commit|\bref|version|uuid|nonce|cursor|state|hit\b|fingerprint|file|path|url|\benc[\[(])"
)
# A part of a resource's name, a value that a tool encrypted, and a hashed host name from SSH's known_hosts.
_NOT_SECRET = re.compile(r"\b(?:arn|urn):[^\"'=]*$|ENC\[[^\]]*$|^\|1\|")
# A service's mark at the start of its token. Without one a line of random characters is a part of something encoded.
_OF_A_SERVICE = re.compile(r"[a-z]{2,8}[_-](?:[a-z]{2,8}[_-])?[A-Za-z0-9]{24,}$")
_IMAGES = (b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"RIFF", b"<svg")
_TEXT = re.compile(rb"(?=[^\n]{0,400}?(?: |\":))[\t\r\n -~]+$")  # with a space, or JSON
_HERE_STRING = re.compile(r"<<< ?['\"]?(?P<user>)(?P<word>[^\s'\"$]{8,200})")
_ID = re.compile(
    r"(?i:ids?|hash|sha\d{0,3}|integrity|digest|checksum|etag|md5|nonce|version|rev|revision|cursor|build|name|file|path|state|(?<![\w-])key)"
    r"[\"']?\]?\s{0,4}[:=(]+\s{0,4}(?:W/)?[\"']?$"
)


def mask_unnamed(text: str) -> str:
    """`text` without random strings, in quotes, here-strings or by themselves. Ids and digests stay."""
    if "<<<" in text:
        text = _HERE_STRING.sub(lambda match: _masked(match) if is_generated(match["word"]) else match[0], text)
    for literal, pattern in _GIVEN:
        if literal in text:
            text = pattern.sub(_mask_value, text)
    return _ALONE.sub(_mask_alone, _QUOTED.sub(_mask_value, text))


def _mask_alone(match: re.Match[str]) -> str:
    word, text = match["word"], match.string
    if word.startswith(("_Z", "_R", "/")) or text[match.start() - 1 : match.start()] not in _BEFORE:
        return word
    if text[match.end() : match.end() + 1] not in _AFTER or not is_random(word):
        return word
    before = text[max(0, match.start() - 60) : match.start()].rpartition("\n")[2].lower()
    if not (before.strip() or _OF_A_SERVICE.match(word)) or _NAMES_ANOTHER_KIND.search(before) or _is_base64(word):
        return word
    prefix = text[max(0, match.start() - 400) : match.start()].rpartition("\n")[2].rpartition(" ")[2]
    return word if _NOT_SECRET.search(prefix) else _mask_value(match)


def _is_base64(word: str) -> bool:
    """Whether `word` is text or an image in base64. Secrets in such a text are found after decoding it."""
    try:
        data = base64.b64decode(word[: len(word) // 4 * 4])
    except (binascii.Error, ValueError):
        return False
    return data.startswith(_IMAGES) or (data.isascii() and bool(_TEXT.match(data)))


def _mask_value(match: re.Match[str]) -> str:
    whole = (match["user"] or "") + match["word"]
    if not is_random(match["word"]) or is_public(whole):
        return match[0]
    return match[0] if _ID.search(match.string[max(0, match.start() - 30) : match.start("word")]) else _masked(match)


def _masked(match: re.Match[str]) -> str:
    start, end = (at - match.start() for at in match.span("word"))
    return match[0][:start] + MASK + match[0][end:]
