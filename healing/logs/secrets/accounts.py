"""Masks secrets in password files and directories: htpasswd, htdigest, pgpass, LDIF, lists of database users."""

import re

from healing.logs.secrets.human_passwords import is_app_password, is_no_attribute, meets_password_policy
from healing.logs.secrets.mask import consists_of_words, masked_value
from healing.logs.secrets.rows import mask_rows
from healing.logs.secrets.values import has_both_cases, is_mixed, is_public, is_tangled

# A line that may match one of _LINE, _PGPASS and _LOGIN, which are tried on such lines only.
_ACCOUNT = re.compile(
    r"^[ \t]{0,20}(?:- )?[\w.@*-]{1,100}:(?:\S{6,400}|[\w .@-]{1,60}:[0-9a-f]{32})(?=[ \t]*\r?$)", re.MULTILINE
)
# htpasswd with a hash of classic crypt or one that names its algorithm, and htdigest with a realm.
_LINE = re.compile(
    r"(?P<head>^[\w.@*-]{1,100}:(?:(?!(?:md5|sha\d*):)[\w .@-]{1,60}:(?=[0-9a-f]{32}$)"
    r"|(?=\{S?SHA\d{0,3}\}[\w+/]{20,120}={0,2}$)"
    r"|(?=.{0,12}[A-Z])(?=.{0,12}[a-z])(?=.{0,12}[\d./])(?=[A-Za-z0-9./]{13}$)))(?P<word>\S{1,200})$"
)
# pgpass: `host:port:database:user:password`.
_PGPASS = re.compile(r"(?P<head>^[\w.@*-]{1,100}:(?:\d{4,5}|\*):[\w*-]{1,60}:[\w*.-]{1,60}:)(?P<word>[^\s:]{8,100})$")
_SALTED = re.compile(r"(?P<head>\{S(?:SHA|MD5)(?:256|384|512)?\})(?P<word>[\w+/]{20,120}={0,2})")
_DATABASE = re.compile(r"(?P<head>[\"'](?=md5|\*))(?P<word>md5[0-9a-f]{32}|\*[0-9A-F]{40})(?=[\"'])")
_IDENTIFIED = re.compile(
    r"(?P<head>\b(?:IDENTIFIED (?:WITH [\w'\"]{1,40} )?(?:BY (?:PASSWORD )?|AS (?='))"
    r"|(?:WITH|ENCRYPTED|LOGIN) PASSWORD ?=? ?N?(?=')"
    r"|(?:USER|ROLE|LOGIN|OPTIONS|PROFILE) [^\n;]{1,120}?\bPASSWORD (?='))(?P<quote>['\"])?)(?P<word>(?"
    r"(quote)[^'\"\n]{4,200}|(?=\S{0,60}\d)[^\s'\"();]{6,200}))(?(quote)(?=(?P=quote)))",
    re.IGNORECASE,
)
# PgBouncer's user list: a user and a password, each in quotes, and nothing else on the line. That of PPP has a server
# and an address beside them, of which any is a star.
_USERLIST = re.compile(
    r"(?P<head>^\"[\w.@-]{1,60}\"(?:[ \t]{1,8}(?P<any>\*))?[ \t]{1,8}\")(?P<word>[^\s\"]{6,200})"
    r"(?=\"(?:[ \t]{1,8}\*)?[ \t]*\r?$)",
    re.MULTILINE,
)
# The same without quotes, between two stars.
_BETWEEN_STARS = re.compile(
    r"(?P<head>^[ \t]{0,8}[\w.@-]{1,60}[ \t]{1,20}\*[ \t]{1,20})(?P<word>[^\s\"*]{6,200})(?=[ \t]{1,20}\*[ \t]*\r?$)",
    re.MULTILINE,
)
# Postfix: a server and a login for it.
_RELAY = re.compile(
    r"(?P<head>^(?:\[[\w.-]{1,100}\](?::\w{2,10})?|[\w-]{1,60}(?:\.[\w-]{1,60}){1,5}"
    r"(?::\d{2,5})?)[ \t]{1,40}[\w.+-]{1,60}(?:@[\w.-]{1,80})?:)"
    r"(?P<word>[^\s:]{8,200})(?=[ \t]*\r?$)",
    re.MULTILINE,
)
# Any `user:password` line, where the password meets a password policy.
_LOGIN = re.compile(
    r"(?P<head>^[ \t]{0,20}(?:- )?(?!(?:mailto|tel|sms|sip|xmpp|data|urn|about|news):)[\w.@-]{1,60}:)"
    r"(?P<word>[^\s:\"']{8,64})$"
)
_COLUMNS = ("pass", "pwd", "kennwort", "secret", "token", "key")
# The input of `chpasswd`, an account on each line.
_LIST = re.compile(
    r"\bchpasswd\b[^\n]{0,40}\n(?:[ \t]{1,20}\w{1,20}:[ \t]{0,4}[|>]?[-+]?[ \t]*\n){0,3}(?:[^\S\n]{0,20}"
    r"(?:- )?['\"]?[\w.-]{1,40}:[^\s:]\S{3,200}[ \t]*\n?){1,60}"
)
_LISTED = re.compile(r"(?P<head>\n[^\S\n]{0,20}(?:- )?['\"]?[\w.-]{1,40}:)(?P<word>[^\s:'\"][^\s'\"]{3,200})")
_CHPASSWD = re.compile(
    r"(?P<head>\b(?:echo|printf) (?:-n |%s )?['\"]?(?!https?:)[\w.-]{1,40}:)(?P<word>[^\s'\":|]{4,200})"
    r"(?=['\"]?[^|\n]{0,20}\| ?(?:(?:sudo )?chpasswd|base64))"
)


