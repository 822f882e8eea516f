"""Secrets that their name gives away: `password=…`, `"client_secret": "…"`, `secretKey "…"`, `pwd = env ?: "…"`."""

import re
from itertools import pairwise

from healing.logs.secrets.mask import MASK, is_digest, is_of_words, is_placeholder

# Looked for in the lower-cased text: plain words are found far faster than words of any case. Each begins with a letter
# and looks back afterwards, so that the search jumps from one such letter to the next.
_NAME = re.compile(
    r"pass(?:word|wd|phrase|code)|pwd|ps[wk](?<!\w...)\b|secret|token|credential|connection[_-]?string"
    r"|(?:api|access|private|auth|account|signing|encryption|shared|master|encrypt|deploy|license|fernet|hmac|jwt|admin"
    r"|app|decryption|validation|unseal|recovery)[_ -]?key|client-key-data|clear-text(?==)"
    r"|pass(?:(?<=[\w\"'.-]....)(?<![a-z]....)"
    r"|(?<=(?:store|proxy|admin)....)|(?<=(?:user|smtp|mail|root)....)|(?<=(?:key|ssh)....)|(?<=db....))"
    r"(?=\\?[\"']?\]?\s{0,4}[:=])"
    r"|_auth(?![a-z])|\"auth(?=\\?\")"
)
_WORDS = ("pass", "pwd", "psw", "secret", "token", "key", "credential", "auth", "string", "psk", "clear")
_REST = r"(?P<name>[\w-]{0,30}+(?:\[[\w'\"-]{1,30}\])?)"  # possessive: nothing is tried twice
_TYPED = r":[ \t]{0,3}[A-Za-z&][\w.\[\]|&' ]{0,40}=(?=[ \t]{0,3}['\"])"  # `TOKEN: Final = "…"`
_SIGN = rf"\\?['\"]?\]?(?P<sign>[ \t]{{0,20}}(?:::=|:=|=>|\|\|=|::(?= )|{_TYPED}|[:=])[ \t]{{0,20}})"
_WORD = (
    r"(?:(?:[bBrRuU]{1,2}|(?:\[\]byte|Buffer\.from|b64decode|Secret(?:Str)?|Some|Just|Optional|String::from)\(\s{0,20})(?=['\"]))?"
    r"(?P<quote>\\?['\"`]?)(?P<word>[^\s'\"`,;<>\\(){}\[\]]{6,1000})(?P<after>[(\[{ '\"]?)"
)
_VALUE = re.compile(_REST + _SIGN + _WORD)
_PAIR = re.compile(_REST + r"(?P<sign> {1,4})(?P<quote>['\"])(?P<word>[^\s'\"`<>\\{}]{8,200})(?P<after>['\"])")
# A value to fall back on: `?:` in Kotlin, `??`, `||`, `or`, or the second argument of a look-up.
_FALLBACK = re.compile(
    _REST + r"['\"]?\]?(?P<sign>[^\n\"']{0,60}(?:\?:|\?\?|\|\||\bor|['\"],) {0,4})"
    r"(?P<quote>['\"])(?P<word>[^\s'\"`<>\\{}]{8,200})(?P<after>['\"])"
)
# The value that is listed after its name, and the default of a variable.
_LISTED = re.compile(
    _REST
    + r"\\?['\"]?(?:,?\s{1,40}\\?['\"]?[Vv]alue\\?['\"]?|\s{0,4}\{[^{}]{0,300}?\bdefault)\s{0,4}(?P<sign>[:=]\s{0,4})"
    + _WORD
)
_CALL = re.compile(_REST + r"(?P<sign>\()(?P<quote>['\"])(?P<word>[^\s'\"`<>\\{}]{6,200})(?P<after>['\"])")
_SETS = ("set", "with")
# What set-up programs print of a secret that they made: `A temporary password is generated for root: …`.
_SENTENCE = re.compile(
    r"(?P<name>)[\])'\"]?[^\n:=\\]{0,60}?(?:successfully reset\.\n[^\n:=]{0,20})?"
    r"(?P<sign>(?::|=| is:?|(?<=set) to| \.{3,20})\s{1,12})(?P<quote>['\"]?)(?P<word>[^\s'\"`,;<>(){}\[\]\\]{10,200})"
    r"(?P<after>[(\[{ '\"]?)"
)
_BESIDE = re.compile(r"(?P<name>)(?P<sign> {1,3})(?P<quote>)(?P<word>[\w-]{32,200})(?P<after>)(?![\w.:/=-])")
# As PHP, R and Erlang show a field: its visibility or the type of the value stands between them.
_DUMPED = re.compile(
    r"(?P<name>[\w-]{0,30})(?P<sign>\"?(?::[\w\\\":]{0,60}(?:private|protected))?\]\s?=>\s{1,20}(?:string\(\d{1,4}\) )?"
    r"|\n\[1\] |\s{0,20}: chr |\s?,\s?<<)(?P<quote>\"?)(?P<word>[^\"\s]{4,500})(?P<after>\"?)"
)
_MADE_PASSWORD = re.compile(r"[0-9a-f]{32,128}$")
_PATH_LIKE = re.compile(r"[./~]|.{0,200}(?:://|\.[a-z]{2,5}$)|\d{4}-\d\d-\d\d")
_USED = re.compile(r"(?:using|with|your|new|api|access|auth|bearer)[ _-]$")
_DECLARED = re.compile(r"\b(?:let|var|val|final|lateinit) [\w ]{0,20}$")  # what follows a colon there is a type
# A key that everybody may see, and one that only finds something again.
_HARMLESS = re.compile(r"(?:public[ _-]?key|cache)[ _-]{0,2}$")
_CHANGED = re.compile(rf"(?P<head>{re.escape(MASK)}[\"']? -> [\"']?)(?P<word>[^\s\"']{{6,500}})")
_FALLS_BACK = re.compile(r"[?|:'\"r][?|:,] {0,4}['\"]|or ['\"]")
_CODE_LIKE = re.compile(
    r"[A-Za-z_][A-Za-z_]*(?:(?:\.|::|->)[A-Za-z_]\w*)*[!?:]?$|[\d.,:/x%-]+$|[/~.]{0,2}/[\w./@-]*$|https?:|[:=]"
)
_NAME_LIKE = re.compile(r"\??[A-Za-z_]{1,40}$|[A-Za-z][\w.-]{0,40}://|[a-z]+(?:[-_.:/][a-z]+)+$")
_NAMED_ITSELF = re.compile(r"[a-z_]{3,30}=[^=]|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$")  # `prompt=1532`, `NPM_TOKEN_2`
_A_PERSONS = ("pass", "pwd", "secret")  # what people make up themselves: words are no sign that it is none
_AROUND_ONE = re.compile(
    r"(?:name|file|path|dir|type|ref|ttl|version|class|length|policy|header|label|field|(?:^|_|uu|gu)id|iz(?:e|er|ed|ation))s?$"
)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
_NO_SECRET = ("sha", "hash", "digest", "checksum", "fingerprint", "_id", "-id", "expir", "count", "limit", "url")


