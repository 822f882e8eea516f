"""Text as a terminal or browser shows it: without colour codes, and with the escapes of JSON and URLs decoded.

A colour code between a name and its value hides that they belong together, and the last letter of a code right before a
token looks like the start of a longer word.
"""

import re

_MARKERS = ("\x1b", "\\u00", "\\x1b", "\\033", "\\e[", "^[[", "%3", "%2")
_ESCAPED = re.compile(
    r"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|[]_P^][^\x07\x1b\n]{0,4096}(?:\x07|\x1b\\)?|[ -/]{0,8}[0-~])?"
    r"|(?:\\u001[bB]|\\x1[bB]|\\033|\\e|\^\[)\[[\d;]{0,20}m"
    r"|\\u00(?P<json>[2-7][0-9a-fA-F])|%(?P<url>3[ADad]|2[026Ff])"
)


def plain_text(text: str) -> str:
    """`text` without escapes, with the same number of lines; `text` itself if it has none."""
    return _ESCAPED.sub(_decoded, text) if any(marker in text for marker in _MARKERS) else text


def with_masked_lines(text: str, plain: str, masked: str) -> str:
    """The lines of `text`, except those that were masked: they come from `masked`. `plain` is what was masked."""
    lines = [part.split("\n") for part in (text, plain, masked)]
    if len(set(map(len, lines))) > 1:
        return masked
    return "\n".join(line if before == after else after for line, before, after in zip(*lines, strict=True))


def _decoded(match: re.Match[str]) -> str:
    code = match["json"] or match["url"]
    return chr(int(code, 16)) if code else ""
