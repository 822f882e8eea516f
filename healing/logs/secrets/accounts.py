"""Secrets in the lines of password files and directories: htpasswd, htdigest, pgpass, LDIF, lists of database users."""

import re

from healing.logs.secrets.mask import MASK, is_placeholder
from healing.logs.secrets.values import is_mixed, is_tangled

# A whole line: of htpasswd, with the hash of the old crypt or one that says how it was made; of htdigest, with a realm.
_LINE = re.compile(
    r"(?P<head>^[\w.@*-]{1,100}:(?:(?!(?:md5|sha\d*):)[\w .@-]{1,60}:(?=[0-9a-f]{32}$)"
    r"|(?=\{S?SHA\d{0,3}\}[\w+/]{20,120}={0,2}$)"
    r"|(?=.{0,12}[A-Z])(?=.{0,12}[a-z])(?=.{0,12}[\d./])(?=[A-Za-z0-9./]{13}$)))(?P<word>\S{1,200})$",
    re.MULTILINE,
)
# Of pgpass: `host:port:database:user:password`.
_PGPASS = re.compile(
    r"(?P<head>^[\w.@*-]{1,100}:(?:\d{4,5}|\*):[\w*-]{1,60}:[\w*.-]{1,60}:)(?P<word>[^\s:]{8,100})$", re.MULTILINE
)
_SALTED = re.compile(r"(?P<head>\{S(?:SHA|MD5)(?:256|384|512)?\})(?P<word>[\w+/]{20,120}={0,2})")
_DATABASE = re.compile(r"(?P<head>[\"'](?=md5|\*))(?P<word>md5[0-9a-f]{32}|\*[0-9A-F]{40})(?=[\"'])")
_IDENTIFIED = re.compile(
    r"(?P<head>\bIDENTIFIED BY (?P<quote>['\"]))(?P<word>[^'\"\n]{4,200})(?=(?P=quote))", re.IGNORECASE
)
_CHPASSWD = re.compile(
    r"(?P<head>\b(?:echo|printf) ['\"]?[\w.-]{1,40}:)(?P<word>[^\s'\":|]{4,200})"
    r"(?=['\"]?[^|\n]{0,20}\| ?(?:sudo )?chpasswd)"
)


def mask_accounts(text: str) -> str:
    """`text` without the passwords and hashes that lines of accounts hold."""
    text = _PGPASS.sub(_made_up, _LINE.sub(_value, text))
    if "{S" in text:
        text = _SALTED.sub(_value, text)
    if "md5" in text or "*" in text:
        text = _DATABASE.sub(_value, text)
    if "chpasswd" in text:
        text = _CHPASSWD.sub(_value, text)
    return _IDENTIFIED.sub(_value, text) if "dentified by" in text or "DENTIFIED BY" in text else text


def _value(match: re.Match[str]) -> str:
    return match[0] if is_placeholder(match["word"]) else match["head"] + MASK


def _made_up(match: re.Match[str]) -> str:
    return _value(match) if is_mixed(match["word"]) or is_tangled(match["word"]) else match[0]
