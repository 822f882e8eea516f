"""Judges a value by itself: whether a program or a password generator made it, or a person wrote a word."""

import re
import string
from itertools import pairwise

from healing.logs.secrets.mask import consists_of_words, is_placeholder

_MIN_LENGTH = 8
# How many characters of a value are judged. The limit keeps the total time linear in texts with many names of secrets.
# It exceeds the longest placeholder, and is less than what the patterns of names match.
JUDGED = 121
_HEX = re.compile(r"[0-9a-f]{32,128}$|[0-9A-F]{32,128}$")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$", re.IGNORECASE)
# A path, an address, a date, a version, a digest with its algorithm, an advisory's id, a public key, a time.
_PUBLIC = re.compile(
    r"(?:\.{1,2}|~|@[\w-]+)?/[\w.@-]*(?:[/.]|$)|[A-Za-z]:\\|.{0,200}(?:://|[\w)]\.[a-z]{1,5}\d?$)|\d{4}-\d\d-\d\d|v?\d{1,4}\.\d|sha\d{1,3}[:=-]|SHA\d{1,3}:|md5[:=]"
    r"|GHSA(?:-[2-9a-z]{4}){3}$|AAAA[BCE]|h1:|age1|pk_(?:live|test)_|0x|arn:|urn:|[\w.-]{1,60}@[\w-]{1,60}\.[a-z]"
    r"|[0-9A-Fa-f]{1,3}:[0-9A-Fa-f]{2}(?![0-9A-Za-z])"
)
# Digests inside a name, as in `linux-gradle-<digest>`, and numbers in the names of algorithms and encodings.
_KNOWN_PART = re.compile(
    r"(?<![0-9A-Za-z])(?:[0-9a-f]{7,128}|[0-9A-F]{16,128}|[0-9a-f-]{36})(?![0-9A-Za-z])"
    r"|25519|509|128|192|224|256|384|512|1024|2048|4096|[Bb]ase\d\d|(?i:utf|int)-?\d{1,2}|(?i:oauth)2"
)
_DIGIT = re.compile(r"[0-9]")
# Not before a format's letter (`%s`), and no method of Ruby (`User#name`).
_SIGN_INSIDE = re.compile(
    r"(?![A-Z]\w{0,60}#[a-z_]{1,60}[?!]?$)[^\s=(){}\[\]<>,;\"'`]{0,60}?[A-Za-z][!#&*+^~%@](?!(?<=%)[sdifv])[A-Za-z][^\s=(){}\[\]<>,;\"'`]{0,60}$"
)
_SETTING = re.compile(r"[A-Za-z_][\w.-]*=[^=]")
# Maps each character to its kind; separators between the parts of a name become spaces.
_KIND = str.maketrans(
    "_-./:" + string.ascii_lowercase + string.ascii_uppercase + string.digits, " " * 5 + "a" * 26 + "A" * 26 + "1" * 10
)


def is_hex(word: str) -> bool:
    """Whether `word` is a key or a digest of at least 128 bits in hexadecimal digits."""
    return bool(_HEX.match(word))


def is_uuid(word: str) -> bool:
    """Whether `word` is a UUID, which is an id for most programs and a token for some."""
    return bool(_UUID.match(word))


def is_machine_made(word: str) -> bool:
    """Whether a program made `word`, as a key, a digest or an id."""
    return is_hex(word) or is_uuid(word) or is_generated(word)


def is_public(word: str) -> bool:
    """Whether `word` is a path, an address, a version, a digest or a public key, which nobody keeps secret."""
    return bool(_PUBLIC.match(word))


def is_generated(word: str) -> bool:
    """Whether letters and digits alternate as in no name, path or version. False for hexadecimal digits."""
    return len(word) >= _MIN_LENGTH and _is_mixture(word, least=2, share=0.17)


def is_random(word: str) -> bool:
    """Whether `word` is so random that it must be a key, even without a name before it."""
    kinds = set(word.translate(_KIND))
    return len(word) >= 12 and kinds >= {"a", "A", "1"} and _is_mixture(word, least=4, share=0.25, more=1)


def _is_mixture(word: str, least: int, share: float, more: int = 0) -> bool:
    if not _DIGIT.search(word):
        return is_scrambled(word)
    if is_public(word):
        return False
    kinds = _KNOWN_PART.sub("", word).translate(_KIND)
    if "1" not in kinds:
        return is_scrambled(word)
    length = len(kinds) - kinds.count(" ")
    pairs = [a + b for a, b in pairwise(kinds) if a != b and " " not in (a, b)]
    if "a" in kinds and "A" in kinds:
        changes = len(pairs) - pairs.count("Aa")  # a capital at the start of a word does not count
        made = changes >= max(least, share * length + more)
    else:
        made = length >= 16 and sum("1" in pair for pair in pairs) >= 5
    return made and not consists_of_words(word.lstrip("*&")) and not is_placeholder(word)


def is_setting(word: str) -> bool:
    """Whether `word` is `name=value`, so that it belongs to another name."""
    return bool(_SETTING.match(word))


def is_scrambled(word: str) -> bool:
    """Whether `word` is 16 or more letters in which upper and lower case are mixed as in no camelCase name."""
    if len(word) < 16 or not word.isalpha():
        return False
    upper = sum(c.isupper() for c in word)
    return len(word) / 3 < upper < len(word) * 2 / 3


def is_tangled(word: str) -> bool:
    """Whether the case of letters changes more often than in a name: at least three times in a word of eight."""
    if len(word) < 8 or not word.isalpha() or not word.isascii() or consists_of_words(word):
        return False
    return sum(a != b for a, b in pairwise(word.translate(_KIND))) >= max(3, len(word) // 4)


def has_letters_and_digits(word: str) -> bool:
    """Whether `word` has both letters and digits and is no placeholder."""
    return any(c.isdigit() for c in word) and any(c.isalpha() for c in word) and not is_placeholder(word)


def is_mixed(word: str) -> bool:
    """Whether `word` has letters and, among them, digits or a sign that neither prose nor a name has there:
    `Kaas!Fondue`. False for placeholders."""
    return has_letters_and_digits(word) or (bool(_SIGN_INSIDE.match(word)) and not is_placeholder(word))


def has_both_cases(word: str) -> bool:
    """Whether `word` has lower-case and upper-case letters."""
    return word.lower() != word and word.upper() != word
