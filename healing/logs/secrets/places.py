"""Masks secrets that are recognized by their place: key blocks, URLs, headers, XML elements."""

import re
from collections.abc import Callable

from healing.logs.secrets.accounts import mask_accounts
from healing.logs.secrets.commands import mask_commands
from healing.logs.secrets.manifests import mask_manifests
from healing.logs.secrets.mask import MASK, consists_of_example_words, consists_of_words, is_placeholder, masked_value
from healing.logs.secrets.row_words import RowWords
from healing.logs.secrets.values import has_letters_and_digits, is_generated, is_machine_made

_KEY_BLOCK = re.compile(
    r"-----BEGIN (?:(?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1)-----"
    r"(?:(?:[^-]|-(?!----)){0,20000}-?-----END [A-Za-z0-9 ]{1,60}-----"
    # Without its end: the lines that look like those of a key.
    r"|(?:(?:\s|\\[nr]){1,8}[\w-]{1,20}: [^\n]{0,200}){0,4}(?:(?:\s|\\[nr]){1,8}[A-Za-z0-9+/=]{16,20000}){1,400})"
)
_PUTTY = re.compile(r"(?P<head>Private-Lines: \d{1,3}\r?\n)(?:[\w+/=]{2,100}\r?(?:\n|$)){1,200}")
# Text next to a key that marks it as an example.
_EXAMPLE_KEY = re.compile(
    r"\b(?:example|documentation|demonstration|demo) purposes\b|\bfor (?:documentation|demonstration|example)s? only\b"
    r"|\bnot a real (?:private )?key\b|-----BEGIN [A-Z ]{0,20}(?:EXAMPLE|DUMMY|FAKE)",
    re.IGNORECASE,
)
_FILLER = re.compile(r"[xX]{6,}|\.{3,}")
_KEY = re.compile(r"[A-Za-z0-9+/]{14}")  # the words of a placeholder are shorter
_LOGIN = re.compile(r"//[^\s:/@'\"<>]{0,200}:(?P<word>[^\s/'\"<>]{1,500})@(?P<host>[\w.-]{0,100})")
# A database URL, whose password may contain `/` and `@`.
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
# What is sent to a service by its address alone: logs, a sign of life, an order to build or to deploy.
_INTO_SERVICE = re.compile(
    r"(?P<head>://(?:[\w.-]{1,80}\.loggly\.com/(?:inputs|bulk)/|hc-ping\.com/|ntfy\.sh/(?=[^\s/?]{0,40}[\dA-Z])"
    r"|[\w.-]{1,80}/(?:[\w.-]{1,40}/){0,6}?(?:heartbeats?|build_hooks|api/push|v1/input|integrations/deploy/prj_\w{1,40})/"
    r"|hooks\.[\w.-]{1,80}/(?:services|hooks)/))"
    r"(?P<word>(?=[\w-]{0,40}[\dA-Z])[\w-]{10,200})"
)
_INTO_WORDS = (
    "loggly", "hc-ping", "ntfy.sh", "heartbeat", "build_hooks", "api/push", "v1/input", "/deploy/prj_", "://hooks.",
)  # fmt: skip
_LONG_HEX = re.compile(r"(?:pub)?[0-9a-f]{20,64}$")
_BUILD_TOKEN = re.compile(
    r"(?P<head>/build(?:WithParameters)?\?(?:[^\s'\"<>]{0,200}?&)?token=|[?&](?:passphrase|password|passwd|pwd)=)"
    r"(?P<word>[^\s&'\"<>#]{6,200})"
)
# Any other webhook address with an id that can't be guessed at its end.
_SOME_HOOK = re.compile(
    r"(?P<head>://[^\s'\"<>/]{1,200}/(?:[\w.-]{1,40}/){0,6}?(?:incoming)?(?:web)?hooks?/(?:[\w.-]{1,20}/){0,2})"
    r"(?P<word>[0-9a-f]{8}-[0-9a-f]{4}-[\w@/-]{10,300}|(?=[\w-]{0,40}\d)(?=[\w-]{0,40}[A-Za-z])[\w-]{24,200})",
    re.IGNORECASE,
)
# A value in braces, where ODBC allows any character.
_BRACES = re.compile(r"(?P<head>\b(?:pwd|password)=\{)(?P<word>[^{}\n]{4,200})(?=\})", re.IGNORECASE)
# The login of a Go database driver, whose password may contain any character.
_DSN = re.compile(r"(?P<head>\b[\w.-]{1,60}:)(?P<word>[^\s/'\"<>,;()]{4,200})(?=@(?:tcp|unix)\()")
# An output in Terraform's state, with its fields in either order.
_SENSITIVE = tuple(
    re.compile(rf"(?P<head>{before}\"value\": ?\")(?P<word>[^\"\n]{{4,2000}})(?=\"{after})")
    for typed in [r",\s{1,40}(?:\"type\": ?\"string\",\s{1,40})?"]
    for before, after in ((rf"\"sensitive\": ?true{typed}", ""), ("", rf"{typed}\"sensitive\": ?true"))
)
# `user:password@host` and `user/password@host` without a scheme, as for scp, Oracle and proxies.
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
    # All parameters of the scheme, because one of them is the secret.
    rf"(?P<word>(?:{_PARAMETERS})(?:, ?(?:{_PARAMETERS})){{1,16}}|[\w+/=.~:!%-]{{8,8000}})",
    re.IGNORECASE,
)
_COOKIE = re.compile(
    r"(?P<head>(?:\b(?:set-)?cookie['\"]?: {1,3}['\"]?|(?<=\*\*\*; )|(?<=\*\*\* ))[\w.-]{1,60}=)"
    r"(?P<word>[^\s'\";]{8,2000})",
    re.IGNORECASE,
)
_SESSION = re.compile(
    r"(?P<head>\b(?:[\w.-]{0,40}(?:sess(?:ion)?(?:_?id)?|_sid|logged_in\w{0,40}|remember_\w{1,60}|SAMLResponse|SAMLRequest"
    r"|assertion|_csrf)|sid)(?:=|['\"]: ?['\"]|\t|['\"](?: \w{1,20}=['\"][^'\"<>\n]{0,60}['\"]){0,3} value=['\"]))"
    r"(?P<word>(?=[^\s;&]{0,60}\d)[\w%+/.=-]{20,8000})",
    re.IGNORECASE,
)
# A cookie as a browser's recording keeps it: by its name, or by the fields that only cookies have.
_KEPT_COOKIE = re.compile(
    r"(?P<head>\"name\": ?\"(?:[\w.-]{0,40}(?:sess|sid|auth(?!or)|csrf|xsrf|jwt|remember)[\w.-]{0,40}"
    r"|[\w.-]{1,80}(?=\",\s{1,40}\"value\": ?\"[^\"\n]{16,4000}\",\s{0,40}\"(?:domain|httpOnly|sameSite)\"))"
    r"\",\s{0,40}\"value\": ?\")(?P<word>(?=[^\"\n]{0,200}\d)[^\s\"]{16,4000})(?=\")",
    re.IGNORECASE,
)
# Sessions of PHP and ASP.NET, which may be of letters alone.
_LETTERS_SESSION = re.compile(r"(?P<head>\b(?:PHPSESSID|ASP\.NET_SessionId|ASPSESSIONID[A-Z]{8})=)(?P<word>\w{20,60})")
# A vendor's own header, and a constant of a configuration in PHP, whose value may contain any character.
_OWN_HEADER = re.compile(
    r"(?P<head>(?:\b|(?<=\\[nrt]))X-[\w-]{0,30}(?:Api|Key|Token|Auth|Secret|Signature)[\w-]{0,20}: ?\[?)"
    r"(?P<word>(?=\S{0,60}\d)[\w+/=.~-]{20,500})",
    re.IGNORECASE,
)
_DEFINED = re.compile(
    r"(?P<head>\bdefine\( ?(?P<quote>['\"])\w{0,30}(?:_KEY|_SALT|PASSWORD|SECRET)(?P=quote), {1,20}(?P=quote))"
    r"(?P<word>[^'\"\n]{6,200})(?=(?P=quote))"
)
# A licence key in groups after a word such as `serial`, and the private part of a JSON Web Key.
_SERIAL = re.compile(
    r"(?P<head>(?:serial|licen[cs]e|activat|product.key)[^\n]{0,40}?[\s:=\"'])"
    r"(?P<word>(?=[A-Z0-9-]{0,40}\d)[A-Z0-9]{2,6}(?:-[A-Z0-9]{4,6}){3,7})(?![\w-])",
    re.IGNORECASE,
)
_WEB_KEY = re.compile(r"(?P<head>\"(?:d|p|q|dp|dq|qi|k)\": ?\")(?P<word>[\w-]{20,1000})(?=\")")
_RSA = re.compile(r"(?P<head><(?:D|P|Q|DP|DQ|InverseQ)>)(?P<word>[\w+/=]{16,2000})(?=</)")
_SPEAKS_OF_ONE = (
    r"(?:password|passwd|passphrase|pwd|pass(?<![a-z].{4})|secret|token"
    r"|(?:api|access|secret|private|licen[cs]e|encryption)[._-]?key)"
)
# The key below a setting that is called after encryption, as in a home automation's YAML.
_ENCRYPTION = re.compile(
    r"(?P<head>(?:encryption|noise|cipher|secretbox|aes\w{0,8})[\"']?:\s{1,40}(?:\{\s{0,40}|- )?"
    r"(?:[\"']?\w{1,20}[\"']?: [^\n]{0,60}\n\s{1,40}){0,3}?[\"']?key[\"']?: {1,3}[\"']?)"
    r"(?P<word>[\w+/-]{43}=|[\w+/-]{22}==|[0-9a-fA-F]{32,64})(?![\w+/=-])"
)
# The default of an input of Terraform or CloudFormation that is named after a secret.
_DEFAULT = re.compile(
    rf"(?P<head>{_SPEAKS_OF_ONE}(?:\" ?\{{|:)[ \t]{{0,8}}\r?\n"
    r"(?:[ \t]{1,20}[A-Za-z]\w{1,30}\s{0,10}[=:] [^\n]{1,100}\n){0,6}?[ \t]{1,20}default\s{0,10}[=:] {1,4}[\"']?)"
    r"(?P<word>[^\s\"'${][^\s\"']{3,200})",
    re.IGNORECASE,
)
# A user's name that a program made, as the first half of a pair of keys.
_USER_KEY = re.compile(
    r"(?P<head>username[\"']?\s{0,4}[:=]\s{0,4}[\"']?)(?P<word>[0-9a-f]{32,64})(?=[\"']?[,;]?\s{1,60}[\"']?password)"
)
# The recovery phrase of a wallet.
_SEED = re.compile(
    r"(?P<head>(?:seed|mnemonic|recovery)(?: phrase| words)?[\"']?\s{0,20}[:=]\s{0,20}[\"']?)"
    r"(?P<word>(?:[a-z]{3,8} ){11,23}[a-z]{3,8})\b",
    re.IGNORECASE,
)
_NAMED = rf"[\w.:-]{{1,40}}\s[^<>\n]{{0,200}}?(?:name|key|id)=[\"'][\w.:-]{{0,60}}{_SPEAKS_OF_ONE}[\"']"
_ELEMENT = re.compile(
    rf"(?P<head><(?:[\w.:-]{{0,30}}?{_SPEAKS_OF_ONE}|{_NAMED})(?:\s[^<>\n]{{0,200}})?>\s{{0,40}}(?:<[\w:]{{0,10}}value>\s{{0,40}})?)"
    # Values that Maven encrypted are in braces; other text in braces is a variable.
    r"(?P<word>[^\s<>${}]{6,1000}|\{[A-Za-z0-9+/]{16,200}={0,2}\})(?=\s{0,40}<)",
    re.IGNORECASE,
)
# A passphrase of several words.
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
# The value comes before its name.
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
    """`text` without secrets of several lines: private keys, and the data of Kubernetes secrets."""
    if "-----BEGIN" in text:
        text = _KEY_BLOCK.sub(_mask_key, text)
    if "Private-Lines:" in text:
        text = _PUTTY.sub(rf"\g<head>{MASK}\n", text)
    if '"sensitive"' in text:
        for pattern in _SENSITIVE:
            text = pattern.sub(masked_value, text)
    return mask_manifests(text) if "kind" in text and "Secret" in text else text