def mask_names(text: str) -> str:
    """`text` without the values of names that speak of secrets; code that only handles one stays readable."""
    lowered = text.replace("\u0130", "i").lower()  # the one letter that grows when it is lowered
    if not any(word in lowered for word in _WORDS):
        return text
    parts: list[str] = []
    at = 0
    for hit in _NAME.finditer(lowered):
        if hit.start() < at:
            continue
        found = _secret(text, hit)
        if found:
            parts += [text[at : found.start("word")], MASK]
            at = found.end("word")
    if not at:
        return text
    masked = "".join((*parts, text[at:]))
    return _CHANGED.sub(_new_value, masked) if " -> " in masked else masked


def _new_value(match: re.Match[str]) -> str:
    return match[0] if is_placeholder(match["word"]) else match["head"] + MASK


def _secret(text: str, hit: re.Match[str]) -> re.Match[str] | None:
    """The match whose `word` is the secret that belongs to the name at `hit`."""
    dumped = _DUMPED.match(text, hit.end())
    if dumped and not is_placeholder(dumped["word"]):
        return dumped
    value = _VALUE.match(text, hit.end())
    if value and _is_secret(value, text, hit):
        return value
    pair = _PAIR.match(text, hit.end())
    if pair and _compound(text, hit, pair) and _mixed(pair["word"]):
        return pair
    listed = _LISTED.match(text, hit.end())
    if listed and _is_secret(listed, text, hit):
        return listed
    call = _CALL.match(text, hit.end())
    if call and text[max(0, hit.start() - 4) : hit.start()].lower().endswith(_SETS) and _mixed(call["word"]):
        return call
    printed = _printed(text, hit)
    if printed:
        return printed
    if not _FALLS_BACK.search(text, hit.end(), hit.end() + 100):
        return None
    fallback = _FALLBACK.match(text, hit.end())
    return fallback if fallback and _mixed(fallback["word"]) and not is_placeholder(fallback["word"]) else None


