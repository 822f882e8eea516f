"""Secrets that the place gives away: key blocks, URLs, headers, XML elements."""

import re

from healing.logs.secrets.accounts import mask_accounts
from healing.logs.secrets.commands import mask_commands
from healing.logs.secrets.manifests import mask_manifests
from healing.logs.secrets.mask import MASK, is_common, is_placeholder
from healing.logs.secrets.values import is_generated

_KEY_BLOCK = re.compile(
    r"-----BEGIN (?:(?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1)-----"
    r"(?:(?:[^-]|-(?!----)){0,20000}-?-----END [A-Za-z0-9 ]{1,60}-----"
    # Cut off: the lines that still look like a key's.
    r"|(?:(?:\s|\\[nr]){1,8}[\w-]{1,20}: [^\n]{0,200}){0,4}(?:(?:\s|\\[nr]){1,8}[A-Za-z0-9+/=]{16,20000}){1,400})"
)
_PUTTY = re.compile(r"(?P<head>Private-Lines: \d{1,3}\r?\n)(?:[\w+/=]{2,100}\r?(?:\n|$)){1,200}")
# What says of a key beside it that it is nobody's.
_NOBODYS = re.compile(
    r"\b(?:example|documentation|demonstration|demo) purposes\b|\bfor (?:documentation|demonstration|example)s? only\b"
    r"|\bnot a real (?:private )?key\b|-----BEGIN [A-Z ]{0,20}(?:EXAMPLE|DUMMY|FAKE)",
    re.IGNORECASE,
)
_FILLER = re.compile(r"[xX]{6,}|\.{3,}")
_KEY = re.compile(r"[A-Za-z0-9+/]{14}")  # the words of a placeholder are shorter
_LOGIN = re.compile(r"://[^\s:/@'\"<>]{0,200}:(?P<word>[^\s/'\"<>]{1,500})@(?P<host>[\w.-]{0,100})")
_NEAR = re.compile(r"(?:localhost|127\.0\.0\.1|[\w-]{0,60})$")  # this machine, or a container's name
_URL_TOKEN = re.compile(r"(?P<head>://)[\w-]{20,300}:?@")
_HOOK = re.compile(
    r"(?P<head>://(?:hooks\.slack\.com/(?:services|workflows|triggers)/"
    r"|discord(?:app)?\.com/api/webhooks/\d{10,25}/"
    r"|[\w-]{1,80}\.webhook\.office\.com/webhookb2/"
    r"|api\.telegram\.org/bot|hooks\.zapier\.com/hooks/catch/"
    r"|[\w-]{1,80}\.tines\.com/webhook/|qyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key=))(?P<word>[\w/@.:-]{10,300})"
)
# Any other address of a hook that ends in an id which nobody guesses.
_SOME_HOOK = re.compile(
    r"(?P<head>://[^\s'\"<>/]{1,200}/(?:[\w.-]{1,40}/){0,6}?(?:incoming)?(?:web)?hooks?/(?:[\w.-]{1,20}/){0,2})"
    r"(?P<word>[0-9a-f]{8}-[0-9a-f]{4}-[\w@/-]{10,300}|(?=[\w-]{0,40}\d)(?=[\w-]{0,40}[A-Za-z])[\w-]{24,200})",
    re.IGNORECASE,
)
# A value in braces, in which ODBC takes every sign.
_BRACES = re.compile(r"(?P<head>\b(?:pwd|password)=\{)(?P<word>[^{}\n]{4,200})(?=\})", re.IGNORECASE)
# As Go's drivers take a login: the password may hold any sign.
_DSN = re.compile(r"(?P<head>\b[\w.-]{1,60}:)(?P<word>[^\s/'\"<>,;()]{4,200})(?=@(?:tcp|unix)\()")
# As Terraform keeps an output, in either order.
_SENSITIVE = tuple(
    re.compile(rf"(?P<head>{before}\"value\": ?\")(?P<word>[^\"\n]{{4,2000}})(?=\"{after})")
    for typed in [r",\s{1,40}(?:\"type\": ?\"string\",\s{1,40})?"]
    for before, after in ((rf"\"sensitive\": ?true{typed}", ""), ("", rf"{typed}\"sensitive\": ?true"))
)
# `user:password@host` and `user/password@host` without a scheme, as scp, Oracle and proxies take it.
_BARE_LOGIN = re.compile(r"(?P<head>[:/](?<=\w.))(?P<word>[^\s:/@'\"<>,;()]{8,200}+)(?=@[\w\[/])")
_CHANNEL = re.compile(
    r"(?P<head>://[\w.-]{1,200}/t/)(?P<word>(?:[a-z]{2}-)?(?=[A-Za-z]{0,20}\d)[A-Za-z0-9]{20,60}|[a-z]{2}-[0-9a-f-]{36})(?=/)"
)  # conda's
_QUERY = re.compile(
    r"(?P<head>[?&](?:sig|code|[Xx]-(?:[Aa]mz|[Gg]oog)-(?:[Ss]ignature|[Ss]ecurity-[Tt]oken))=)[\w%+/=.-]{32,4000}"
)
_PARAMETERS = r"[\w-]{1,30}=(?:\\?\"[^\"\n]{0,500}\"|[^\s,'\"\\]{1,500})"
_HEADER = re.compile(
    r"(?P<head>(?:\b|(?<=\\[nrt]))(?:authorization['\"]?[ \t]{0,3}[:=][ \t\\]{0,3}\[?['\"]?"
    r"(?:(?:basic|bearer|token|digest|apikey|bot)[ \\]{1,3}"
    r"|[a-z-]{3,20} {1,3}(?=[\w-]{0,40}\d)(?=[\w-]{20})|[\w-]{3,20} {1,3}(?=[\w-]{1,30}=))?"
    r"|(?:bearer|AWS4-HMAC-SHA256)[ \\]{1,3}))"
    # All parameters of the scheme: the proof is among them.
    rf"(?P<word>(?:{_PARAMETERS})(?:, ?(?:{_PARAMETERS})){{1,16}}|[\w+/=.~:!%-]{{8,8000}})",
    re.IGNORECASE,
)
_COOKIE = re.compile(
    r"(?P<head>(?:\b(?:set-)?cookie['\"]?: {1,3}['\"]?|(?<=\*\*\*; )|(?<=\*\*\* ))[\w.-]{1,60}=)"
    r"(?P<word>[^\s'\";]{8,2000})",
    re.IGNORECASE,
)
_SESSION = re.compile(
    r"(?P<head>\b(?:[\w.-]{0,40}(?:sess(?:ion)?(?:_?id)?|_sid|logged_in\w{0,40}|SAMLResponse|SAMLRequest|assertion)|sid)=)"
    r"(?P<word>(?=[^\s;&]{0,60}\d)[\w%+/.=-]{20,8000})",
    re.IGNORECASE,
)
# A header of a vendor's own, and the constants of a configuration in PHP, whose values have signs of any kind.
_OWN_HEADER = re.compile(
    r"(?P<head>(?:\b|(?<=\\[nrt]))X-[\w-]{0,30}(?:Api|Key|Token|Auth|Secret|Signature)[\w-]{0,20}: ?\[?)"
    r"(?P<word>(?=\S{0,60}\d)[\w+/=.~-]{20,500})",
    re.IGNORECASE,
)
_DEFINED = re.compile(
    r"(?P<head>\bdefine\( ?(?P<quote>['\"])\w{0,30}(?:_KEY|_SALT|PASSWORD|SECRET)(?P=quote), {1,20}(?P=quote))"
    r"(?P<word>[^'\"\n]{6,200})(?=(?P=quote))"
)
# A key of a licence, in groups, near to a word that says so; and the private part of a JSON Web Key.
_SERIAL = re.compile(
    r"(?P<head>(?:serial|licen[cs]e|activat|product.key)[^\n]{0,40}?[\s:=\"'])"
    r"(?P<word>(?=[A-Z0-9-]{0,40}\d)[A-Z0-9]{2,6}(?:-[A-Z0-9]{4,6}){3,7})(?![\w-])",
    re.IGNORECASE,
)
_WEB_KEY = re.compile(r"(?P<head>\"(?:d|p|q|dp|dq|qi|k)\": ?\")(?P<word>[\w-]{20,1000})(?=\")")
_RSA = re.compile(r"(?P<head><(?:D|P|Q|DP|DQ|InverseQ)>)(?P<word>[\w+/=]{16,2000})(?=</)")
# The words of a wallet.
_SEED = re.compile(
    r"(?P<head>(?:seed|mnemonic|recovery)(?: phrase)?[\"']?\s{0,3}[:=]\s{0,3}[\"']?)"
    r"(?P<word>(?:[a-z]{3,8} ){11,23}[a-z]{3,8})\b",
    re.IGNORECASE,
)
_SPEAKS_OF_ONE = (
    r"(?:password|passwd|passphrase|pwd|pass(?<![a-z].{4})|secret|token"
    r"|(?:api|access|secret|private|licen[cs]e|encryption)[_-]?key)"
)
_NAMED = rf"[\w.:-]{{1,40}}\s[^<>\n]{{0,200}}?(?:name|key|id)=[\"'][\w.:-]{{0,60}}{_SPEAKS_OF_ONE}[\"']"
_ELEMENT = re.compile(
    rf"(?P<head><(?:[\w.:-]{{0,30}}?{_SPEAKS_OF_ONE}|{_NAMED})(?:\s[^<>\n]{{0,200}})?>\s{{0,40}})"
    # Maven's own encryption is in braces; what else is there is a variable.
    r"(?P<word>[^\s<>${}]{6,1000}|\{[A-Za-z0-9+/]{16,200}={0,2}\})(?=\s{0,40}<)",
    re.IGNORECASE,
)
_VALUE = re.compile(
    rf"(?P<head><{_NAMED}[^<>\n]{{0,100}}>\s{{0,40}}<value>\s{{0,40}})(?P<word>[^\s<>${{}}]{{6,1000}})(?=\s{{0,40}}<)",
    re.IGNORECASE,
)
_PARAMETER = re.compile(
    rf"(?P<head><(?:[\w.:-]{{0,30}}?name|key)>[\w.:-]{{0,60}}{_SPEAKS_OF_ONE}</[^<>\n]{{1,40}}>\s{{0,40}}"
    r"<[\w.:-]{0,30}?value>\s{0,40})"
    r"(?P<word>[^\s<>${}]{6,1000})(?=\s{0,40}<)",
    re.IGNORECASE,
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
        text = _KEY_BLOCK.sub(_key, text)
    if "Private-Lines:" in text:
        text = _PUTTY.sub(rf"\g<head>{MASK}\n", text)
    if '"sensitive"' in text:
        for pattern in _SENSITIVE:
            text = pattern.sub(_value, text)
    return mask_manifests(text) if "kind" in text and "Secret" in text else text


def _key(block: re.Match[str]) -> str:
    """A mask for a key, but for those of manuals: they say so, or hold no key at all."""
    around = block.string[max(0, block.start() - 120) : block.start() + 40]
    return block[0] if _NOBODYS.search(around) or not _KEY.search(_FILLER.sub("", block[0])) else MASK


def mask_places(text: str) -> str:
    """`text` without what stands in a line where only secrets stand."""
    if "://" in text:
        text = _mask_urls(text)
    if "@" in text:
        text = _BARE_LOGIN.sub(_generated, _DSN.sub(_value, text) if "(" in text else text)
    lowered = text.lower()
    if "={" in text:
        text = _BRACES.sub(_value, text)
    if "authorization" in lowered or "bearer" in lowered or "aws4-hmac" in lowered:
        text = _HEADER.sub(_value, text)
    if "cookie" in lowered:
        text = _COOKIE.sub(_value, _COOKIE.sub(_value, text))
    if "=" in text and any(word in lowered for word in ("sess", "sid=", "logged_in", "saml", "assertion=")):
        text = _SESSION.sub(_value, text)
    if "x-" in lowered:
        text = _OWN_HEADER.sub(_value, text)
    if "serial" in lowered or "licen" in lowered or "activat" in lowered or "product" in lowered:
        text = _SERIAL.sub(_value, text)
    if "seed" in lowered or "mnemonic" in lowered or "recovery" in lowered:
        text = _SEED.sub(_value, text)
    if "<RSAKeyValue>" in text:
        text = _RSA.sub(_value, text)
    if '"kty"' in text:
        text = _WEB_KEY.sub(_value, text)
    if "define(" in text:
        text = _DEFINED.sub(_value, text)
    text = mask_accounts(mask_commands(text))
    return _mask_markup(text) if "</" in text or "/>" in text else text


def _mask_markup(text: str) -> str:
    for pattern in (_ELEMENT, _VALUE, _PARAMETER, _CDATA, _ATTRIBUTE):
        text = pattern.sub(_value, text)
    return text


def _mask_urls(text: str) -> str:
    text = _LOGIN.sub(_login, text)
    text = _URL_TOKEN.sub(lambda m: f"{m['head']}{MASK}@", text)
    text = _HOOK.sub(_value, _CHANNEL.sub(_value, text))
    if "hook" in text:
        text = _SOME_HOOK.sub(_value, text)
    return _QUERY.sub(lambda m: m["head"] + MASK, text)


def _login(match: re.Match[str]) -> str:
    """`://user:password@` without both, but for variables, and for the words of a test against a server beside it."""
    word, host = match["word"], match["host"]
    if is_placeholder(word) and (not is_common(word) or _NEAR.match(host)):
        return match[0]
    return f"://{MASK}:{MASK}@{host}"


def _generated(match: re.Match[str]) -> str:
    return match["head"] + MASK if is_generated(match["word"]) else match[0]


def _value(match: re.Match[str]) -> str:
    return match[0] if is_placeholder(match["word"]) else match["head"] + MASK