def _mask_key(block: re.Match[str]) -> str:
    """The mask, or the block itself if it is marked as an example or contains no key."""
    around = block.string[max(0, block.start() - 120) : block.start() + 40]
    return block[0] if _EXAMPLE_KEY.search(around) or not _KEY.search(_FILLER.sub("", block[0])) else MASK


def mask_places(text: str) -> str:
    """`text` without what is in a place on a line where only secrets are."""
    if "//" in text:
        text = _mask_urls(text)
    if "@" in text:
        text = _BARE_LOGIN.sub(_mask_generated, _DSN.sub(masked_value, text) if "(" in text else text)
    lowered = text.lower()
    for index in _ROW_WORDS.rows_for(lowered):
        _, pattern, replacement = _ROWS[index]
        text = pattern.sub(replacement, text)
    text = mask_accounts(mask_commands(text))
    if "</" in text or "/>" in text:
        for pattern in (_ELEMENT, _PHRASE, _VALUE, _REVERSED, _PARAMETER, _CDATA, _ATTRIBUTE):
            text = pattern.sub(_mask_element, text)
    return text


def _mask_seed(match: re.Match[str]) -> str:
    words = match["word"].split()
    return match[0] if len(set(words)) < len(words) / 2 else match["head"] + MASK  # a test's phrase repeats words


