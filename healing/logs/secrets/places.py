"""Secrets that the place gives away: key blocks, URLs, headers, options, XML elements, Kubernetes secrets."""

import re

from healing.logs.secrets.mask import MASK, is_placeholder

_KEY_BLOCK = re.compile(
    r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:(?:[^-]|-(?!----)){0,20000}-?-----END [A-Z0-9 ]{1,60}-----"
    # Cut off: the lines that still look like a key's.
    r"|(?:(?:\s|\\[nr]){1,8}[\w-]{1,20}: [^\n]{0,200}){0,4}(?:(?:\s|\\[nr]){1,8}[A-Za-z0-9+/=]{16,20000}){1,400})"
)
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
    r"(?P<word>[\w+/=.~:-]{12,8000})",
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
_LOGIN_OPTION = re.compile(
    r"(?P<head>\bcurl\b[^\n]{0,300}? (?:-u|--user)[= ]?['\"]?[\w.@-]{1,80}:)(?P<word>[^\s'\"]{4,200})"
)
_ELEMENT = re.compile(
    r"(?P<head><[\w.-]{0,30}?(?:password|passphrase|secret|token|api[_-]?key)>)(?P<word>[^\s<>${}]{6,1000})(?=<)",
    re.IGNORECASE,
)
_KIND = re.compile(r"kind['\"]?: {0,4}['\"]?Secret\b")
_DATA = re.compile(r"^(?P<indent> {0,40})(?:stringData|data):[ \t]*(?:#[^\n]{0,200})?\n", re.MULTILINE)
_ENTRY = re.compile(r"(?P<indent> {1,40})[\w.-]{1,100}: {1,4}(?P<quote>['\"]?)(?P<word>[^\s'\"{$|>][^\s'\"]{3,100000})")


def mask_blocks(text: str) -> str:
    """`text` without what takes several lines: private keys, and the data of Kubernetes secrets."""
    if "-----BEGIN" in text:
        text = _KEY_BLOCK.sub(MASK, text)
    return _mask_manifest(text) if "Secret" in text and _KIND.search(text) else text


def mask_places(text: str) -> str:
    """`text` without what stands in a line where only secrets stand."""
    if "://" in text:
        text = _mask_urls(text)
    lowered = text.lower()
    if "authorization" in lowered or "bearer" in lowered or "aws4-hmac" in lowered:
        text = _HEADER.sub(_value, text)
    if "cookie" in lowered:
        text = _COOKIE.sub(_value, text)
    if " -" in text or text.startswith("-"):
        text = _mask_options(text, lowered)
    return _ELEMENT.sub(_value, text) if "</" in text else text


def _mask_options(text: str, lowered: str) -> str:
    if any(word in lowered for word in _OPTION_WORDS):
        text = _OPTION.sub(_value, text)
    return _LOGIN_OPTION.sub(_value, text) if "curl" in lowered else text


def _mask_urls(text: str) -> str:
    text = _LOGIN.sub(lambda m: m[0] if is_placeholder(m["word"]) else f"://{MASK}:{MASK}@", text)
    text = _URL_TOKEN.sub(lambda m: f"{m['head']}{MASK}@", text)
    text = _HOOK.sub(lambda m: m["head"] + MASK, text)
    return _QUERY.sub(lambda m: m["head"] + MASK, text)


def _mask_manifest(text: str) -> str:
    """A Kubernetes secret as `kubectl get -o yaml` prints it: every value under `data` and `stringData`."""
    parts: list[str] = []
    at = 0
    for data in _DATA.finditer(text):
        if data.start() < at:
            continue
        parts.append(text[at : data.end()])
        at = data.end()
        for line in text[at:].splitlines(keepends=True):
            entry = _ENTRY.match(line)
            if line.strip() and (not entry or len(entry["indent"]) <= len(data["indent"])):
                break
            parts.append(line if not entry else _without(line, entry))
            at += len(line)
    return "".join((*parts, text[at:]))


def _without(line: str, entry: re.Match[str]) -> str:
    return line if is_placeholder(entry["word"]) else line[: entry.start("word")] + MASK + line[entry.end("word") :]


def _value(match: re.Match[str]) -> str:
    return match[0] if is_placeholder(match["word"]) else match["head"] + MASK
