"""The identifiers in a source of a language with C's comments and strings: what it may use of its own package."""

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
LARGEST = 1_000_000  # bytes of a file that are looked at


def bare(data: bytes) -> bytes:
    """A source without comments and strings."""
    return STRINGS_AND_COMMENTS.sub(b" ", data[:LARGEST])


def words(data: bytes) -> frozenset[str]:
    """Every identifier and keyword outside of comments and strings."""
    return frozenset(word.decode("utf-8", "replace") for word in set(WORD.findall(bare(data))))
