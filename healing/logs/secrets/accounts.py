"""Secrets in the lines of password files and directories: htpasswd, htdigest, pgpass, LDIF, lists of database users."""

import re

from healing.logs.secrets.chosen import is_app_password, is_strong
from healing.logs.secrets.mask import MASK, is_of_words, is_placeholder
from healing.logs.secrets.rows import mask_rows
from healing.logs.secrets.values import has_both_cases, is_mixed, is_shown, is_tangled

# A line that may be one of those below: they are read in it alone.
_ACCOUNT = re.compile(
    r"^[ \t]{0,20}(?:- )?[\w.@*-]{1,100}:(?:\S{6,400}|[\w .@-]{1,60}:[0-9a-f]{32})(?=[ \t]*\r?$)", re.MULTILINE
)
# A whole line: of htpasswd, with the hash of the old crypt or one that says how it was made; of htdigest, with a realm.
_LINE = re.compile(
    r"(?P<head>^[\w.@*-]{1,100}:(?:(?!(?:md5|sha\d*):)[\w .@-]{1,60}:(?=[0-9a-f]{32}$)"
    r"|(?=\{S?SHA\d{0,3}\}[\w+/]{20,120}={0,2}$)"
    r"|(?=.{0,12}[A-Z])(?=.{0,12}[a-z])(?=.{0,12}[\d./])(?=[A-Za-z0-9./]{13}$)))(?P<word>\S{1,200})$"
)
# Of pgpass: `host:port:database:user:password`.
_PGPASS = re.compile(r"(?P<head>^[\w.@*-]{1,100}:(?:\d{4,5}|\*):[\w*-]{1,60}:[\w*.-]{1,60}:)(?P<word>[^\s:]{8,100})$")
_SALTED = re.compile(r"(?P<head>\{S(?:SHA|MD5)(?:256|384|512)?\})(?P<word>[\w+/]{20,120}={0,2})")
_DATABASE = re.compile(r"(?P<head>[\"'](?=md5|\*))(?P<word>md5[0-9a-f]{32}|\*[0-9A-F]{40})(?=[\"'])")
_IDENTIFIED = re.compile(
    r"(?P<head>\b(?:IDENTIFIED BY |(?:WITH|ENCRYPTED|LOGIN) PASSWORD (?='))(?P<quote>['\"])?)(?P<word>(?"
    r"(quote)[^'\"\n]{4,200}|(?=\S{0,60}\d)[^\s'\"();]{6,200}))(?(quote)(?=(?P=quote)))",
    re.IGNORECASE,
)
# A user and a password, each in quotes, and nothing else in the line: of PgBouncer.
_USERLIST = re.compile(r"(?P<head>^\"[\w.@-]{1,60}\" {1,4}\")(?P<word>[^\s\"]{6,200})(?=\"[ \t]*\r?$)", re.MULTILINE)
# Of Postfix: the server, and a login for it.
_RELAY = re.compile(
    r"(?P<head>^(?:\[[\w.-]{1,100}\](?::\w{2,10})?|[\w-]{1,60}(?:\.[\w-]{1,60}){1,5}"
    r"(?::\d{2,5})?)[ \t]{1,40}[\w.+-]{1,60}(?:@[\w.-]{1,80})?:)"
    r"(?P<word>[^\s:]{8,200})(?=[ \t]*\r?$)",
    re.MULTILINE,
)
# Of anybody, where the password has all that a policy asks for.
_LOGIN = re.compile(r"(?P<head>^[ \t]{0,20}(?:- )?[\w.@-]{1,60}:)(?P<word>[^\s:\"']{8,64})$")
_COLUMNS = ("pass", "pwd", "kennwort", "secret", "token", "key")
# What `chpasswd` reads, each in a line.
_LIST = re.compile(
    r"\bchpasswd\b[^\n]{0,40}\n(?:[ \t]{1,20}\w{1,20}:[ \t]{0,4}[|>]?[-+]?[ \t]*\n){0,3}(?:[^\S\n]{0,20}"
    r"(?:- )?['\"]?[\w.-]{1,40}:[^\s:]\S{3,200}[ \t]*\n?){1,60}"
)
_LISTED = re.compile(r"(?P<head>\n[^\S\n]{0,20}(?:- )?['\"]?[\w.-]{1,40}:)(?P<word>[^\s:'\"][^\s'\"]{3,200})")
_CHPASSWD = re.compile(
    r"(?P<head>\b(?:echo|printf) ['\"]?[\w.-]{1,40}:)(?P<word>[^\s'\":|]{4,200})"
    r"(?=['\"]?[^|\n]{0,20}\| ?(?:sudo )?chpasswd)"
)


def mask_accounts(text: str) -> str:
    """`text` without the passwords and hashes that lines of accounts hold."""
    if "chpasswd" in text:
        text = _LIST.sub(lambda block: _LISTED.sub(_value, block[0]), _CHPASSWD.sub(_value, text))
    text = _ACCOUNT.sub(_account, text)
    if "{S" in text:
        text = _SALTED.sub(_value, text)
    if "md5" in text or "*" in text:
        text = _DATABASE.sub(_value, text)
    if '" "' in text:
        text = _USERLIST.sub(_mixed, text)
    if "@" in text or "]:" in text:
        text = _RELAY.sub(_mailed, text)
    lowered = text.lower()
    if "identified by" in lowered or "password '" in lowered:
        text = _IDENTIFIED.sub(_value, text)
    return mask_rows(text) if any(name in lowered for name in _COLUMNS) else text


def _account(line: re.Match[str]) -> str:
    for pattern, judged in ((_LINE, _value), (_PGPASS, _made_up), (_LOGIN, _chosen)):
        match = pattern.match(line[0])
        masked = judged(match) + line[0][match.end() :] if match else line[0]
        if masked != line[0]:
            return masked
    return line[0]


def _chosen(match: re.Match[str]) -> str:
    return _value(match) if is_strong(match["word"]) and not is_shown(match[0].lstrip(" \t-")) else match[0]


def _mixed(match: re.Match[str]) -> str:
    word = match["word"]
    return _value(match) if is_mixed(word) and has_both_cases(word) and not is_of_words(word) else match[0]


def _mailed(match: re.Match[str]) -> str:
    return _value(match) if is_app_password(match["word"]) else _made_up(match)


def _value(match: re.Match[str]) -> str:
    return match[0] if is_placeholder(match["word"]) else match["head"] + MASK


def _made_up(match: re.Match[str]) -> str:
    return _value(match) if is_mixed(match["word"]) or is_tangled(match["word"]) else match[0]
