"""Masks secrets on command lines: `mysql -p…`, `docker login … -p …`, `--from-literal=key=…`.

A row is (words, one of which must be in the text, with `~` for a space; the pattern of what comes before the secret).
`-p` may be a port, a path or a password, so the pattern includes the program. A pattern that begins with letters is
found much faster than one that begins with a word boundary, and a longer word in front of it does no harm.
"""

import re
from functools import cache

from healing.logs.secrets.mask import MASK, masked_value
from healing.logs.secrets.row_words import RowWords
from healing.logs.secrets.values import is_generated, is_hex, is_setting

_ON = r"[^\n|;&]{0,300}?"  # the rest of the same command
_NAME = r"(?!\w{0,20}[GP][PG][GP]_KEY)\w{0,60}(?:PASSWORD|PASSWD|PASS|SECRET|TOKEN|_KEY)"
_Q = r"\\?['\"]?"
_GAP = r"\s{0,20}"
_ARGUMENT = r"(?:\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'|\{[^{}\n]{0,200}\}|[\w.$:>\[\]-]{1,80})"
_HAS_SIGN = r"(?=[^'\"\n]{0,60}[\d!@#%^&*+?])"
# The secret is the value of an option.
_OPTIONS: tuple[tuple[str, str], ...] = (
    ("mysql mariadb", rf"\b(?:mysql\w*|mariadb\w*)\b{_ON} -p{_Q}"),
    ("sshpass", rf"sshpass\b{_ON} -p ?{_Q}"),
    ("login", rf"login\b{_ON} -p[ =]?{_Q}"),
    ("twine", rf"twine\b{_ON} -p[ =]{_Q}"),
    # Any program with a user and, right after it, a password, which has no form of a port or path.
    (
        "-u~ -U~ -user~ -username~",
        rf" -(?:[uU]|user|username) {_Q}[\w.@\\-]{{1,60}}{_Q} -(?:[pPw]|pw|pass|password) {_Q}(?=\S{{0,60}}\d)"
        rf"(?=[^\s/:]{{0,60}}[A-Za-z])",
    ),
    ("-auth", rf" --?auth(?:-?basic)?[= ]{_Q}[\w.@-]{{1,80}}:(?=\S{{0,60}}\d)"),
    ("sqlcmd bcp isql tsql", rf"\b(?:sqlcmd|bcp|[it]sql)\b{_ON} -P ?{_Q}"),
    ("redis-cli valkey-cli", rf"\b(?:redis|valkey)-cli\b{_ON} -a ?{_Q}"),
    ("ldap", rf"ldap(?:search|modify|add|delete|passwd|whoami|modrdn|compare)\b{_ON} -w ?{_Q}"),
    ("htpasswd", rf"htpasswd\b{_ON} -[a-zA-Z]{{0,8}}b[a-zA-Z]{{0,8}}(?: -\w{{1,8}})* \S{{1,200}} \S{{1,80}} {_Q}"),
    (
        "htpasswd",
        rf"htpasswd\b{_ON} -(?=[a-zA-Z]{{0,8}}n)[a-zA-Z]{{0,8}}b[a-zA-Z]{{0,8}}(?: -\w{{1,8}})* \S{{1,80}} {_Q}",
    ),
    ("pass:", rf" -(?:pass(?:in|out|word)?|-ks-pass|-key-pass) {_Q}pass:"),
    ("smbclient rpcclient", rf"\b(?:smbclient|rpcclient)\b{_ON} -U ?{_Q}[\w./\\-]{{1,80}}%"),
    ("--from-literal", rf" --from-literal[= ]{_Q}[\w.-]{{1,80}}="),
    ("curl", rf"curl\b{_ON} (?:-u|--user|-U|--proxy-user)[= ]?{_Q}[\w.@\\-]{{1,80}}:"),
    (
        "curl~",
        rf"curl\b{_ON} (?:-u|--user)[= ]?{_Q}(?=[\w.-]{{20,200}}:(?:[\s'\"]|$)|[0-9a-f]{{32,64}}:)(?=[\w.-]{{0,40}}\d)",
    ),
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
    ("snmp", rf"snmp\w{{1,10}}\b{_ON} -c {_Q}(?!public|private)"),
    ("_pw~", rf"pdftk\b{_ON} (?:user|owner|input)_pw {_Q}"),
    (
        "--set",
        rf" --set(?:-string)?[= ]{_Q}(?:[\w.]{{1,80}}=[^\s,=]{{1,200}},){{0,8}}[\w.]{{0,80}}(?:[pP]assword"
        rf"|[sS]ecret|[tT]oken)=",
    ),
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
    ("/pass: /password: /rp~", rf" /(?:pass(?:word)?:|rp ){_Q}(?![A-Za-z]\w{{0,60}}=)"),
    ("signtool", rf"signtool(?:\.exe)?\b{_ON} /p {_Q}"),
    (
        "sqlplus~ expdp~ impdp~ sqlldr~ rman~ jdbc:oracle",
        rf"(?:(?:sqlplus|(?:exp|imp)dp|sqlldr|rman)\b{_ON} {_Q}|jdbc:oracle:\w{{1,8}}:)\w{{1,60}}/"
        rf"(?=\S{{1,60}}@|\S{{0,60}}\d)",
    ),
    ("db2~connect", rf"db2 connect\b{_ON} using {_Q}"),
    ("{PLAIN} {CLEARTEXT}", r"\{(?:PLAIN|CLEARTEXT)\}"),
    (":pserver:", r":pserver:[\w.@-]{1,60}:"),
    ("login=", r"\blogin=[\w.-]{1,60}:(?=\S{0,60}\d)"),
    ("add_user change_password", rf"rabbitmqctl\b{_ON}(?:add_user|change_password) \S{{1,60}} {_Q}"),
    ("mc~alias mc~config", rf"mc (?:alias set|config host add) \S{{1,60}} \S{{1,200}} \S{{1,100}} {_Q}"),
    ("nuget~push", rf"nuget push \S{{1,200}} {_Q}"),
    ("snyk~auth", rf"snyk auth {_Q}"),
    ("-command", rf"--pass(?:word|phrase)?-command[= ]{_Q}(?:echo|printf) {_Q}"),
    ("wpa-psk", r"wpa-psk {1,4}"),
    ("nmcli", rf"nmcli\b{_ON} (?:password|psk|[\w-]{{1,20}}\.psk) {_Q}"),
    (
        "oathtool",
        rf"oathtool(?: --?[\w-]{{1,20}}(?:=[\w-]{{1,20}})?){{1,6}} {_Q}(?=[A-Za-z2-7]{{0,60}}\d|[0-9a-f]{{20}})",
    ),
    ("rclone", rf"rclone\b{_ON} (?:pass|pass2|bearer_token|client_secret|secret_access_key)[= ]{_Q}"),
    ("rclone~obscure", rf"rclone obscure {_Q}"),
    ("sonar.login", rf"sonar\.login ?= ?{_Q}"),
    ("SET~PASSWORD", rf"SET PASSWORD (?:FOR \S{{1,80}} )?= ?(?:PASSWORD\()?{_Q}"),
    ("wandb~login", rf"wandb login (?:--\w{{1,20}} )?{_Q}"),
    ("routing_key", r"routing_key\W{1,6}(?=[0-9a-f]{32}(?!\w))"),
    ("/services/T", r"/services/T[A-Z0-9]{6,14}/B[A-Z0-9]{6,14}/"),
    ("dl.cloudsmith.io/", r"dl\.cloudsmith\.io/(?=[A-Za-z0-9]{16}/)"),
    ("nvironment~variable env~variable", rf"[sS]etting (?:environment |env )?variable {_NAME} to {_Q}"),
    ("NickServ~:", r"NickServ :(?:IDENTIFY|identify) (?:\S{1,40} (?=\S))?"),
    # What a terminal shows of a dialogue, where somebody typed a password visibly.
    (
        "assword:~",
        r"(?m:^)\s{0,8}(?:[nN]ew|[rR]etype(?: new)?|[rR]epeat(?: new)?|[cC]onfirm(?: new)?|[cC]urrent) [pP]assword: "
        r"(?=\S{4,60}[ \t]{0,20}\r?(?:\n|\Z))",
    ),
    ("infura.io alchemy", r"(?:infura\.io/(?:ws/)?v3|alchemy(?:api\.io|\.com)/v2)/"),
    ("cargo~login", rf"cargo login {_Q}"),
    ("http-basic", rf"config\b{_ON} http-basic\.[\w.-]{{1,100}} \S{{1,80}} {_Q}"),
    (
        "bundle~config bundler~config",
        rf"bundler? config (?:set )?(?:--\w{{1,10}} )?[\w.-]{{1,100}} {_Q}(?=[\w.@-]{{1,80}}:[^\s/])",
    ),
    ("ConvertTo-SecureString", rf"ConvertTo-SecureString (?:-String )?{_Q}"),
    (".password", r"(?m:^)\s{0,8}[\w.-]{1,80}\.password {1,4}(?=\S{0,60}\d)"),
    ("configure", rf"aws configure set \S{{0,60}}(?:secret|token)\S{{0,60}} {_Q}"),
    # The configuration of a router or a switch.
    (
        "enable~ username~ neighbor~ tacacs radius isakmp",
        r"\b(?:enable|username \S{1,40}|neighbor \S{1,60}|(?:tacacs|radius)[\w-]{0,20}(?: \S{1,40}){0,4}"
        r"|crypto isakmp) (?:password|secret|key) (?:\d )?(?=\S{0,60}\d)",
    ),
    ("PSK~", r"\bPSK ['\"]"),
    (
        "assword~for assword~of assword~is",
        rf"[pP]assword (?:(?:for|of) (?:user |the )?\S{{1,60}}(?: is|:)|is(?: now)?:?) {_Q}(?=\S{{0,60}}\d)"
        rf"(?=\S{{0,60}}[A-Za-z])",
    ),
    (
        "OTP ne-time~ erification~code ecurity~code",
        r"\b(?:OTP|[oO]ne-time (?:password|passcode|code)|[vV]erification code|[sS]ecurity code)(?: is|:"
        r"|=){1,2} ?(?=\d{4,8}\b)",
    ),
    (
        "/invite /reset /activate /confirm /verify /magic /key/ /token/ /secret/",
        r"://[^\s'\"<>]{1,200}/(?:(?:invite|reset|activate|confirm|verify|magic)[\w-]{0,20}|key|token|secret)/(?=[\w-]{0,40}\d)(?=[\w-]{20})",
    ),
    ("login user", r"\b(?:login|user) \S{1,80}\s{1,4}password "),
    # A call with a user's name and a password, and one with an address before them.
    (
        "uth( uth=( uth':~( redential( redentials( uthentication(",
        rf"(?:[aA]uth|[aA]uth=|[aA]uth': |[cC]redentials?|[aA]uthentication)\({_GAP}{_ARGUMENT},{_GAP}"
        rf"(?:{_ARGUMENT},{_GAP}){{0,2}}['\"]",
    ),
    (
        "ogin( ogon( _bind( _bind_s( ser( onnect( pw_set( uthenticate(",
        rf"(?:[lL]og[io]n|pw_set|[aA]uthenticate|_bind(?:_s)?|(?:[cC]reate|[aA]dd)_?[uU]ser|oci_connect|Oracle\.connect)\({_GAP}{_ARGUMENT},{_GAP}[bur]?['\"]{_HAS_SIGN}",
    ),
    (
        "onnect( onnection( PDO( __construct( Sequelize( _bind( _open( DBI->connect(",
        rf"(?:[cC]onnect(?:ion)?|PDO|__construct|Sequelize|_bind|_open)\({_GAP}{_ARGUMENT},{_GAP}{_ARGUMENT},{_GAP}['\"]{_HAS_SIGN}",
    ),
    # A call that encrypts, signs or verifies with a key, which is its first argument or a later one.
    (
        "Fernet( Box( AESGCM( Poly1305( AES.new( mac.new( HMAC.new( KeySpec(",
        rf"(?:Fernet|Box|AESGCM|Poly1305|AES\.new|mac\.new|HMAC\.new|KeySpec)\({_GAP}b?['\"]",
    ),
    (
        "Hmac( hash_hmac( cipher( cipheriv( _encrypt( _decrypt( "
        "wt.sign( wt.verify( wt.encode( wt.decode( WT.encode( WT.decode(",
        rf"(?:Hmac|hash_hmac|[cC]ipher(?:iv)?|_encrypt|_decrypt|(?:wt|WT)\.(?:sign|verify|encode|decode))\({_GAP}{_ARGUMENT},{_GAP}(?:{_ARGUMENT},{_GAP})?b?['\"](?![RHE]S\d)",
    ),
    # A call that initializes a service's library with its key.
    (
        "earch( .init( .initialize( .start( .configure( .setup( lient( Api( API( Sdk( SDK(",
        rf"(?:[sS]earch|\.(?:init|initialize|start|configure|setup)|[cC]lient|A[pP][iI]|S[dD][kK])\({_GAP}(?:{_ARGUMENT},{_GAP})?['\"](?=[0-9a-f]{{32,64}}['\"])",
    ),
    ("omniauth~: provider~:", r"(?:omniauth|provider) :\w{1,40}, ?['\"][\w.-]{6,200}['\"], ?['\"]"),
    ("appid=", r"[?&]appid=(?=[0-9a-f]{32}(?![0-9a-f]))"),
    ("mount~ cifs", rf"(?:mount|cifs)\b{_ON}\b(?:password|pass)="),
    # Text that a program types into a password field.
    (
        "yping~ nput~ ntering~ illing~",
        r"(?:[tT]yping|[iI]nput|[eE]ntering|[fF]illing)(?: text| password| value)? ['\"](?=[^\n]{1,120}[pP]assw)",
    ),
    # Text that a browser driver types.
    ("/value", r"/value\W{1,6}\{\"(?:text|value)\": ?\[?\"(?=[^\"]{0,60}\d)(?![^\"]{0,60}@)"),
    ("ENV setenv setx", rf"\b(?:ENV|setenv|setx) {_NAME} {_Q}"),
    ("_authToken _auth _password", rf":(?:_authToken|_auth|_password)(?: |=(?=['\"]?[\w/+.=-]{{8}})){_Q}"),
    ("bindpw bind_pw requirepass masterauth", r"(?:(?m:^)\s{0,8}|--)(?:bindpw|bind_pw|requirepass|masterauth) {1,8}"),
)
_WORD = r"(?P<word>(?!\*{3})[^\s'\"$<>|;&%{}()=-](?:[^\s'\"<>|;&]|&(?=[\w!#$%])){3,8000}+)"
# A short option that is a secret for some programs and a port or path for others. The value decides.
_SHORT = re.compile(
    r"(?P<head>-(?<=[\s\"']-)(?:pw|[pPkKNwWast]|[a-z]{3})(?:\"?,? {0,3})?['\"]?)"
    r"(?P<word>(?!-)[^\s'\"`,;<>|$(){}\[\]\\/]{8,200}+)(?!/)"
)
# Commands that read a secret from standard input, or from a file that the shell makes from a command's output.
_READS = r"--pass\w{0,10}(?:-on)?-(?:stdin|fd[= ]0)|passwd --stdin|--with-token|sudo -S|--key-file[= ]-|-passin stdin"
r"|pass-stdin|kinit\b|(?:\b|vnc|smb)passwd\b|cryptsetup"
_PRINTS = rf"\b(?:echo|printf|yes)(?: -n| '%s')? {_Q}"
_PIPED = re.compile(rf"(?P<head>{_PRINTS}){_WORD}(?={_Q} {{0,3}}\| {{0,3}}[^\n|]{{0,300}}(?:{_READS}))")
_MADE_FILE = re.compile(rf"(?P<head>-(?:pass|token|secret|key)[\w-]{{0,20}}[= ]<\({_PRINTS}){_WORD}")
_PIPE = re.compile(_READS)
# A value that CI is asked to mask from now on.
_MASK_REQUEST = re.compile(
    r"(?P<head>::add-mask::|##vso\[task\.setvariable [^\]\n]{1,200};issecret=true;?\])(?P<word>[^\s*][^\n]{3,2000})"
)

