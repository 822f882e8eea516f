"""Masks secrets that a maintained rule set knows: some 400 patterns of vendors' tokens. rules.json names its source.

In one pass RE2's filter finds the few patterns that a text can match. It is compiled for the first text that could hold
a token.
"""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import re2  # type: ignore[import-untyped] # it has no types

from healing.logs.secrets.mask import MASK, encodable, is_digest, is_placeholder
from healing.logs.secrets.values import is_hex

_TOKEN_LIKE = re.compile(r"[\w+/=.~-]{14,}")
_DIGIT = re.compile(r"\d")
# Some rules match any `key`. Public keys, and keys that only look something up, are no secrets.
_LOOKUP_KEY = re.compile(
    r"(?i:public|pub|publishable|cache|partition|sort|primary|foreign|idempotency|project|fingerprint|routing|merge|object|group|from|gpg|pgp)"
    r"[_. -]?(?i:key)\W{0,8}$|(?i:hash|digest|checksum|fingerprint|uuid)\W{0,8}$"
)
_INSIDE_A_WORD = re.compile(r"(?:(?!(?i:key|secret|token)(?![a-z]))[\w./-]){1,40}\W{1,8}$")  # `KeychainAccess: `
_NAMED = re.compile(r"[\w./-]{1,40}\W{1,8}$")


def mask_known(text: str) -> str:
    """`text` without what a rule of the set matches; placeholders stay."""
    if not any(_DIGIT.search(word) for word in _TOKEN_LIKE.findall(text)):
        return text
    rules, plain = _rules(), encodable(text)
    spans = sorted(span for index in rules.Match(plain) or () for span in _secrets(rules.re(index), plain))
    parts: list[str] = []
    at = 0
    for start, end in spans:
        if start >= at:
            parts += [text[at:start], MASK]
        at = max(at, end)
    return "".join((*parts, text[at:])) if parts else text


def _secrets(rule: re2._Regexp, text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each secret: the first group of a match that has one, the whole match otherwise."""
    for match in rule.finditer(text):
        group = next((number for number, part in enumerate(match.groups(), 1) if part), 0)
        word = match[group]
        before = text[max(0, match.start(group) - 40) : match.start(group)]
        named = _NAMED.search(before)
        # Without a digit it is a word or a name, whatever vendor's name is next to it.
        if not _DIGIT.search(word) or is_placeholder(word) or _LOOKUP_KEY.search(before):
            continue
        if not (named and (is_digest(word, named[0]) or (is_hex(word) and _INSIDE_A_WORD.match(named[0])))):
            yield match.span(group)


def load_rules() -> None:
    """Compiles the rules ahead of the first text that needs them, which takes a tenth of a second."""
    _rules()


@cache
def _rules() -> "re2.Filter":
    options = re2.Options()
    options.log_errors = False
    rules = re2.Filter()
    for pattern in json.loads(Path(__file__).with_name("rules.json").read_text())["rules"].values():
        rules.Add(pattern, options)
    rules.Compile()
    return rules
