"""Secrets that a program takes on its command line: `mysql -p…`, `docker login … -p …`, `--from-literal=key=…`.

A row is (words of which one stands in the text, `~` for a space in them; what stands before the secret). The option
alone says nothing: `-p` is a port, a path or a password, so the program stands in the row. A pattern that begins with
letters is found much faster than one that begins with a word's boundary, and a longer word before it does no harm.
"""

import re
from functools import cache

import re2  # type: ignore[import-untyped] # it has no types

from healing.logs.secrets.mask import MASK, encodable, is_placeholder
from healing.logs.secrets.values import is_generated, is_hex, is_setting

_ON = r"[^\n|;&]{0,300}?"  # the same command
_NAME = r"\w{0,60}(?:PASSWORD|PASSWD|PASS|SECRET|TOKEN|_KEY)"
_Q = r"\\?['\"]?"
# With an option in front of it.
_OPTIONS: tuple[tuple[str, str], ...] = (
    ("mysql mariadb", rf"\b(?:mysql\w*|mariadb\w*)\b{_ON} -p{_Q}"),
    ("sshpass", rf"sshpass\b{_ON} -p ?{_Q}"),
    ("login", rf"login\b{_ON} -p[ =]?{_Q}"),
    ("twine", rf"twine\b{_ON} -p[ =]{_Q}"),
    ("sqlcmd bcp", rf"\b(?:sqlcmd|bcp)\b{_ON} -P ?{_Q}"),
    ("redis-cli valkey-cli", rf"\b(?:redis|valkey)-cli\b{_ON} -a ?{_Q}"),
    ("ldap", rf"ldap(?:search|modify|add|delete|passwd|whoami|modrdn|compare)\b{_ON} -w ?{_Q}"),
    ("htpasswd", rf"htpasswd\b{_ON} -[a-zA-Z]{{0,8}}b[a-zA-Z]{{0,8}}(?: -\w{{1,8}})* \S{{1,200}} \S{{1,80}} {_Q}"),
    ("pass:", rf" -(?:pass(?:in|out|word)?|-ks-pass|-key-pass) {_Q}pass:"),
    ("smbclient rpcclient", rf"\b(?:smbclient|rpcclient)\b{_ON} -U ?{_Q}[\w./\\-]{{1,80}}%"),
    ("--from-literal", rf" --from-literal[= ]{_Q}[\w.-]{{1,80}}="),
    ("curl", rf"curl\b{_ON} (?:-u|--user|-U|--proxy-user)[= ]?{_Q}[\w.@\\-]{{1,80}}:"),
    ("-creds", rf" --(?:src-|dest-)?creds[= ]{_Q}[\w.@-]{{1,80}}:"),
    ("mosquitto_", rf"mosquitto_\w{{3,4}}\b{_ON} -P {_Q}"),
    ("lftp", rf"lftp\b{_ON} -u {_Q}[\w.@-]{{1,80}},"),
    ("poetry~publish", rf"poetry publish\b{_ON} -p[ =]?{_Q}"),
    ("security~", rf"security (?:import|\w{{1,10}}-key[\w-]{{1,20}})\b{_ON} -[pPk] {_Q}(?!\S{{0,200}}\.keychain)"),
    ("altool notarytool", rf"\b(?:altool|notarytool)\b{_ON} -p {_Q}(?!@)"),
    ("7z~ 7za~", rf"\b7z\w?\b{_ON} -p{_Q}"),
    ("zip~-", rf"\b(?:un)?zip\b{_ON} -P ?{_Q}"),
    ("rar~", rf"\b(?:un)?rar\b{_ON} -h?p{_Q}"),
    ("ipmi", rf"ipmi\w{{1,10}}\b{_ON} -[Pp] {_Q}"),
    ("snmp", rf"snmp\w{{1,10}}\b{_ON} -[AX] {_Q}"),
    ("openssl~enc", rf"openssl enc\b{_ON} -k {_Q}"),
    ("codecov", rf"codecov\b{_ON} -t[ =]?{_Q}"),
    ("http~-a http~--auth https~-a", rf"(?<![\w/.-])https?\b{_ON} (?:-a|--auth)[= ]?{_Q}[\w.@-]{{1,80}}:"),
    ("cqlsh mongo~ mongosh~ mongodump~ mongorestore~", rf"\b(?:cqlsh|mongo\w{{0,7}})\b{_ON} -p ?{_Q}"),
    ("curl~", rf"curl\b{_ON} (?:-b|--cookie)[= ]{_Q}[\w.-]{{1,60}}=(?=\S{{0,60}}\d)"),
    ("--user", rf" --user[= ]{_Q}[\w.@\\-]{{1,80}}:(?=\S{{0,60}}\d)(?=\S{{0,60}}[A-Za-z])"),
    ('user~=~"', r"(?m:^)\s{0,4}(?:proxy-)?user = \"[\w.@\\-]{1,80}:"),
    ("set~-", rf"set -\w{{1,3}} {_NAME} {_Q}"),
)
_OTHERS: tuple[tuple[str, str], ...] = (
    ("net~user", rf"net user \S{{1,60}} {_Q}(?!/)"),
    ("/user:", rf"net use\b{_ON} /user:\S{{1,80}} {_Q}"),
    ("net~use", rf"net use \S{{1,4}} \S{{1,200}} {_Q}(?!/)"),
    ("PASS~", rf"(?m:^|[<>:] )PASS {_Q}(?!\[)(?=\S{{0,60}}\d)(?!\S{{0,200}}[/.]\w)"),
    ("LOGIN~", rf"(?m:^|[<>:] )(?:\w{{1,8}} )?LOGIN \S{{3,80}} {_Q}"),
    ("WIFI:", r"WIFI:[^\n]{0,100}?P:"),
    ("snmp-server~community", r"snmp-server community "),
    ("setcookie ERLANG_COOKIE", r"(?: -setcookie |ERLANG_COOKIE(?:=|: ))"),
    ("BUNDLE_", rf"BUNDLE_\w{{1,80}}__[A-Z]{{2,20}}(?:: |=){_Q}(?!http)(?=\S{{0,60}}\d)"),
    ("CLIENT_RANDOM _TRAFFIC_SECRET", r"(?:CLIENT_RANDOM|\w{1,30}_TRAFFIC_SECRET_\d) [0-9a-fA-F]{64} "),
    ("private~exponent", r"private exponent: {1,4}"),
    ("/login /verify /magic", r"://[^\s'\"<>]{1,200}/(?:login|verify|magic)[^\s'\"<>?]{0,60}\?\w{1,10}=(?=[\w-]{24})"),
    ("/p:", rf"(?:freerdp|rdesktop)\b{_ON} /p:{_Q}(?![A-Za-z]\w{{0,60}}=)"),
    ("/pass:", rf"cmdkey\b{_ON} /pass:{_Q}"),
    ("signtool", rf"signtool(?:\.exe)?\b{_ON} /p {_Q}"),
    ("sqlplus~", rf"sqlplus\b{_ON} {_Q}\w{{1,60}}/"),
    ("add_user change_password", rf"rabbitmqctl\b{_ON}(?:add_user|change_password) \S{{1,60}} {_Q}"),
    ("mc~alias mc~config", rf"mc (?:alias set|config host add) \S{{1,60}} \S{{1,200}} \S{{1,100}} {_Q}"),
    ("nuget~push", rf"nuget push \S{{1,200}} {_Q}"),
    ("snyk~auth", rf"snyk auth {_Q}"),
    ("-command", rf"--pass(?:word|phrase)?-command[= ]{_Q}(?:echo|printf) {_Q}"),
    ("wpa-psk", r"wpa-psk {1,4}"),
    ("sonar.login", rf"sonar\.login ?= ?{_Q}"),
    ("Auth( auth=( auth':~(", r"(?:\bauth(?:=|': )|\w{0,30}Auth)\(['\"][\w.@-]{1,60}['\"], ?['\"]"),
    ("SET~PASSWORD", rf"SET PASSWORD (?:FOR \S{{1,80}} )?= ?(?:PASSWORD\()?{_Q}"),
    ("wandb~login", rf"wandb login (?:--\w{{1,20}} )?{_Q}"),
    ("routing_key", r"routing_key\W{1,6}(?=[0-9a-f]{32}(?!\w))"),
    ("infura.io alchemy", r"(?:infura\.io/(?:ws/)?v3|alchemy(?:api\.io|\.com)/v2)/"),
    ("cargo~login", rf"cargo login {_Q}"),
    ("http-basic", rf"config\b{_ON} http-basic\.[\w.-]{{1,100}} \S{{1,80}} {_Q}"),
    (
        "bundle~config bundler~config",
        rf"bundler? config (?:set )?(?:--\w{{1,10}} )?[\w.-]{{1,100}} {_Q}[\w.@-]{{1,80}}:",
    ),
    (
        "Credential( Credentials( Authentication( asicAuth(",
        r"\b(?:\w{0,30}Credentials?|PasswordAuthentication|[bB]asicAuth)\(['\"][\w.@-]{1,60}['\"], ?['\"]",
    ),
    ("ConvertTo-SecureString", rf"ConvertTo-SecureString (?:-String )?{_Q}"),
    (".password", r"(?m:^)\s{0,8}[\w.-]{1,80}\.password {1,4}(?=\S{0,60}\d)"),
    (
        "getConnection( _connect(",
        r"\b(?:getConnection|mysqli?_connect|pg_connect)\([^\n()]{1,300}, ?\"[\w.-]{1,60}\", ?\"",
    ),
    ("configure", rf"aws configure set \S{{0,60}}(?:secret|token)\S{{0,60}} {_Q}"),
    ("login user", r"\b(?:login|user) \S{1,80}\s{1,4}password "),
    ("ENV setenv setx", rf"\b(?:ENV|setenv|setx) {_NAME} {_Q}"),
    ("_authToken _auth _password", rf":(?:_authToken|_auth|_password)(?: |=(?=['\"]?[\w/+.=-]{{8}})){_Q}"),
    ("bindpw bind_pw requirepass masterauth", r"(?:(?m:^)\s{0,8}|--)(?:bindpw|bind_pw|requirepass|masterauth) {1,8}"),
)
_WORD = r"(?P<word>(?!\*{3})[^\s'\"$<>|;&%{}()=-][^\s'\"<>|;&]{3,500})"
# A short option, with which some programs take a secret and others a port or a path: the value decides.
_SHORT = re.compile(
    r"(?P<head>-(?<=[\s\"']-)(?:pw|[pPkKNwWast]|[a-z]{3})(?:\"?,? {0,3})?['\"]?)"
    r"(?P<word>(?!-)[^\s'\"`,;<>|$(){}\[\]\\/]{8,200}+)(?!/)"
)
# What reads a secret from its standard input, or from a file that a shell makes of a command.
_READS = (
    r"--pass\w{0,10}-(?:stdin|fd[= ]0)|passwd --stdin|--with-token|sudo -S|--key-file[= ]-|-passin stdin|pass-stdin"
)
_PRINTS = rf"\b(?:echo|printf)(?: -n| '%s')? {_Q}"
_PIPED = re.compile(rf"(?P<head>{_PRINTS}){_WORD}(?={_Q} {{0,3}}\| {{0,3}}[^\n|]{{0,300}}(?:{_READS}))")
_MADE_FILE = re.compile(rf"(?P<head>-(?:pass|token|secret|key)[\w-]{{0,20}}[= ]<\({_PRINTS}){_WORD}")
_PIPE = re.compile(_READS)
# What a CI system is told to mask from now on.
_TOLD = re.compile(
    r"(?P<head>::add-mask::|##vso\[task\.setvariable [^\]\n]{1,200};issecret=true;?\])(?P<word>[^\s*][^\n]{3,2000})"
)