# The replacement in a substitution by sed or perl.
_REPLACED = re.compile(
    r"(?P<head>\bs(?P<sign>[/|#@,])(?P<name>[^\n/|#@,]{1,80})(?P=sign))(?P<word>[^\s/|#@,'\"\\$]{16,200})(?=(?P=sign))"
)
_DIGEST_LENGTHS = (32, 40, 64, 96, 128)  # hexadecimal digits

_ROWS = (*_OPTIONS, *_OTHERS)


def mask_commands(text: str) -> str:
    """`text` without the secrets that its command lines pass to programs. Variables and placeholders stay."""
    for index in _ROW_WORDS.rows_for(text):
        text = _row(index).sub(masked_value, text)
        if MASK in text:  # an option may be repeated with another secret
            text = _row(index).sub(masked_value, text)
    if "-" in text:
        text = _SHORT.sub(_mask_short_option, text)
    if any(editor in text for editor in ("sed -", "sed '", 'sed "', "perl -")):
        text = _REPLACED.sub(_mask_replacement, text)
    if "::add-mask::" in text or "issecret=true" in text:
        text = _MASK_REQUEST.sub(masked_value, text)
    if not any(program in text for program in ("echo", "printf", "yes ")):
        return text
    text = _MADE_FILE.sub(masked_value, text) if "<(" in text else text
    return _PIPED.sub(masked_value, text) if _PIPE.search(text) else text


@cache
def _row(index: int) -> re.Pattern[str]:
    """The pattern of a row, compiled on first use: most are never used, and compiling all takes a tenth of a second."""
    return re.compile(rf"(?P<head>{_ROWS[index][1]}){_WORD}")


_ROW_WORDS = RowWords([word.replace("~", " ") for word in words.split()] for words, _ in _ROWS)


def _mask_short_option(match: re.Match[str]) -> str:
    word = match["word"]
    is_secret = (is_hex(word) and match["head"][1] in "pkK") or (is_generated(word) and not is_setting(word))
    return match["head"] + MASK if is_secret else match[0]


def _mask_replacement(match: re.Match[str]) -> str:
    is_key = is_hex(match["word"]) and len(match["word"]) not in _DIGEST_LENGTHS
    return match["head"] + MASK if is_key or is_generated(match["word"]) else match[0]
