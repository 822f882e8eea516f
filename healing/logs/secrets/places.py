"""Secrets that the place gives away: key blocks, URLs, headers, options, XML elements."""

import re

from healing.logs.secrets.commands import mask_commands
from healing.logs.secrets.manifests import mask_manifests
from healing.logs.secrets.mask import MASK, is_placeholder

_KEY_BLOCK = re.compile(
    r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:(?:[^-]|-(?!----)){0,20000}-?-----END [A-Z0-9 ]{1,60}-----"
    # Cut off: the lines that still look like a key's.
    r"|(?:(?:\s|\\[nr]){1,8}[\w-]{1,20}: [^\n]{0,200}){0,4}(?:(?:\s|\\[nr]){1,8}[A-Za-z0-9+/=]{16,20000}){1,400})"
)
_KEY = re.compile(r"[A-Za-z0-9+/]{14}")  # the words of a placeholder are shorter
_LOGIN = re.compile(r"://[^\s:/@'\"<>]{0,200}:(?P<word>[^\s/'\"<>]{1,500})@")
_URL_TOKEN = re.compile(r"(?P<head>://)[\w-]{20,300}@")
_HOOK = re.compile(
    r"(?P<head>://(?:hooks\.slack\.com/(?:services|workflows|triggers)/"
    r"|discord(?:app)?\.com/api/webhooks/\d{10,25}/"
    r"|[\w-]{1,80}\.webhook\.office\.com/webhookb2/"
    r"|api\.telegram\.org/bot|hooks\.zapier\.com/hooks/catch/"
    r"|[\w-]{1,80}\.tines\.com/webhook/))[\w/@.:-]{10,300}"
)
_QUERY = re.compile(
    r"(?P<head>[?&](?:sig|code|[Xx]-(?:[Aa]mz|[Gg]oog)-(?:[Ss]ignature|[Ss]ecurity-[Tt]oken))=)[\w%+/=.-]{32,4000}"
)
_HEADER = re.compile(
    r"(?P<head>\b(?:authorization['\"]?[ \t]{0,3}[:=][ \t]{0,3}['\"]?"
    r"(?:(?:basic|bearer|token|digest|apikey|bot) {1,3})?|(?:bearer|AWS4-HMAC-SHA256) {1,3}))"
    r"(?P<word>[\w+/=.~:!%-]{8,8000})",
    re.IGNORECASE,
)
_COOKIE = re.compile(
    r"(?P<head>\b(?:set-)?cookie['\"]?: {1,3}['\"]?[\w.-]{1,60}=)(?P<word>[^\s'\"]{8,2000})", re.IGNORECASE
)
_OPTION = re.compile(
    r"(?P<head>(?<![\w-])--?(?:[a-z]{1,20}-)?(?:password|passwd|passphrase|token|secret|api-?key|access-?key)"
    r"[= ] {0,3}['\"]?)(?P<word>[^\s'\"$<>-][^\s'\"<>]{5,1000})",
    re.IGNORECASE,
)
_OPTION_WORDS = ("pass", "token", "secret", "key")
# A line of a password file with the hash of the old crypt, or one that says how it was made.
_HASHED = re.compile(
    r"(?P<head>^[\w.-]{1,40}:)(?P<word>\{S?SHA(?:256|384|512)?\}[\w+/]{20,120}={0,2}|(?=.{0,12}[A-Z])(?=.{0,12}[a-z])(?=.{0,12}[\d./])[A-Za-z0-9./]{13})$",
    re.MULTILINE,
)
_SPEAKS_OF_ONE = r"(?:password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key)"
_NAMED = rf"[\w.:-]{{1,40}}\s[^<>\n]{{0,200}}?(?:name|key|id)=[\"'][\w.:-]{{0,60}}{_SPEAKS_OF_ONE}[\"']"
_ELEMENT = re.compile(
    rf"(?P<head><(?:[\w.:-]{{0,30}}?{_SPEAKS_OF_ONE}|{_NAMED})(?:\s[^<>\n]{{0,200}})?>\s{{0,40}})"
    # Maven's own encryption is in braces; what else is there is a variable.
    r"(?P<word>[^\s<>${}]{6,1000}|\{[A-Za-z0-9+/]{16,200}={0,2}\})(?=\s{0,40}<)",
    re.IGNORECASE,
)
_VALUE = re.compile(
    rf"(?P<head><{_NAMED}>\s{{0,40}}<value>\s{{0,40}})(?P<word>[^\s<>${{}}]{{6,1000}})(?=\s{{0,40}}<)", re.IGNORECASE
)
_CDATA = re.compile(
    rf"(?P<head><[\w.:-]{{0,30}}?{_SPEAKS_OF_ONE}>\s{{0,40}}<!\[CDATA\[)(?P<word>(?=[^\]]{{0,60}}\d)[^\s<>${{}}\]]{{6,1000}})",
    re.IGNORECASE,
)
_ATTRIBUTE = re.compile(
    rf"(?P<head><{_NAMED}[^<>\n]{{0,100}}?\svalue=(?P<quote>[\"']))(?P<word>[^<>\n$]{{4,1000}}?)(?=(?P=quote))",
    re.IGNORECASE,
)


def mask_blocks(text: str) -> str:
    """`text` without what takes several lines: private keys, and the data of Kubernetes secrets."""
    if "-----BEGIN" in text:
        text = _KEY_BLOCK.sub(lambda key: MASK if _KEY.search(key[0]) else key[0], text)
    return mask_manifests(text) if "kind" in text and "Secret" in text else text


def mask_places(text: str) -> str:
    """`text` without what stands in a line where only secrets stand."""
    if "://" in text:
        text = _mask_urls(text)
    lowered = text.lower()
    if "authorization" in lowered or "bearer" in lowered or "aws4-hmac" in lowered:
        text = _HEADER.sub(_value, text)
    if "cookie" in lowered:
        text = _COOKIE.sub(_value, text)
    if (" -" in text or text.startswith("-")) and any(word in lowered for word in _OPTION_WORDS):
        text = _OPTION.sub(_value, text)
    text = _HASHED.sub(_value, mask_commands(text))
    return _mask_markup(text) if "</" in text or "/>" in text else text


def _mask_markup(text: str) -> str:
    for pattern in (_ELEMENT, _VALUE, _CDATA, _ATTRIBUTE):
        text = pattern.sub(_value, text)
    return text


def _mask_urls(text: str) -> str:
    text = _LOGIN.sub(lambda m: m[0] if is_placeholder(m["word"]) else f"://{MASK}:{MASK}@", text)
    text = _URL_TOKEN.sub(lambda m: f"{m['head']}{MASK}@", text)
    text = _HOOK.sub(lambda m: m["head"] + MASK, text)
    return _QUERY.sub(lambda m: m["head"] + MASK, text)


def _value(match: re.Match[str]) -> str:
    return match[0] if is_placeholder(match["word"]) else match["head"] + MASK