_ROWS = (*_OPTIONS, *_OTHERS)


def mask_commands(text: str) -> str:
    """`text` without the secrets that command lines in it hand to programs. Variables and placeholders stay."""
    for index in sorted({_OF_WORD[word] for word in _words().Match(encodable(text)) or ()}):
        text = _row(index).sub(_value, text)
        if MASK in text:  # an option may be given twice, with another secret each time
            text = _row(index).sub(_value, text)
    if "-" in text:
        text = _SHORT.sub(_made, text)
    if "::add-mask::" in text or "issecret=true" in text:
        text = _TOLD.sub(_value, text)
    if "echo" not in text and "printf" not in text:
        return text
    text = _MADE_FILE.sub(_value, text) if "<(" in text else text
    return _PIPED.sub(_value, text) if _PIPE.search(text) else text


@cache
def _row(index: int) -> re.Pattern[str]:
    """Compiled where its words stand in a text for the first time: most never do, and all of them take a tenth of a
    second."""
    return re.compile(rf"(?P<head>{_ROWS[index][1]}){_WORD}")


_OF_WORD = [index for index, (words, _) in enumerate(_ROWS) for _ in words.split()]  # the row of each word


@cache
def _words() -> "re2.Set":
    """All words of all rows: which of them stand in a text is found in one pass."""
    found = re2.Set.SearchSet()
    for words, _ in _ROWS:
        for word in words.split():
            found.Add(re2.escape(word.replace("~", " ")))
    found.Compile()
    return found


def _made(match: re.Match[str]) -> str:
    word = match["word"]
    made = (is_hex(word) and match["head"][1] in "pkK") or (is_generated(word) and not is_setting(word))
    return match["head"] + MASK if made else match[0]


def _value(match: re.Match[str]) -> str:
    return match[0] if is_placeholder(match["word"]) else match["head"] + MASK
