"""Secrets that a program takes on its command line: `mysql -p…`, `docker login … -p …`, `--from-literal=key=…`.

A row is (words of which one stands in the text, what stands before the secret). The option alone says nothing: `-p` is
a port, a path or a password, so the program stands in the row.
"""

import re

from healing.logs.secrets.mask import MASK, is_placeholder

_ON = r"[^\n|;&]{0,300}?"  # the same command
_NAME = r"\w{0,60}(?:PASSWORD|PASSWD|SECRET|TOKEN|_KEY)"
_Q = r"\\?['\"]?"
# With an option in front of it.
_OPTIONS: tuple[tuple[str, str], ...] = (
    ("mysql mariadb", rf"\b(?:mysql\w*|mariadb\w*)\b{_ON} -p{_Q}"),
    ("sshpass", rf"\bsshpass\b{_ON} -p ?{_Q}"),
    ("login", rf"\blogin\b{_ON} -p[ =]?{_Q}"),
    ("twine", rf"\btwine\b{_ON} -p[ =]{_Q}"),
    ("sqlcmd bcp", rf"\b(?:sqlcmd|bcp)\b{_ON} -P ?{_Q}"),
    ("redis-cli valkey-cli", rf"\b(?:redis|valkey)-cli\b{_ON} -a ?{_Q}"),
    ("ldap", rf"\bldap(?:search|modify|add|delete|passwd|whoami|modrdn|compare)\b{_ON} -w ?{_Q}"),
    ("htpasswd", rf"\bhtpasswd\b{_ON} -[a-zA-Z]{{0,8}}b[a-zA-Z]{{0,8}}(?: -\w{{1,8}})* \S{{1,200}} \S{{1,80}} {_Q}"),
    ("passin passout", rf" -pass(?:in|out)? {_Q}pass:"),
    ("storepass keypass", rf" -(?:src|dest)?(?:store|key)pass {_Q}"),
    ("smbclient rpcclient", rf"\b(?:smbclient|rpcclient)\b{_ON} -U ?{_Q}[\w.\\-]{{1,80}}%"),
    ("--from-literal", rf" --from-literal[= ]{_Q}[\w.-]{{1,80}}="),
    ("curl", rf"\bcurl\b{_ON} (?:-u|--user|-U|--proxy-user)[= ]?{_Q}[\w.@-]{{1,80}}:"),
    ("-creds", rf" --(?:src-|dest-)?creds[= ]{_Q}[\w.@-]{{1,80}}:"),
    ("mosquitto_", rf"\bmosquitto_\w{{3,4}}\b{_ON} -P {_Q}"),
    ("lftp", rf"\blftp\b{_ON} -u {_Q}[\w.@-]{{1,80}},"),
    ("sonar", rf" -Dsonar\.login={_Q}"),
    ("set -", rf"\bset -\w{{1,3}} {_NAME} {_Q}"),
)
_OTHERS: tuple[tuple[str, str], ...] = (
    ("/user:", rf"\bnet use\b{_ON} /user:\S{{1,80}} {_Q}"),
    ("configure", rf"\baws configure set \S{{0,60}}(?:secret|token)\S{{0,60}} {_Q}"),
    ("login user", r"\b(?:login|user) \S{1,80}\s{1,4}password "),
    ("ENV setenv setx", rf"\b(?:ENV|setenv|setx) {_NAME} {_Q}"),
    ("_authToken _auth _password", rf":(?:_authToken|_auth|_password) {_Q}"),
    ("bindpw bind_pw requirepass masterauth", r"(?m:^)\s{0,8}(?:bindpw|bind_pw|requirepass|masterauth) {1,8}"),
)
_WORD = r"(?P<word>[^\s'\"$<>|;&%{}()=-][^\s'\"<>|;&]{3,500})"
_PIPED = re.compile(
    rf"(?P<head>\b(?:echo|printf)(?: -n| '%s')? {_Q}){_WORD}(?={_Q} {{0,3}}\| {{0,3}}[^\n|]{{0,300}}--password-stdin)"
)


_Row = tuple[list[str], re.Pattern[str]]


def _compiled(rows: tuple[tuple[str, str], ...]) -> tuple[_Row, ...]:
    return tuple((words.split(), re.compile(rf"(?P<head>{before}){_WORD}")) for words, before in rows)


_AFTER_OPTIONS, _AFTER_WORDS = _compiled(_OPTIONS), _compiled(_OTHERS)


def mask_commands(text: str) -> str:
    """`text` without the secrets that command lines in it hand to programs. Variables and placeholders stay."""
    for words, pattern in (*_AFTER_OPTIONS, *_AFTER_WORDS) if " -" in text else _AFTER_WORDS:
        if any(word in text for word in words):
            text = pattern.sub(_value, text)
    return _PIPED.sub(_value, text) if "--password-stdin" in text else text


def _value(match: re.Match[str]) -> str:
    return match[0] if is_placeholder(match["word"]) else match["head"] + MASK
