"""Secrets in text become `***` before anything is stored, shown to a model or posted (EX-6, law 8)."""

import re

MASK = "***"

# Kinds with a shape of their own: the prefix is the proof.
_SHAPES = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"gh[pousr]_[A-Za-z0-9_.-]{16,800}|github_pat_[A-Za-z0-9_]{20,255}|v1\.[0-9a-f]{40}(?![0-9a-f])"
    r"|gl(?:pat|ptt|rt|dt|ft|soat|cbt|agent|imt|oas)-[\w.-]{18,300}|GR1348941[\w-]{20,100}"
    r"|(?:AKIA|ASIA|AROA|AIDA|ABIA|ACCA)[A-Z2-7]{16}(?![A-Z0-9])"
    r"|sk-ant-[\w-]{20,300}|sk-(?:proj-|svcacct-|admin-|or-v1-)?[\w-]{20,300}"
    r"|xox[a-zA-Z](?:-[A-Za-z0-9.]{1,200}){1,8}|xapp-\d-[A-Za-z0-9-]{10,300}"
    r"|(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{24,255}|whsec_[A-Za-z0-9+/=]{20,100}"
    r"|npm_[A-Za-z0-9]{30,100}|pypi-[\w-]{50,400}|rubygems_[0-9a-f]{40,64}|cio[A-Za-z0-9]{32}(?![A-Za-z0-9])"
    r"|AIza[\w-]{35}|ya29\.[\w-]{20,300}|GOCSPX-[\w-]{20,60}|hf_[A-Za-z0-9]{30,60}|dckr_(?:pat|oat)_[\w-]{20,60}"
    r"|SG\.[\w-]{16,40}\.[\w-]{30,60}|shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}|do[opr]_v1_[0-9a-f]{64}"
    r"|ntn_\d{11}[A-Za-z0-9]{35}|lin_(?:api|oauth)_[A-Za-z0-9]{32,64}|figd_[\w-]{30,60}"
    r"|tskey-[a-z]{2,12}-[A-Za-z0-9]{6,40}-[A-Za-z0-9]{10,60}|vc[pirack]_[A-Za-z0-9]{24,80}|dop_v1_[0-9a-f]{64}"
    r"|SWMTKN-1-[a-z0-9-]{40,120}|hv[sbr]\.[\w-]{20,300}"
    r"|(?:atlasv1|pul-|dapi|PMAK-|glc_|glsa_|sntrys_|sntryu_|phc_|nfp_|pscale_\w{2,8}_)[\w.-]{30,300}"
    r"|ATATT3[\w=-]{40,400}|EAACEdEose0cBA[A-Za-z0-9]{10,300}|sq0(?:atp|csp)-[\w-]{22,50}|age-secret-key-1[a-z0-9]{58}"
    r"|[MN][A-Za-z\d]{23,27}\.[\w-]{6}\.[\w-]{27,45}|\d{8,10}:AA[\w-]{33}(?![\w-])|0x[0-9a-fA-F]{64}(?![0-9a-fA-F])"
    r"|sha256~[\w-]{40,60}|(?:r8_|gsk_|xai-|pplx-|fw_|tgp_v1_|AGE-SECRET-KEY-1)[\w-]{30,200}"
    r"|eyJ[\w-]{8,4000}\.eyJ[\w-]{4,8000}(?:\.[\w-]{0,2000})?|eyJ[\w-]{8,2000}\.{2}[\w-]{8,2000}"
    r")"
)
_KEY_BLOCK = re.compile(
    r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}(?:PRIVATE KEY(?: BLOCK)?|OPENSSH PRIVATE KEY)-----"
    r"[^-]{0,20000}(?:-----END [A-Z0-9 ]{1,60}-----)?"
)
# Shapes are only looked for in runs of such characters: text is mostly short words.
_RUN = re.compile(r"[\w.~+/=:-]{16,}")
_MIXED = re.compile(r"[0-9]|[A-Z]{10}")