def _mask_element(match: re.Match[str]) -> str:
    """Masks an element's value. Words in an element for a token or a secret are its name, and stay; in one for a
    password they are the password."""
    if (
        match["word"].replace("_", "").isalpha()
        and consists_of_words(match["word"])
        and "pass" not in match["head"].lower()
    ):
        return match[0]
    return masked_value(match)


def _mask_urls(text: str) -> str:
    if "@" in text:
        text = _LOGIN.sub(_mask_login, _DATABASE.sub(_mask_database, text))
        text = _URL_TOKEN.sub(lambda m: f"{m['head']}{MASK}@", text)
    text = _HOOK.sub(masked_value, _CHANNEL.sub(masked_value, text))
    if "hook" in text:
        text = _SOME_HOOK.sub(masked_value, text)
    if any(word in text for word in _INTO_WORDS):
        text = _INTO_SERVICE.sub(_mask_made, text)
    if "/build" in text or any(name in text for name in ("passphrase=", "password=", "passwd=", "pwd=")):
        text = _BUILD_TOKEN.sub(masked_value, text)
    return _QUERY.sub(lambda m: m["head"] + MASK, text)


def _mask_made(match: re.Match[str]) -> str:
    """Masks what a program made; a service's other addresses end with names and states."""
    is_made = is_machine_made(match["word"]) or _LONG_HEX.match(match["word"])
    return match["head"] + MASK if is_made else match[0]


