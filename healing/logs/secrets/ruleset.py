"""Secrets that a maintained rule set knows, beside our own rows: rules.json, which says where it comes from.

Some 400 patterns of vendors' tokens. RE2's filter finds the few that a text can match in one pass; it is made when the
first text comes that could hold a token at all.
"""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import re2  # type: ignore[import-untyped] # it has no types

from healing.logs.secrets.mask import MASK, encodable, is_digest, is_placeholder
from healing.logs.secrets.values import is_hex

_RUN = re.compile(r"[\w+/=.~-]{14,}")  # of what tokens are made of
_DIGIT = re.compile(r"\d")
# Some rules take any `key` for one: keys that are public, or that only find something, are none.
_FINDS = re.compile(
    r"(?i:public|pub|publishable|cache|partition|sort|primary|foreign|idempotency|project|fingerprint|routing|merge|object|group|from|gpg|pgp)"
    r"[_. -]?(?i:key)\W{0,8}$|(?i:hash|digest|checksum|fingerprint|uuid)\W{0,8}$"
)
_INSIDE_A_WORD = re.compile(r"(?:(?!(?i:key|secret|token)(?![a-z]))[\w./-]){1,40}\W{1,8}$")  # `KeychainAccess: `
_NAMED = re.compile(r"[\w./-]{1,40}\W{1,8}$")


def mask_known(text: str) -> str:
    """`text` without what one of the rules calls a secret; placeholders stay."""
    if not any(_DIGIT.search(run) for run in _RUN.findall(text)):
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
    """Where the secrets are: the first group of a match that has one, the whole match otherwise."""
    for match in rule.finditer(text):
        group = next((number for number, part in enumerate(match.groups(), 1) if part), 0)
        word = match[group]
        # What has no digit is a word of a language or a name, whatever vendor it stands beside.
        before = text[max(0, match.start(group) - 40) : match.start(group)]
        named = _NAMED.search(before)
        if not _DIGIT.search(word) or is_placeholder(word) or _FINDS.search(before):
            continue
        if not (named and (is_digest(word, named[0]) or (is_hex(word) and _INSIDE_A_WORD.match(named[0])))):
            yield match.span(group)


def load_rules() -> None:
    """Makes the filter, which takes a tenth of a second, before the first text that needs it comes."""
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
