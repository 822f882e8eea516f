"""What a value reveals by itself: whether a machine or a generator of passwords made it, or a person wrote a word."""

import re
import string
from itertools import pairwise

from healing.logs.secrets.mask import is_of_words, is_placeholder

_MIN_LENGTH = 8
# Characters of a value that are judged: a text may name a secret in every one of them. More than a placeholder has, and
# less than the patterns of names take, which leave the rest of a long value until it is masked.
JUDGED = 121
_HEX = re.compile(r"[0-9a-f]{32,128}$|[0-9A-F]{32,128}$")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$", re.IGNORECASE)
# A path, an address, a date, a version, a digest that says so, a public key, a time.
_SHOWN = re.compile(
    r"(?:\.{1,2}|~|@[\w-]+)?/[\w.@-]*(?:[/.]|$)|[A-Za-z]:\\|.{0,200}(?:://|[\w)]\.[a-z]{1,5}\d?$)|\d{4}-\d\d-\d\d|v?\d{1,4}\.\d|sha\d{1,3}[:=-]|SHA\d{1,3}:|md5[:=]"
    r"|AAAA[BCE]|h1:|age1|0x|arn:|urn:|[\w.-]{1,60}@[\w-]{1,60}\.[a-z]|[0-9A-Fa-f]{1,3}:[0-9A-Fa-f]{2}(?![0-9A-Za-z])"
)
# Digests inside a name, `linux-gradle-<digest>`, and the numbers of algorithms and encodings.
_KNOWN = re.compile(
    r"(?<![0-9A-Za-z])(?:[0-9a-f]{7,128}|[0-9A-F]{16,128}|[0-9a-f-]{36})(?![0-9A-Za-z])"
    r"|25519|509|128|192|224|256|384|512|1024|2048|4096|[Bb]ase\d\d|(?i:utf|int)-?\d{1,2}|(?i:oauth)2"
)
_DIGIT = re.compile(r"[0-9]")
_SETTING = re.compile(r"[A-Za-z_][\w.-]*=[^=]")
# The kind of each character; what joins the parts of a name is a space.
_KIND = str.maketrans(
    "_-./:" + string.ascii_lowercase + string.ascii_uppercase + string.digits, " " * 5 + "a" * 26 + "A" * 26 + "1" * 10
)


def is_hex(word: str) -> bool:
    """Whether `word` is a key, or a digest, of 128 bits or more in hexadecimal digits."""
    return bool(_HEX.match(word))


def is_uuid(word: str) -> bool:
    """Whether `word` is a UUID: an id for most programs, a token for some."""
    return bool(_UUID.match(word))


def is_made(word: str) -> bool:
    """Whether a machine made `word`, as a key, a digest or an id."""
    return is_hex(word) or is_uuid(word) or is_generated(word)


def is_shown(word: str) -> bool:
    """Whether `word` is a path, an address, a version, a digest or a public key: nothing that anybody hides."""
    return bool(_SHOWN.match(word))


def is_generated(word: str) -> bool:
    """Whether letters and digits are mixed as no name, path or version mixes them; hexadecimal digits are not."""
    return len(word) >= _MIN_LENGTH and _is_mixture(word, least=2, share=0.17)


def is_random(word: str) -> bool:
    """Whether `word` is mixed so thoroughly that it is a key without anything that says so."""
    kinds = set(word.translate(_KIND))
    return len(word) >= 12 and kinds >= {"a", "A", "1"} and _is_mixture(word, least=4, share=0.25, more=1)


def _is_mixture(word: str, least: int, share: float, more: int = 0) -> bool:
    if not _DIGIT.search(word):
        return is_scrambled(word)
    if is_shown(word):
        return False
    kinds = _KNOWN.sub("", word).translate(_KIND)
    if "1" not in kinds:
        return is_scrambled(word)
    length = len(kinds) - kinds.count(" ")
    pairs = [a + b for a, b in pairwise(kinds) if a != b and " " not in (a, b)]
    if "a" in kinds and "A" in kinds:
        changes = len(pairs) - pairs.count("Aa")  # a capital that begins a word is none
        made = changes >= max(least, share * length + more)
    else:
        made = length >= 16 and sum("1" in pair for pair in pairs) >= 5
    return made and not is_of_words(word.lstrip("*&")) and not is_placeholder(word)


def is_setting(word: str) -> bool:
    """Whether `word` is `name=value`, of another name."""
    return bool(_SETTING.match(word))


def is_scrambled(word: str) -> bool:
    """Whether letters of both cases are mixed as no camelCase mixes them."""
    if len(word) < 16 or not word.isalpha():
        return False
    upper = sum(c.isupper() for c in word)
    return len(word) / 3 < upper < len(word) * 2 / 3


def is_tangled(word: str) -> bool:
    """Whether letters change between small and capital as in no name: three times and more in a word of eight."""
    if len(word) < 8 or not word.isalpha() or not word.isascii() or is_of_words(word):
        return False
    return sum(a != b for a, b in pairwise(word.translate(_KIND))) >= max(3, len(word) // 4)


def is_mixed(word: str) -> bool:
    """Whether `word` has digits and letters both: no word of a language, and no name."""
    return any(c.isdigit() for c in word) and any(c.isalpha() for c in word) and not is_placeholder(word)


def has_both_cases(word: str) -> bool:
    """Whether `word` has small letters and capitals."""
    return word.lower() != word and word.upper() != word
