"""Finds the value nearest to a secret's name, whatever a format, a program or a sentence puts between them.

After the name, everything that is no value is skipped: words, opening brackets, punctuation, line ends before a word
like `value`. The first text after that is the candidate. The closer it is, the less random it has to look.
"""

import re

from healing.logs.secrets.mask import consists_of_words, is_digest, is_placeholder
from healing.logs.secrets.values import (
    JUDGED,
    has_both_cases,
    has_letters_and_digits,
    is_generated,
    is_hex,
    is_machine_made,
    is_mixed,
    is_public,
    is_setting,
    is_tangled,
    is_uuid,
)

_SIGNS = (
    r"(?:[\s\"'`:=,|(\[\]>│┃║→：，＝「」『』„“”‘’«»]|-(?!-{3,4}BEGIN))++|\{(?!\{)|&(?:quot|apos|lt|gt|#3[49]);/?"
    r"|&(?!\w{2,4};|#)|base64:|%(?:20|22|27|3A|3D|5B|7B)|!!str|</(?:key|td|th|dt|b|code|strong|label|span)>|<(?:string|td|dd|code|b|strong|span)>"
    r"|\\[nrt\"']?"
    r"|/i?(?=\))|\}(?=\s)|\)\.(?=\w{2,20}\()"
    r"|\.{2,20}+|<<(?=\")|\?[?:]|%s(?=[\s\"'])|\)(?=[:\s,])|\*(?=\")|\+(?=[\s-])|/(?= )"
)
# Words, small numbers, and host names: `web1`, `neo4j`.
_PLAIN = (
    r"(?:[^\W\d](?:[^\W\d]|[.*@/-]){0,60}+|\d{1,4}|0x[0-9a-f]{1,16}|(?<![:=][\"'])(?<![:=] [\"'])"
    r"(?<!send \")(?<!alue: )[a-z]{1,10}\d{1,3}[a-z]{0,3})"
    r"(?=[\s\"'`,:=()\[\]{}<>|\\│：，」』“”’»]|$)"
)
_NAME = r"(?P<name>[\w.-]{0,40}+(?![\w.-])(?:\"?:[\w\\\":]{0,60}(?:private|protected))?)"
_NEAREST = re.compile(
    rf"{_NAME}(?P<link>(?:{_SIGNS}|{_PLAIN}){{1,40}}+)"
    r"(?:(?<=\")(?P<double>[^\"\\\n]{6,1000})(?:\\[rn])?\"(?! ?:)|(?<=')(?P<single>[^'\\\n]{6,1000})(?:\\[rn])?'(?! ?:)"
    r"|(?P<bare>[^\s\"'`,;<>|(){}\[\]\\]{7,130}[^\s\"'`,;<>|(){}\[\]\\.:])(?![(\[]))"
)
# A quoted value with any characters, the first of which the link of _NEAREST would match.
_QUOTED = re.compile(
    rf"{_NAME}(?P<link>[\"']?\]?\s{{0,20}}[:=]>?\s{{0,20}})"
    r"(?:\"(?P<double>[^\"\\\n]{12,1000})\"|'(?P<single>[^'\\\n]{12,1000})')"
)
# Quoted letters and digits, which the link of _NEAREST would match as words and host names.
_TANGLED = re.compile(rf"{_NAME}(?P<link>[\"']?\]?[\s:=,]{{1,6}}[\"'])(?P<bare>[A-Za-z0-9]{{8,64}})(?=[\"'])")
# The default that code uses if an environment variable is not set.
_DEFAULT = re.compile(
    rf"{_NAME}[\"']?\]?\s{{0,20}}(?:=>|=|:)\s{{0,20}}(?:[\w.:]{{1,40}}\(\s{{0,20}}[\"']\w{{1,60}}[\"']\s{{0,4}},"
    r"|process\.env\.\w{1,60}\s{0,4}(?:\|\||\?\?))\s{0,20}(?P<quote>[\"'])(?P<word>[^\"'\n]{8,200})(?P=quote)"
)
# Two pairs, of which the second is called value: `{"key": "password", "value": "…"}`.
_PAIR = re.compile("alue|default")
_PAIRED = re.compile(
    r"[\"']?,?\s{1,40}(?:\{\s{0,40}|- )?[\"']?(?:\w{0,20}[vV]alue|default)[\"']?\s{0,4}[:=]\s{0,4}"
    r"(?P<quote>[\"']?)(?P<word>[^\s\"',]{6,200})(?:(?P=quote)(?<=[\"'])|[ \t]*\r?(?:\n|\Z))"
)
_WORD = re.compile(r"[A-Za-z_][\w.*-]*")
_TAG = re.compile(r"</?\w{1,10}>")
_RUST_SYMBOL = re.compile(r"h[0-9a-f]{16}$")  # the end of a symbol in a Rust stack trace
_NOT_A_VALUE = re.compile(r" [ *][\w./-]|\" ?:")  # a file name after its digest; the colon after a key
# Words that may come between a name and its own value.
_LINKING_WORDS = frozenset((
    "value", "default", "is", "was", "to", "be", "as", "set", "now", "new", "generated", "result", "string", "str",
    "chr", "type", "text", "plain", "b", "n", "r", "u", "some", "just", "with",
    # Methods with which scripts type into a password field.
    "send", "sendline", "send_keys", "sendkeys", "fill", "val", "setvalue", "send_user", "input_text",
))  # fmt: skip
# Another name to which the value is assigned: `token refreshed, commit=…`, `"secret": {"version": "…"`.
_OTHER_NAME = re.compile(r"(?P<name>[A-Za-z_][\w.-]*)[\"']?\s{0,20}(?:=|:(?=[\"'])|[\"']:)>?[\s\"']*$")
_DESCRIBES = re.compile(
    r"(?i:(?:name|file|path|dir|type|ref|ttl|version|class|length|size|policy|header|label|field|endpoint|validator|provider|timeout|used"
    r"|(?:^|[_-]|uu|gu)id|ized?|ization)s?|accessor|algorithm)$|Ids?$"
    r"|(?i:sha|hash|digest|checksum|fingerprint|[_-]id|expir|count|limit|url|izer)"
)