def _printed(text: str, hit: re.Match[str]) -> re.Match[str] | None:
    """The secret that a sentence about it ends with, or that stands right after the word."""
    if _HARMLESS.search(text[max(0, hit.start() - 12) : hit.start()].lower()):
        return None
    sentence = _SENTENCE.match(text, hit.end())
    if sentence and sentence["after"] not in ("(", "[", "{") and not _PATH_LIKE.match(sentence["word"]):
        word = sentence["word"]
        made = hit[0].startswith("pass") and _MADE_PASSWORD.match(word)
        if made or (_of_three_kinds(word) and not is_placeholder(word)):
            return sentence
    beside = _BESIDE.match(text, hit.end())
    if beside is None or is_placeholder(beside["word"]):
        return None
    used = hit[0] == "token" and _USED.search(text[max(0, hit.start() - 12) : hit.start()].lower())
    return beside if _of_three_kinds(beside["word"]) or (used and _MADE_PASSWORD.match(beside["word"])) else None


def _of_three_kinds(word: str) -> bool:
    """Small and capital letters and digits, mixed as no name mixes them."""
    changes = sum(a.isdigit() is not b.isdigit() or a.isupper() is not b.isupper() for a, b in pairwise(word))
    kinds = any(c.isdigit() for c in word) and any(c.islower() for c in word) and word.lower() != word
    return kinds and changes >= 4 and not is_of_words(word)


def _is_secret(match: re.Match[str], text: str, hit: re.Match[str]) -> bool:
    """`password=hunter22` is a secret; `password = get_password()`, `token: str` and `token_sha=<hash>` are not."""
    word, after = match["word"], match["after"]
    if after in tuple("([{") or is_placeholder(word) or text.startswith(" | ", match.end("word")):
        return False
    before = text[max(0, hit.start() - 24) : hit.start()]
    if _HARMLESS.search(before.lower()) or (":" in match["sign"] and not match["quote"] and _DECLARED.search(before)):
        return False
    if text[max(0, hit.start() - 1)] == ":" and hit[0] == "secret":  # a part of an address: `arn:aws:…:secret:name`
        return False
    name = text[max(0, hit.start() - 20) : match.start("sign")].lower().rpartition(" ")[2]
    around = match["name"].lower()
    if hit[0] == "secret" and around.strip("_-") == "id" and _UUID.match(word):  # Vault's and Consul's are secrets
        return True
    if any(part in around for part in _NO_SECRET) or "public" in name or _AROUND_ONE.search(around):
        return False
    if is_digest(word, name) or match["name"].endswith("Id"):
        return False
    if match["quote"]:
        return _quoted_secret(match, hit[0])
    return _bare_secret(match)


def _quoted_secret(match: re.Match[str], named: str) -> bool:
    """Words in quotes beside a password are the password; beside a token or key they are mostly its name."""
    if match["after"] == " ":  # a sentence
        return False
    word = match["word"]
    if named.startswith(_A_PERSONS):
        return named != "secret" or not _NAME_LIKE.match(word) or _scrambled(word)
    return not (_NAME_LIKE.match(word) or is_of_words(word)) or _scrambled(word)


def _bare_secret(match: re.Match[str]) -> bool:
    """Bare words are code, except after `NAME=` as shells and environment listings write it."""
    if match["sign"] == "=" and match.string[: match.start("sign")][-1:].isupper():
        return True
    word = match["word"]
    is_code = _CODE_LIKE.match(word) or (":" in match["sign"] and _NAMED_ITSELF.match(word))
    return not is_code or _scrambled(word)


def _scrambled(word: str) -> bool:
    """Whether letters of both cases are mixed as no camelCase mixes them."""
    upper = sum(c.isupper() for c in word)
    return len(word) >= 16 and word.isalpha() and len(word) / 3 < upper < len(word) * 2 / 3


def _compound(text: str, hit: re.Match[str], pair: re.Match[str]) -> bool:
    """Whether the name is more than one bare word: `unexpected token "…"` is an error message."""
    before = text[hit.start() - 1 : hit.start()]
    return bool(pair["name"]) or before.isalnum() or before == "_" or "key" in hit[0] or hit[0].startswith("pass")


def _mixed(word: str) -> bool:
    """Digits and letters both: no word of a language, and no name."""
    return any(c.isdigit() for c in word) and any(c.isalpha() for c in word) and not is_placeholder(word)
