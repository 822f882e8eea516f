"""The value that stands nearest after a name of a secret, whatever a format, a program or a sentence puts between.

From the name on, what carries no value itself is skipped: words, brackets that open, signs, line ends before a word
like `value`. The first text that is none of these is the candidate. The closer it stands, the less it must look made.
"""

import re

from healing.logs.secrets.mask import is_digest, is_of_words, is_placeholder
from healing.logs.secrets.values import (
    JUDGED,
    has_both_cases,
    is_generated,
    is_hex,
    is_made,
    is_mixed,
    is_setting,
    is_shown,
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
# Words, small numbers, and names as of machines: `web1`, `neo4j`.
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
# A value in quotes with signs of any kind, the first of which a link would take.
_QUOTED = re.compile(
    rf"{_NAME}(?P<link>[\"']?\]?\s{{0,20}}[:=]>?\s{{0,20}})"
    r"(?:\"(?P<double>[^\"\\\n]{12,1000})\"|'(?P<single>[^'\\\n]{12,1000})')"
)
# Letters, or letters and digits, in quotes: a link would take them for words and names of machines.
_TANGLED = re.compile(rf"{_NAME}(?P<link>[\"']?\]?[\s:=,]{{1,6}}[\"'])(?P<bare>[A-Za-z0-9]{{8,64}})(?=[\"'])")
# What a name has where the variable that holds it is not set.
_DEFAULT = re.compile(
    rf"{_NAME}[\"']?\]?\s{{0,20}}(?:=>|=|:)\s{{0,20}}(?:[\w.:]{{1,40}}\(\s{{0,20}}[\"']\w{{1,60}}[\"']\s{{0,4}},"
    r"|process\.env\.\w{1,60}\s{0,4}(?:\|\||\?\?))\s{0,20}(?P<quote>[\"'])(?P<word>[^\"'\n]{8,200})(?P=quote)"
)
# Of two pairs, the one of which is called value: `{"key": "password", "value": "…"}`.
_PAIR = re.compile("alue|default")
_PAIRED = re.compile(
    r"[\"']?,?\s{1,40}(?:\{\s{0,40}|- )?[\"']?(?:\w{0,20}[vV]alue|default)[\"']?\s{0,4}[:=]\s{0,4}"
    r"(?P<quote>[\"']?)(?P<word>[^\s\"',]{6,200})(?:(?P=quote)(?<=[\"'])|[ \t]*\r?(?:\n|\Z))"
)
_WORD = re.compile(r"[A-Za-z_][\w.*-]*")
_TAG = re.compile(r"</?\w{1,10}>")
_OF_RUST = re.compile(r"h[0-9a-f]{16}$")  # ends the symbols of its stacks
_LISTED = re.compile(r" [ *][\w./-]|\" ?:")  # the file whose digest stands before it; what makes a text a key
# What may stand between a name and its own value.
_LEADS = frozenset(
    {
        *(
            "value",
            "default",
            "is",
            "was",
            "to",
            "be",
            "as",
            "set",
            "now",
            "new",
            "generated",
            "result",
            "string",
            "str",
        ),
        *("chr", "type", "text", "plain", "b", "n", "r", "u", "some", "just", "with"),
        # What a program that plays a person does after it saw or found the field of a password.
        *("send", "sendline", "send_keys", "sendkeys", "fill", "val", "setvalue", "send_user", "input_text"),
    }
)
# A sign that gives the value to another name: `token refreshed, commit=…`, `"secret": {"version": "…"`.
_OTHERS = re.compile(r"(?P<name>[A-Za-z_][\w.-]*)[\"']?\s{0,20}(?:=|:(?=[\"'])|[\"']:)>?[\s\"']*$")
_ABOUT_ONE = re.compile(
    r"(?i:(?:name|file|path|dir|type|ref|ttl|version|class|length|size|policy|header|label|field|endpoint|validator|provider|timeout|used"
    r"|(?:^|[_-]|uu|gu)id|ized?|ization)s?|accessor|algorithm)$|Ids?$"
    r"|(?i:sha|hash|digest|checksum|fingerprint|[_-]id|expir|count|limit|url|izer)"
)


def is_about_one(rest: str) -> bool:
    """Whether the `rest` of a name says that its value is no secret, but describes one: `_file`, `Id`, `_hash`."""
    return bool(_ABOUT_ONE.search(rest))


def nearest_value(
    text: str, hit: re.Match[str], named: str, following: int, before: str, weak: bool
) -> tuple[int, int] | None:
    """Where the secret stands that belongs to the name at `hit`; a `weak` name needs a value that looks made. `named`
    is the name, or what it means.

    What stands after `following` belongs to later names.
    """
    for pattern in (_NEAREST, _QUOTED):
        near = pattern.match(text, hit.end())
        if near and near.end("link") <= following and _is_its_own(near, named, before, weak):
            return near.span(near.lastgroup or 0)
    has_pair = not weak and _PAIR.search(text, hit.end(), hit.end() + 60)
    paired = _PAIRED.match(text, hit.end()) if has_pair else None
    if paired and not is_placeholder(paired["word"]) and (named.startswith("pass") or not is_of_words(paired["word"])):
        return paired.span("word")
    default = None if weak else _DEFAULT.match(text, hit.end())
    if default and is_made(default["word"]) and not is_about_one(default["name"]):
        return default.span("word")
    near = _TANGLED.match(text, hit.end()) if named.startswith(("pass", "pwd")) else None
    if near is None or is_about_one(near["name"]) or is_placeholder(near["bare"]):
        return None
    return near.span("bare") if is_tangled(near["bare"]) or is_mixed(near["bare"]) else None


def _is_its_own(near: re.Match[str], named: str, before: str, weak: bool) -> bool:
    group = near.lastgroup or "bare"
    word, link = near[group][:JUDGED], near["link"]
    if "ENC" in link or _OF_RUST.match(word) or is_shown(word) or is_placeholder(word) or is_about_one(near["name"]):
        return False
    if group == "bare" and (is_setting(word) or _LISTED.match(near.string, near.end()) or link[0] == "["):
        return False
    words = _words(_TAG.sub("", link))
    lines, _, tail = link.rpartition("\n")
    if words and lines and "|" not in tail and _words(tail):
        return False
    made = any(map(is_generated, word.split()))
    if named == "passphrase" and group != "bare" and link.rstrip("\"'").rstrip()[-1:] in ("=", ":"):
        return " " in word  # words of a dictionary, one after the other
    if not words:
        return made or (_is_a_key(word, near, before) if weak else _may_be_one(word, near, named, before))
    if not made:
        return named.startswith("pass") and is_hex(word) and link.rstrip().endswith(":")
    if link.count("=") + link.count(":") < 2 and not any(sign in link for sign in ",{\n"):
        return not re.search(r"\w=$", link)
    other = _OTHERS.search(link)
    return other is None or other["name"].lower() in _LEADS or ("." in other["name"] and "{" in link)


def _is_a_key(word: str, near: re.Match[str], before: str) -> bool:
    """Whether a key in hexadecimal digits is given to a constant, which is named after what it opens: `WEATHER_KEY`."""
    named = (near.string[near.start() - 3 : near.start()].isupper() and before.endswith("_")) or before.endswith(
        ("?", "&")
    )
    return named and is_hex(word) and not is_digest(word, before[-20:].lower() + near["name"])


def _words(link: str) -> set[str]:
    words = {word.lower().rpartition(".")[2] for word in _WORD.findall(link)} - _LEADS
    return {word for word in words if not word.endswith("value")}


def _may_be_one(word: str, near: re.Match[str], named: str, before: str) -> bool:
    """Whether `word`, which directly follows a name, is its value: it needs less for that than one further away."""
    group, rest = near.lastgroup, near["name"]
    if is_uuid(word) and named == "credential":
        return False
    if is_hex(word) or is_uuid(word):
        if "\n" in near["link"] and not any(sign in near["link"] for sign in ":=|"):
            return False
        return not is_digest(word, before[-20:] + rest)
    if " " in word or not (is_mixed(word) or (named.startswith("pass") and is_tangled(word))):
        return False
    if group == "bare":
        in_a_table = near["link"].endswith(("  ", "\t"))
        return named.startswith("pass") and has_both_cases(word) and (in_a_table or not is_of_words(word))
    compound = bool(rest) or before[-1:].isalnum() or before.endswith(("_", "-"))
    return named.startswith("pass") or (compound and not is_of_words(word))
