"""A text as a person reads it: without colours, and with the signs that JSON and addresses write in another way.

A colour stands between a name and its value, and its last letter before a token seems to be one of a longer word.
"""

import re

_SIGNS = ("\x1b", "\\u00", "\\x1b", "\\033", "\\e[", "^[[", "%3", "%2")
_ESCAPED = re.compile(
    r"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|[]_P^][^\x07\x1b\n]{0,4096}(?:\x07|\x1b\\)?|[ -/]{0,8}[0-~])?"
    r"|(?:\\u001[bB]|\\x1[bB]|\\033|\\e|\^\[)\[[\d;]{0,20}m"
    r"|\\u00(?P<json>[2-7][0-9a-fA-F])|%(?P<address>3[ADad]|2[026Ff])"
)


def as_read(text: str) -> str:
    """`text` with as many lines, or `text` itself where it is written as it is read."""
    return _ESCAPED.sub(_sign, text) if any(sign in text for sign in _SIGNS) else text


def merged(text: str, read: str, masked: str) -> str:
    """The lines of `text`; where the same line of `read` was masked, that line of `masked`."""
    lines = [part.split("\n") for part in (text, read, masked)]
    if len(set(map(len, lines))) > 1:
        return masked
    return "\n".join(line if shown == left else left for line, shown, left in zip(*lines, strict=True))


def _sign(match: re.Match[str]) -> str:
    code = match["json"] or match["address"]
    return chr(int(code, 16)) if code else ""