_URL = re.compile(
    r"(?P<head>(?<![A-Za-z0-9+.-])[a-zA-Z][a-zA-Z0-9+.-]{1,20}://)[^\s:/@'\"<>]{0,200}:[^\s/@'\"<>]{1,500}@"
)
_URL_TOKEN = re.compile(r"(?P<head>https?://)[A-Za-z0-9_-]{20,300}@")
_HOOK = re.compile(
    r"(?P<head>https://(?:hooks\.slack\.com/(?:services|workflows|triggers)/"
    r"|discord(?:app)?\.com/api/webhooks/\d{10,25}/"
    r"|[\w-]{1,80}\.webhook\.office\.com/webhookb2/"
    r"|[\w-]{1,80}\.tines\.com/webhook/))[\w/@.-]{10,300}"
)
_HEADER = re.compile(
    r"(?P<head>\b(?:authorization['\"]?[ \t]{0,3}[:=][ \t]{0,3}['\"]?"
    r"(?:(?:basic|bearer|token|digest|apikey) {1,3})?|(?:bearer|AWS4-HMAC-SHA256) {1,3}))"
    r"(?P<word>[\w+/=.~:-]{12,4000})",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"(?P<head>(?P<name>pass(?:word|wd|phrase)|pwd|secret|token|(?:api|access|private|auth|account|signing|encryption)"
    r"[_-]?key|credentials?|_auth(?![a-z])|\"auth(?=\\?\"))[\w-]{0,30}"
    r"\\?['\"]?\]?(?P<sign>[ \t]{0,3}(?::=|=>|[:=])[ \t]{0,3}))"
    r"(?P<quote>\\?['\"]?)(?P<word>[^\s'\"`,;<>\\(){}\[\]]{6,1000})(?P<after>[(\[{ '\"]?)",
    re.IGNORECASE,
)
_ELEMENT = re.compile(
    r"(?P<head><[\w.-]{0,30}?(?:password|passphrase|secret|token|api[_-]?key)>)(?P<word>[^\s<>${}]{6,1000})(?=<)",
    re.IGNORECASE,
)
_OPTION = re.compile(
    r"(?P<head>(?<![\w-])--?(?:password|passwd|token|secret|api-?key|access-?key)[= ]['\"]?)"
    r"(?P<word>[^\s'\"$<>-][^\s'\"<>]{5,1000})",
    re.IGNORECASE,
)
_CRYPT = re.compile(r"\$(?:1|5|6|7|y|gy|2[aby]|argon2id?)\$[^\s'\"]{20,300}")
_PLACEHOLDER = re.compile(
    r"\*{2,}|\$|%|x{4,}$|\.{3}|your|example|change|dummy|placeholder|redacted|none$|null$|true$|false$|undefined|string"
    r"|required|secrets\.|0{6,}",
    re.IGNORECASE,
)
_CODE_LIKE = re.compile(r"[A-Za-z_][A-Za-z_]*(?:\.[A-Za-z_]\w*)*$|[\d.]+$|[/~.]{1,2}/|/\w|https?:")
_GIT_HASH = re.compile(r"[0-9a-f]{7,64}$")


def redact(text: str) -> str:
    """`text` with every secret that can be told from its shape or its name replaced by `***`.

    Git hashes, and code that only speaks of a `token` or a `password`, stay as they are.
    """
    if "-----BEGIN" in text:
        text = _KEY_BLOCK.sub(MASK, text)
    text = _CRYPT.sub(MASK, _RUN.sub(_run, text))
    if "://" in text:
        text = _URL.sub(lambda m: f"{m['head']}{MASK}:{MASK}@", text)
        text = _URL_TOKEN.sub(lambda m: f"{m['head']}{MASK}@", text)
        text = _HOOK.sub(lambda m: m["head"] + MASK, text)
    text = _HEADER.sub(_value, text)
    text = _OPTION.sub(_value, text)
    text = _ELEMENT.sub(_value, text)
    return _NAMED.sub(_named, text)


def redact_bytes(data: bytes) -> bytes:
    """`redact` for bytes of any encoding that keeps ASCII; what is not UTF-8 stays byte for byte."""
    return redact(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


def _run(match: re.Match[str]) -> str:
    return _SHAPES.sub(MASK, match[0]) if _MIXED.search(match[0]) else match[0]


def _value(match: re.Match[str]) -> str:
    return match[0] if _PLACEHOLDER.match(match["word"]) else match["head"] + MASK


def _named(match: re.Match[str]) -> str:
    """`password=hunter22` is a secret; `password = get_password()`, `token: str` and `token_sha=<hash>` are not."""
    word, after = match["word"], match["after"]
    if after in ("(", "[", "{") or _PLACEHOLDER.match(word):
        return match[0]
    if _GIT_HASH.match(word) and "sha" in match["head"].lower():
        return match[0]
    if not (_quoted_secret(match) if match["quote"] else _bare_secret(match)):
        return match[0]
    return match["head"] + match["quote"] + MASK + after


def _quoted_secret(match: re.Match[str]) -> bool:
    """Words in quotes beside a password are the password; beside a token or key they are mostly its name."""
    if match["after"] == " ":  # a sentence
        return False
    if match["name"].lower().startswith(("pass", "pwd")):
        return True
    return not re.fullmatch(r"\??[A-Za-z_]{1,40}|[A-Za-z][\w.-]{0,40}://.*", match["word"])


def _bare_secret(match: re.Match[str]) -> bool:
    """Bare words are code, except after `NAME=` as shells and environment listings write it."""
    if match["sign"] == "=" and match["head"][:-1].isupper():
        return True
    return not _CODE_LIKE.match(match["word"])
