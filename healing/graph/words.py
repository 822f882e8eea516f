"""The identifiers in a source with C-like comments and strings: the names of its own package that it may use."""

import re

STRINGS_AND_COMMENTS = re.compile(
    rb"//[^\n]*+"
    rb"|/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z)"
    rb'|"""(?:[^"\\]++|\\.|"(?!""))*+(?:"""|\Z)'
    rb'|"(?:[^"\\\n]++|\\.)*+"?'
    rb"|'(?:[^'\\\n]++|\\.){0,12}+'"
    rb"|`[^`]*+`",
    re.DOTALL,
)
WORD = re.compile(rb"[^\W\d]\w*+")
MAX_SIZE = 1_000_000  # bytes of a file that are read


def without_strings(data: bytes) -> bytes:
    """The source with comments and strings removed."""
    return STRINGS_AND_COMMENTS.sub(b" ", data[:MAX_SIZE])


def words(data: bytes) -> frozenset[str]:
    """All identifiers and keywords outside comments and strings."""
    return frozenset(word.decode("utf-8", "replace") for word in set(WORD.findall(without_strings(data))))