def describes_a_secret(rest: str) -> bool:
    """Whether the `rest` of a name shows that its value only describes a secret: `_file`, `Id`, `_hash`."""
    return bool(_DESCRIBES.search(rest))


def nearest_value(
    text: str, hit: re.Match[str], named: str, following: int, before: str, weak: bool
) -> tuple[int, int] | None:
    """Start and end of the secret that belongs to the name at `hit`. `named` is the name, or what it means in English;
    a `weak` name needs a value that looks generated. Text after `following` belongs to later names."""
    for pattern in (_NEAREST, _QUOTED):
        near = pattern.match(text, hit.end())
        if near and near.end("link") <= following and _is_its_own(near, named, before, weak):
            return near.span(near.lastgroup or 0)
    has_pair = not weak and _PAIR.search(text, hit.end(), hit.end() + 60)
    paired = _PAIRED.match(text, hit.end()) if has_pair else None
    if (
        paired
        and not is_placeholder(paired["word"])
        and (named.startswith("pass") or not consists_of_words(paired["word"]))
    ):
        return paired.span("word")
    default = None if weak else _DEFAULT.match(text, hit.end())
    if default and is_machine_made(default["word"]) and not describes_a_secret(default["name"]):
        return default.span("word")
    near = _TANGLED.match(text, hit.end()) if named.startswith(("pass", "pwd")) else None
    if near is None or describes_a_secret(near["name"]) or is_placeholder(near["bare"]):
        return None
    return near.span("bare") if is_tangled(near["bare"]) or is_mixed(near["bare"]) else None


def _is_its_own(near: re.Match[str], named: str, before: str, weak: bool) -> bool:
    group = near.lastgroup or "bare"
    word, link = near[group][:JUDGED], near["link"]
    if (
        "ENC" in link
        or _RUST_SYMBOL.match(word)
        or is_public(word)
        or is_placeholder(word)
        or describes_a_secret(near["name"])
    ):
        return False
    if group == "bare" and (is_setting(word) or _NOT_A_VALUE.match(near.string, near.end()) or link[0] == "["):
        return False
    words = _words(_TAG.sub("", link))
    lines, _, tail = link.rpartition("\n")
    if words and lines and "|" not in tail and _words(tail):
        return False
    generated = any(map(is_generated, word.split()))
    if named == "passphrase" and group != "bare" and link.rstrip("\"'").rstrip()[-1:] in ("=", ":"):
        return " " in word  # a passphrase of several words
    if not words:
        return generated or (_is_a_key(word, near, before) if weak else _is_direct_value(word, near, named, before))
    if not generated:
        return named.startswith("pass") and is_hex(word) and link.rstrip().endswith(":")
    if link.count("=") + link.count(":") < 2 and not any(sign in link for sign in ",{\n"):
        return not re.search(r"\w=$", link)
    other = _OTHER_NAME.search(link)
    return other is None or other["name"].lower() in _LINKING_WORDS or ("." in other["name"] and "{" in link)


def _is_a_key(word: str, near: re.Match[str], before: str) -> bool:
    """Whether `word` is a hexadecimal key that is assigned to a constant such as `WEATHER_KEY`, or to `?key=`. A UUID
    in a constant is one too, because constants hold no ids of rows."""
    constant = near.string[near.start() - 3 : near.start()].isupper() and before.endswith("_")
    if constant and is_uuid(word):
        return True
    named = constant or before.endswith(("?", "&"))
    return named and is_hex(word) and not is_digest(word, before[-20:].lower() + near["name"])


def _words(link: str) -> set[str]:
    """The words of `link` that are not expected between a name and its value."""
    words = {word.lower().rpartition(".")[2] for word in _WORD.findall(link)} - _LINKING_WORDS
    return {word for word in words if not word.endswith("value")}


def _is_direct_value(word: str, near: re.Match[str], named: str, before: str) -> bool:
    """Whether `word`, which directly follows a name, is its value. Fewer signs suffice than for one further away."""
    group, rest = near.lastgroup, near["name"]
    if is_uuid(word) and named == "credential":
        return False
    if is_hex(word) or is_uuid(word):
        if "\n" in near["link"] and not any(sign in near["link"] for sign in ":=|"):
            return False
        return not is_digest(word, before[-20:] + rest)
    is_password = named.startswith("pass") and (is_tangled(word) or is_mixed(word))
    if " " in word or not (is_password or has_letters_and_digits(word)):
        return False
    if group == "bare":
        in_a_table = near["link"].endswith(("  ", "\t"))
        return named.startswith("pass") and has_both_cases(word) and (in_a_table or not consists_of_words(word))
    compound = bool(rest) or before[-1:].isalnum() or before.endswith(("_", "-"))
    return named.startswith("pass") or (compound and not consists_of_words(word))