def mask_accounts(text: str) -> str:
    """`text` without the passwords and hashes on lines that describe accounts."""
    if "chpasswd" in text or ("|" in text and "| base64" in text):
        text = _LIST.sub(lambda block: _LISTED.sub(masked_value, block[0]), _CHPASSWD.sub(masked_value, text))
    text = _ACCOUNT.sub(_mask_account, text)
    if "{S" in text:
        text = _SALTED.sub(masked_value, text)
    if "md5" in text or "*" in text:
        text = _DATABASE.sub(masked_value, text)
    if '" "' in text or ("*" in text and ('*\t"' in text or '* "' in text)):
        text = _USERLIST.sub(_mask_userlist, text)
    if " * " in text or "\t*\t" in text:
        text = _BETWEEN_STARS.sub(_mask_unlike_words, text)
    if "@" in text or "]:" in text:
        text = _RELAY.sub(_mask_relay, text)
    lowered = text.lower()
    if "identified " in lowered and ("identified by" in lowered or "identified with" in lowered):
        text = _IDENTIFIED.sub(masked_value, text)
    if not any(name in lowered for name in _COLUMNS):
        return text
    if "password '" in lowered or "password = n'" in lowered:
        text = _IDENTIFIED.sub(masked_value, text)
    return mask_rows(text)


def _mask_account(line: re.Match[str]) -> str:
    for pattern, mask in ((_LINE, masked_value), (_PGPASS, _mask_unlike_words), (_LOGIN, _mask_login)):
        match = pattern.match(line[0])
        masked = mask(match) + line[0][match.end() :] if match else line[0]
        if masked != line[0]:
            return masked
    return line[0]


def _mask_login(match: re.Match[str]) -> str:
    is_secret = meets_password_policy(match["word"]) and not is_public(match[0].lstrip(" \t-"))
    return masked_value(match) if is_secret else match[0]


def _mask_userlist(match: re.Match[str]) -> str:
    word = match["word"]
    is_secret = is_mixed(word) and has_both_cases(word) and not consists_of_words(word)
    return masked_value(match) if is_secret or match["any"] else match[0]


def _mask_relay(match: re.Match[str]) -> str:
    """Masks the password of a line that can only be a login, as that of a server in brackets with its port, and what is
    no word elsewhere."""
    is_login = is_app_password(match["word"]) or "]:" in match["head"]
    return masked_value(match) if is_login else _mask_unlike_words(match)


def _mask_unlike_words(match: re.Match[str]) -> str:
    word = match["word"]
    return masked_value(match) if is_mixed(word) or is_tangled(word) or is_no_attribute(word) else match[0]