def _mask_login(match: re.Match[str]) -> str:
    """Masks user and password of `//user:password@`. Variables stay, and so do a test's words for a local server."""
    word, host = match["word"], match["host"]
    if is_placeholder(word) and (not consists_of_example_words(word) or _NEAR.match(host)):
        return match[0]
    before = match.string[max(0, match.start() - 12) : match.start()]
    if not before.endswith(":") and not (_SCHEME.search(before) and has_letters_and_digits(word)):  # a comment
        return match[0]
    return f"//{MASK}:{MASK}@{host}"


def _mask_database(match: re.Match[str]) -> str:
    plain = "@" not in match["word"] and "/" not in match["word"]
    if plain or not _OF_A_DATABASE.search(match.string[max(0, match.start() - 40) : match.start()]):
        return match[0]
    return f"//{MASK}:{MASK}@{match['host']}"


def _mask_generated(match: re.Match[str]) -> str:
    return match["head"] + MASK if is_generated(match["word"]) else match[0]


# Lower-case words, one of which must be in the text; the pattern; the replacement of a match.
_ROWS: tuple[tuple[tuple[str, ...], re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (("={",), _BRACES, masked_value),
    (("authorization", "bearer", "aws4-hmac"), _HEADER, masked_value),
    (("cookie",), _COOKIE, masked_value),
    (("cookie",), _COOKIE, masked_value),  # the next cookie of the same header
    (("sess", "sid=", "logged_in", "remember_", "saml", "assertion=", 'assertion"', "_csrf"), _SESSION, masked_value),
    (("phpsessid", "_sessionid", "aspsessionid"), _LETTERS_SESSION, masked_value),
    (("x-",), _OWN_HEADER, masked_value),
    (("serial", "licen", "activat", "product"), _SERIAL, masked_value),
    (("seed", "mnemonic", "recovery"), _SEED, _mask_seed),
    (("encryption", "noise", "cipher", "secretbox", "aes"), _ENCRYPTION, masked_value),
    (("username",), _USER_KEY, masked_value),
    (("default =", "default:", "default  "), _DEFAULT, masked_value),
    (("<rsakeyvalue>",), _RSA, masked_value),
    (('"kty"',), _WEB_KEY, masked_value),
    (("define(",), _DEFINED, masked_value),
    (('"value": "', '"value":"'), _REVERSED_PAIR, masked_value),
    (('"value": "', '"value":"'), _KEPT_COOKIE, masked_value),
)
_ROW_WORDS = RowWords(words for words, _, _ in _ROWS)
