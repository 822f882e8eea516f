"""Secrets that the place gives away: key blocks, URLs, headers, XML elements."""

import re
from collections.abc import Callable

from healing.logs.secrets.accounts import mask_accounts
from healing.logs.secrets.commands import mask_commands
from healing.logs.secrets.manifests import mask_manifests
from healing.logs.secrets.mask import MASK, is_common, is_of_words, is_placeholder
from healing.logs.secrets.row_words import RowWords
from healing.logs.secrets.values import is_generated, is_mixed

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
_LOGIN = re.compile(r"//[^\s:/@'\"<>]{0,200}:(?P<word>[^\s/'\"<>]{1,500})@(?P<host>[\w.-]{0,100})")
# To a database: its password may hold the signs that part an address.
_DATABASE = re.compile(
    r"//(?<=[a-z]://)[^\s:/@'\"<>]{0,200}:(?P<word>[^\s'\"<>,;]{1,500})@(?P<host>[\w-]{1,100}(?:\.[\w-]{1,60}){1,6})(?![\w@.-])"
)
_SCHEME = re.compile(r"(?:https?|postgres(?:ql)?|mysql|mongodb|rediss?|amqps?|ftp|ssh)\Z")  # whose colon is missing
_OF_A_DATABASE = re.compile(
    r"\b(?:mongodb(?:\+srv)?|postgres(?:ql)?|mysql|mariadb|rediss?|amqps?|mssql|sqlserver|clickhouse|ldaps?|ftps?|smtps?)(?:\+\w{1,20})?:\Z"
)
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
    r"(?P<head>(?://[\w.-]{1,200}/|: )t/)(?P<word>(?:[a-z]{2}-)?(?=[A-Za-z]{0,20}\d)[A-Za-z0-9]{20,60}"
    r"|[a-z]{2}-[0-9a-f-]{36})(?=/)"
)  # conda's
_QUERY = re.compile(
    r"(?P<head>[?&](?:[Ss]ig(?:nature)?|code|[Xx]-(?:[Aa]mz|[Gg]oog)-(?:[Ss]ignature|[Ss]ecurity-[Tt]oken))=)[\w%+/=.-]{32,4000}"
)
_PARAMETERS = r"[\w-]{1,30}=(?:\\?\"[^\"\n]{0,500}\"|[^\s,'\"\\]{1,500})"
_HEADER = re.compile(
    r"(?P<head>(?:\b|(?<=\\[nrt]))(?:authorization['\"]?[ \t]{0,3}[:=][ \t\\]{0,3}\[?['\"]?"
    r"(?:(?:basic|bearer|token|digest|apikey|bot)[ \\]{1,3}"
    r"|[a-z-]{3,20} {1,3}(?=[\w-]{0,40}\d)(?=[\w-]{20})|[\w-]{3,20} {1,3}(?=[\w-]{1,30}=))?"
    r"|(?:(?<!authenticate: )bearer|AWS4-HMAC-SHA256)[ \\]{1,3}))"
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
    r"(?P<head>(?:seed|mnemonic|recovery)(?: phrase| words)?[\"']?\s{0,20}[:=]\s{0,20}[\"']?)"
    r"(?P<word>(?:[a-z]{3,8} ){11,23}[a-z]{3,8})\b",
    re.IGNORECASE,
)
_SPEAKS_OF_ONE = (
    r"(?:password|passwd|passphrase|pwd|pass(?<![a-z].{4})|secret|token"
    r"|(?:api|access|secret|private|licen[cs]e|encryption)[._-]?key)"
)
_NAMED = rf"[\w.:-]{{1,40}}\s[^<>\n]{{0,200}}?(?:name|key|id)=[\"'][\w.:-]{{0,60}}{_SPEAKS_OF_ONE}[\"']"
_ELEMENT = re.compile(
    rf"(?P<head><(?:[\w.:-]{{0,30}}?{_SPEAKS_OF_ONE}|{_NAMED})(?:\s[^<>\n]{{0,200}})?>\s{{0,40}}(?:<[\w:]{{0,10}}value>\s{{0,40}})?)"
    # Maven's own encryption is in braces; what else is there is a variable.
    r"(?P<word>[^\s<>${}]{6,1000}|\{[A-Za-z0-9+/]{16,200}={0,2}\})(?=\s{0,40}<)",
    re.IGNORECASE,
)
# A sentence that opens a key.
_PHRASE = re.compile(r"(?P<head><[\w.:-]{0,30}passphrase>)(?P<word>[^\s<>${}][^<>${}\n]{5,129}+)(?=</)", re.IGNORECASE)
_VALUE = re.compile(
    rf"(?P<head><{_NAMED}[^<>\n]{{0,100}}>\s{{0,40}}<value>\s{{0,40}})(?P<word>[^\s<>${{}}]{{6,1000}})(?=\s{{0,40}}<)",
    re.IGNORECASE,
)
_PARAMETER = re.compile(
    rf"(?P<head><(?P<tag>[\w.:-]{{0,30}}?name|key|string|th|dt)>[\w.:-]{{0,60}}{_SPEAKS_OF_ONE}</[^<>\n]{{1,40}}>\s{{0,40}}"
    r"<(?:[\w.:-]{0,30}?value|(?P=tag)|string|td|dd)>\s{0,40})"
    r"(?P<word>[^\s<>${}]{6,1000})(?=\s{0,40}<)",
    re.IGNORECASE,
)
# The value before the name that it has.
_REVERSED = re.compile(
    r"(?P<head>(?:<(?P<tag>[\w.:-]{1,40}) name=\"[\w.]{0,40}value\">|<(?P<value>value)>))"
    r"(?P<word>[^\s<>${}]{6,1000})(?=</[^<>\n]{1,40}>\s{0,40}(?:<[^<>\n]{1,100}>[^<>\n]{0,10}</[^<>\n]{1,40}>\s{0,40}){0,2}"
    rf"(?:<(?P=tag) name=\"[\w.]{{0,40}}name\">|<(?:name|key)>)[\w.-]{{0,60}}{_SPEAKS_OF_ONE}<)",
    re.IGNORECASE,
)
_REVERSED_PAIR = re.compile(
    r"(?P<head>\"value\": ?\")(?P<word>[^\"\\\n]{4,1000})(?=\",\s{0,40}\"(?:name|key|id)\": ?\"[\w.-]{0,60}"
    rf"{_SPEAKS_OF_ONE}\")",
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
    if "//" in text:
        text = _mask_urls(text)
    if "@" in text:
        text = _BARE_LOGIN.sub(_generated, _DSN.sub(_value, text) if "(" in text else text)
    lowered = text.lower()
    for index in _ROW_WORDS.rows_for(lowered):
        _, pattern, masked = _ROWS[index]
        text = pattern.sub(masked, text)
    text = mask_accounts(mask_commands(text))
    return _mask_markup(text) if "</" in text or "/>" in text else text


def _seed(match: re.Match[str]) -> str:
    words = match["word"].split()
    return match[0] if len(set(words)) < len(words) / 2 else match["head"] + MASK  # of a test: `test test … junk`


def _mask_markup(text: str) -> str:
    for pattern in (_ELEMENT, _PHRASE, _VALUE, _REVERSED, _PARAMETER, _CDATA, _ATTRIBUTE):
        text = pattern.sub(_element, text)
    return text


def _element(match: re.Match[str]) -> str:
    """Words beside a token or a secret are its name; beside a password they are the password."""
    if match["word"].replace("_", "").isalpha() and is_of_words(match["word"]) and "pass" not in match["head"].lower():
        return match[0]
    return _value(match)


def _mask_urls(text: str) -> str:
    if "@" in text:
        text = _LOGIN.sub(_login, _DATABASE.sub(_database, text))
        text = _URL_TOKEN.sub(lambda m: f"{m['head']}{MASK}@", text)
    text = _HOOK.sub(_value, _CHANNEL.sub(_value, text))
    if "hook" in text:
        text = _SOME_HOOK.sub(_value, text)
    return _QUERY.sub(lambda m: m["head"] + MASK, text)


def _login(match: re.Match[str]) -> str:
    """`//user:password@` without both, but for variables, and for the words of a test against a server beside it."""
    word, host = match["word"], match["host"]
    if is_placeholder(word) and (not is_common(word) or _NEAR.match(host)):
        return match[0]
    before = match.string[max(0, match.start() - 12) : match.start()]
    if not before.endswith(":") and not (_SCHEME.search(before) and is_mixed(word)):  # a comment
        return match[0]
    return f"//{MASK}:{MASK}@{host}"


def _database(match: re.Match[str]) -> str:
    plain = "@" not in match["word"] and "/" not in match["word"]
    if plain or not _OF_A_DATABASE.search(match.string[max(0, match.start() - 40) : match.start()]):
        return match[0]
    return f"//{MASK}:{MASK}@{match['host']}"


def _generated(match: re.Match[str]) -> str:
    return match["head"] + MASK if is_generated(match["word"]) else match[0]


def _value(match: re.Match[str]) -> str:
    return match[0] if is_placeholder(match["word"]) else match["head"] + MASK


# The words, in small letters, of which one stands in a text that the pattern matches, and what becomes of the match.
_ROWS: tuple[tuple[tuple[str, ...], re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (("={",), _BRACES, _value),
    (("authorization", "bearer", "aws4-hmac"), _HEADER, _value),
    (("cookie",), _COOKIE, _value),
    (("cookie",), _COOKIE, _value),  # that of the same header after it
    (("sess", "sid=", "logged_in", "saml", "assertion="), _SESSION, _value),
    (("x-",), _OWN_HEADER, _value),
    (("serial", "licen", "activat", "product"), _SERIAL, _value),
    (("seed", "mnemonic", "recovery"), _SEED, _seed),
    (("<rsakeyvalue>",), _RSA, _value),
    (('"kty"',), _WEB_KEY, _value),
    (("define(",), _DEFINED, _value),
    (('"value": "', '"value":"'), _REVERSED_PAIR, _value),
)
_ROW_WORDS = RowWords(words for words, _, _ in _ROWS)
