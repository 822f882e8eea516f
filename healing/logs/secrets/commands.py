"""Masks secrets on command lines: `mysql -p…`, `docker login … -p …`, `--from-literal=key=…`.

A row is (words, one of which must be in the text, with `~` for a space; the pattern of what comes before the secret).
`-p` may be a port, a path or a password, so the pattern includes the program. A pattern that begins with letters is
found much faster than one that begins with a word boundary, and a longer word in front of it does no harm.
"""

import re
from functools import cache

from healing.logs.secrets.calls import CALLS
from healing.logs.secrets.mask import MASK, masked_value
from healing.logs.secrets.row_words import RowWords
from healing.logs.secrets.values import is_generated, is_hex, is_setting

_ON = r"[^\n|;&]{0,300}?"  # the rest of the same command
_NAME = r"(?!\w{0,20}[GP][PG][GP]_KEY)\w{0,60}(?:PASSWORD|PASSWD|PASS|SECRET|TOKEN|_KEY)"
_Q = r"\\?['\"]?"
_BREAK = r"(?:\r?\n|(?:\\r)?\\n)"  # the end of a line, also as an escape
# What follows has a digit, or a sign that no word of prose, no name and no path has inside.
_LOOKS_CHOSEN = r"(?=[^\s'\"]{0,60}(?:\d|[A-Za-z][!#%*+^~@&][A-Za-z]|[a-z]\.[A-Z][a-z]))(?=\S{0,60}[A-Za-z])"
# The secret is the value of an option.
_OPTIONS: tuple[tuple[str, str], ...] = (
    ("mysql mariadb", rf"\b(?:mysql\w*|mariadb\w*)\b{_ON} -p{_Q}"),
    ("sshpass", rf"sshpass\b{_ON} -p ?{_Q}"),
    ("login", rf"login\b{_ON} -p[ =]?{_Q}"),
    ("twine", rf"twine\b{_ON} -p[ =]{_Q}"),
    # Any program with a user and, right after it, a password, which has no form of a port or path.
    (
        "-u~ -U~ -user~ -username~",
        rf" -(?:[uU]|user|username) {_Q}[\w.@\\-]{{1,60}}{_Q} -(?:[pPw]|pw|pass|password) {_Q}{_LOOKS_CHOSEN}"
        rf"(?=[^\s/:]{{0,60}}[A-Za-z])",
    ),
    ("-auth", rf" --?auth(?:-?basic)?[= ]{_Q}[\w.@-]{{1,80}}:{_LOOKS_CHOSEN}"),
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
    ("--from-literal", rf" --from-literal[= ]{_Q}[\w.-]{{1,80}}={_Q}"),
    ("curl", rf"curl\b{_ON} (?:-u|--user|-U|--proxy-user)[= ]?{_Q}[\w.@\\-]{{1,80}}:"),
    (
        "curl~",
        rf"curl\b{_ON} (?:-u|--user)[= ]?{_Q}(?=[\w.-]{{20,200}}:(?:[\s'\"]|$)|[0-9a-f]{{32,64}}:)(?=[\w.-]{{0,40}}\d)",
    ),
    ("curl~", rf"curl\b{_ON} (?:-E|--cert|--proxy-cert)[= ]?{_Q}[\w./-]{{1,120}}\.\w{{2,4}}:"),
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
    ("--user", rf" --user[= ]{_Q}[\w.@\\-]{{1,80}}:{_LOOKS_CHOSEN}"),
    ("ssh-keygen", rf"ssh-keygen\b{_ON} -[NP] {_Q}"),
    (
        "useradd conan~user certutil knife~ nuget~add",
        rf"(?:useradd|conan user|certutil|knife|nuget add source)\b{_ON} -[pP] {_Q}",
    ),
    (
        "keyvault~secret put-parameter",
        rf"(?:keyvault secret set|put-parameter(?=[^\n]{{1,300}}SecureString))\b{_ON} --value[= ]{_Q}",
    ),
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
    ("/pass: /password: /rp~ /RP~", rf" /(?:pass(?:word)?:|rp |RP ){_Q}(?![A-Za-z]\w{{0,60}}=)"),
    ("~/p ~/P", rf" /(?:[uU]|[uU]ser)[: ]\S{{1,80}} /[pP][: ]{_Q}(?![A-Za-z]\w{{0,60}}=){_LOOKS_CHOSEN}"),
    ("signtool", rf"signtool(?:\.exe)?\b{_ON} /p {_Q}"),
    (
        "sqlplus~ expdp~ impdp~ sqlldr~ rman~ jdbc:oracle",
        rf"(?:(?:sqlplus|(?:exp|imp)dp|sqlldr|rman)\b{_ON} {_Q}|jdbc:oracle:\w{{1,8}}:)\w{{1,60}}/"
        rf"(?=\S{{1,60}}@|\S{{0,60}}\d)",
    ),
    ("db2~connect", rf"db2 connect\b{_ON} using {_Q}"),
    ("{PLAIN} {CLEARTEXT}", r"\{(?:PLAIN|CLEARTEXT)\}"),
    (":pserver:", r":pserver:[\w.@-]{1,60}:"),
    ("login=", rf"\blogin=[\w.-]{{1,60}}:{_LOOKS_CHOSEN}"),
    # What a script sends after the question for a password, and what a robot types.
    ("xpect~", r"xpect(?: -\w{1,4})? [^\n]{0,40}assw[^\n;]{0,40}[\n;][^\n]{0,20}send(?:line)?(?: --)? ?\(?['\"]"),
    (
        "nput~Text nput~Password ill~Text ype~Text",
        r"(?:Input|Fill|Type) (?:Text|Password)[ \t]{2,20}\S{0,60}(?i:pass|pwd)\S{0,40}[ \t]{2,20}",
    ),
    # Commands that keep a setting, whose name says what it is or which keep nothing but secrets.
    ("user-secrets~set", rf"user-secrets set {_Q}[\w:.-]{{1,80}}{_Q} {_Q}"),
    (
        "config~set",
        rf"config set (?=[^\n]{{0,100}}--secret)(?:--\w{{1,20}} ){{0,3}}[\w:.-]{{1,80}} (?:--\w{{1,20}} )?{_Q}",
    ),
    (
        "kv~put etcdctl",
        rf"(?:kv|etcdctl\b{_ON}) put (?:-\S{{1,40}} ){{0,3}}\S{{0,80}}(?:passw\w{{0,6}}|pwd|secret|token) {_Q}"
        r"(?!\w{1,60}=|@)",
    ),
    ("set-initial-password", rf"set-initial-password (?:--\S{{1,40}} )?{_Q}"),
    ("mysqladmin", rf"mysqladmin\b{_ON} password {_Q}"),
    ("+login~", rf"\+login \S{{1,60}} {_Q}(?!\+)"),
    ("word~password again~password", r"[\w/.-]{1,80}passw[\w/-]{0,40} {1,4}password {1,4}(?!select|seen|string)"),
    ("ith~password", rf"[wW]ith password:? (?:['\"`](?=[^\s'\"`]{{4,60}}['\"`])|{_LOOKS_CHOSEN})"),
    ("add_user change_password", rf"rabbitmqctl\b{_ON}(?:add_user|change_password) \S{{1,60}} {_Q}"),
    ("mc~alias mc~config", rf"mc (?:alias set|config host add) \S{{1,60}} \S{{1,200}} \S{{1,100}} {_Q}"),
    ("nuget~push", rf"nuget push \S{{1,200}} {_Q}"),
    # A program tells which key it keeps for which host.
    ("key~for~", r"\b[kK]ey for (?:https?://)?[\w-]{1,60}\.[\w./-]{1,100}[^\n:]{0,60}: (?=[0-9a-f]{32,64}(?!\w))"),
    # The name of a pair before the pair, and a value before the name of its field.
    (
        "/pass /pw",
        r"(?:[uU]ser(?:name)?|[lL]ogin|[iI]d) ?/ ?(?:pass(?:word|wd)?|pwd?)\b[^\n:=]{0,20}[:=] {0,3}['\"`]?"
        rf"[\w.@-]{{1,60}} ?[:/|,] ?{_LOOKS_CHOSEN}",
    ),
    (
        "for~field for~column for~param for~property for~key for~option for~setting for~input of~field of~column "
        "of~param of~property of~key of~option of~setting of~input",
        rf"(?P<head>['\"\[`]){_LOOKS_CHOSEN}(?P<word>[^\s'\"\[\]`<>${{}}]{{6,200}})"
        r"(?=['\"\]`] (?:for|of) (?:(?:key|field|column|param(?:eter)?|property|option|setting|input) )"
        r"['\"`]?[\w.]{0,40}?(?i:passw|passphrase|pwd|secret|token))",
    ),
    ("snyk~auth", rf"snyk auth {_Q}"),
    # The table in which Nomad shows a token, what Erlang's nodes know each other by, and the two sides of a comparison.
    ("ecret~ID~", r"[sS]ecret ID {1,20}= (?=[0-9a-f]{8}-)"),
    ("rlang~cookie", r"[eE]rlang cookie\b[^\n]{0,60}[:=] ?['\"]?(?=[A-Z]{20}\b)"),
    (
        "got:~ xpected:~ eceived:~ ctual:~",
        r"(?:secret|token|passw|api_?[kK]ey)(?![^\n]{0,80}(?i:digest|hash|sha|sum|id\b|uuid))[^\n]{0,80}\n"
        r"(?:[^\n]{0,100}\n){0,3}?\s{0,20}(?:got|[eE]xpected|[rR]eceived|[aA]ctual): {1,4}['\"]"
        r"(?=[^\s'\"]{0,60}\d)(?=[\w+/=-]{16,200}['\"])",
    ),
    # Both halves of a login in one text, also the one that mail servers and Redis ask for.
    ("npmAuthIdent", rf"npmAuthIdent\W{{1,6}}[\w.@-]{{1,60}}:{_LOOKS_CHOSEN}"),
    ("Basic~", rf"\bBasic [\w.@-]{{1,60}}:{_LOOKS_CHOSEN}"),
    ("334~UGFzc3dvcmQ6", r"334 UGFzc3dvcmQ6\s{1,4}(?:\S{1,20} )?"),
    ("$4", rf"\$4{_BREAK}AUTH{_BREAK}(?:\$\d{{1,3}}{_BREAK}\w{{1,30}}{_BREAK})??\$\d{{1,3}}{_BREAK}(?![$])"),
    # A key as the program reads it from hexadecimal digits, or in a file's name for a private one.
    (
        "fromhex( unhexlify( 'hex') DecodeString( hex::decode( FromHexString(",
        r"(?i:(?<!pub_)(?<!public_)key|secret|seed)\w{0,10}\s{0,10}[:=]{1,2}\s{0,10}(?:bytes\.fromhex|(?:binascii\.)?unhexlify"
        r"|Buffer\.from|hex\.DecodeString|hex::decode|(?:\[?Convert\]?(?:::|\.))FromHexString)\(\s{0,10}b?['\"](?=[0-9a-fA-F]{32})",
    ),
    (
        "tls.key server.key client.key private.key ca.key",
        r"\b(?:tls|server|client|private|ca)\.key[\"']?[:=] ?[\"']?(?=[\w+/]{60})",
    ),
    ("treamKey tream_key tream~key", r"[sS]tream[ _]?[kK]ey\W{1,5}(?=(?:[a-z0-9]{4}-){3})"),
    ("ser_code", r"user_code[\"']?[ :=]{1,3}[\"']?(?=[A-Z0-9]{4}-[A-Z0-9]{4}(?!\w))"),
    (
        "totp~ otp~ TOTP OTP_ mfa~ 2fa~ MFA~",
        r"(?i:totp|otp|mfa|2fa)[ _-](?i:seed|secret|key)[\"']?[ :=]{1,4}[\"']?(?=[A-Z2-7]{16})",
    ),
    ("puk PUK", r"\b(?:puk|PUK)\d?[:=] ?(?=\d{8}\b)"),
    # A user and a password in an address.
    (
        "&p= &pw= &pass= &pwd=",
        rf"[?&](?:u|usr|user|username|login|uid)=[^&\s'\"]{{1,80}}&(?:p|pw|pass|pwd)={_LOOKS_CHOSEN}",
    ),
    # A command that puts a token to use, by its own name.
    (
        "-token~ -secret~",
        rf"\b(?:set|add|use|import|register)(?:-\w{{1,20}})?-(?:token|secret) (?:[\w.@-]{{1,40}} )?{_Q}"
        r"(?=[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{32})",
    ),
    ("bearer.authorization.", r"bearer\.authorization\.k8s\.io\."),
    (
        "nstrumentationKey NSTRUMENTATIONKEY NSTRUMENTATION_KEY",
        r"(?i:instrumentation_?key)[\"']? ?[:=] ?[\"']?(?=[0-9a-f]{8}-)",
    ),
    (
        '-oauth": -token": "bearer":',
        r"\"(?:(?:github|gitlab|bitbucket|forgejo)-(?:oauth|token)|bearer)\": ?\{\s{0,40}\"[\w.-]{1,100}\": ?\"",
    ),
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
    (".password", r"(?m:^)\s{0,8}[\w.-]{1,80}\.password {1,4}" + _LOOKS_CHOSEN),
    ("configure", rf"aws configure set \S{{0,60}}(?:secret|token)\S{{0,60}} {_Q}"),
    # A telephone exchange's login at its provider, and a user of Redis with a password or its hash.
    (
        "register~",
        r"(?P<head>(?m:^)[ \t]{0,8}register ?=>? ?[\w.+/-]{1,60}(?:@[\w.-]{1,60})?:)(?P<word>[^\s:@]{4,60})(?=[:@])",
    ),
    (
        "on~> on~# SETUSER~ setuser~ +@all",
        r"(?:user(?<=\buser)(?=[^\n]{1,200} (?:[~+&%][\w*@:~]|all(?:keys|commands)))|SETUSER|setuser) [\w.@-]{1,60} "
        r"(?:[\w~&*+@:#>-][^\s>]{0,60} ){0,8}?(?:>|#(?=[0-9a-f]{64}\b))(?<= .)(?![./ ])",
    ),
    ("PRAGMA~", rf"PRAGMA (?:re|hex)?key ?= ?(?:\"?x)?{_Q}"),
    # The configuration of a router or a switch.
    (
        "enable~ username~ neighbor~ tacacs radius isakmp",
        r"\b(?:enable|username \S{1,40}|neighbor \S{1,60}|(?:tacacs|radius)[\w-]{0,20}(?: \S{1,40}){0,4}"
        rf"|crypto isakmp) (?:password|secret|key) (?:\d )?{_LOOKS_CHOSEN}",
    ),
    ("PSK~", r"\bPSK ['\"]"),
    (
        # What a person writes: `root password of the new box: …`, `wifi pw in the lab is …`.
        "assword~for assword~of assword~on assword~in assword~at assword~to assword~is asscode~for asscode~is "
        "assphrase~for assphrase~is pw~for pw~of pw~on pw~in pw~is pwd~for pwd~of pwd~is PW~for PW~is",
        r"(?:[pP]asswo?r?d|[pP]ass(?:code|phrase)|\b[pP]wd?|\bPW) "
        r"(?:(?:(?:is|was|has been) (?:generated|created|set|reset|changed) )?(?:for|of|on|at|in|to) "
        r"(?:[\w.,'\"()/@-]{1,60} ){0,7}?[\w.,'\"()/@-]{1,60}(?: is(?: now)?:?|:)|is(?: now)?:?)"
        rf" {_Q}{_LOOKS_CHOSEN}",
    ),
    (
        "OTP ne-time~ erification~code ecurity~code",
        r"\b(?:OTP|[oO]ne-time (?:password|passcode|code)|[vV]erification code|[sS]ecurity code)(?: is|:"
        r"|=){0,2} ?(?=\d{4,8}\b)",
    ),
    (
        "/invite /reset /activate /confirm /verify /magic /key/ /token/ /secret/",
        r"://[^\s'\"<>]{1,200}/(?:(?:invite|reset|activate|confirm|verify|magic)[\w-]{0,20}|key|token|secret)/(?=[\w-]{0,40}\d)(?=[\w-]{20})",
    ),
    ("login user", r"\b(?:login|user) \S{1,80}\s{1,4}password "),
    ("omniauth~: provider~:", r"(?:omniauth|provider) :\w{1,40}, ?['\"][\w.-]{6,200}['\"], ?['\"]"),
    ("appid=", r"[?&]appid=(?=[0-9a-f]{32}(?![0-9a-f]))"),
    ("mount~ cifs", rf"(?:mount|cifs)\b{_ON}\b(?:password|pass)="),
    # Text that a browser driver types.
    ("/value", r"/value\W{1,6}\{\"(?:text|value)\": ?\[?\"(?=[^\"]{0,60}\d)(?![^\"]{0,60}@)"),
    ("ENV setenv setx", rf"\b(?:ENV|setenv|setx) {_NAME} {_Q}"),
    ("_authToken _auth _password", rf":(?:_authToken|_auth|_password)(?: |=(?=['\"]?[\w/+.=-]{{8}})){_Q}"),
    (
        "bindpw bind_pw rootpw requirepass masterauth auth_pass",
        r"(?:(?m:^)\s{0,8}|--)(?:bindpw|bind_pw|rootpw|rootbindpw|requirepass|masterauth|auth_pass)[ \t]{1,20}"
        r"(?:--plaintext )?['\"]?(?!--)",
    ),
)
_WORD = r"(?P<word>(?!\*{3})[^\s'\"$<>|;&%{}()=-](?:[^\s'\"<>|;&]|&(?=[\w!#$%])){3,8000}+)"
# A short option that is a secret for some programs and a port or path for others. The value decides.
_SHORT = re.compile(
    r"(?P<head>-(?<=[\s\"']-)(?:pw|[pPkKNwWast]|[a-z]{3})(?:\"?,? {0,3})?['\"]?)"
    r"(?P<word>(?!-)[^\s'\"`,;<>|$(){}\[\]\\/]{8,200}+)(?!/)"
)
# Commands that read a secret from standard input: by their own name, or by an option. The words are those of which one
# must be in the text.
_READING = (
    "<<< stdin --with-token --pass passwd sudo --key-file kinit cryptsetup load-key keyctl wpa_passphrase vault~login "
    "pass~insert secret-tool secret~put secret~set secret~create secrets~put secrets~set secrets~create secrets~import "
    "versions~add"
)
_PRINTERS = ("echo", "printf", "yes ", "Write-Output")
_PROGRAMS = (
    r"(?:kinit|(?:vnc|smb|ldap)?passwd|cryptsetup|zfs load-key|keyctl padd|wpa_passphrase|vault login -|pass insert"
    r"|secret-tool store|htpasswd -\w{0,3}i|(?:docker|podman) secret create)(?![\w.])"
)
_READERS = rf"(?:sudo (?:-\w{{1,20}} ){{0,3}})?(?:[\w./]{{0,40}}/)?{_PROGRAMS}"
_READING_OPTIONS = (
    r"--pass\w{0,10}(?:-on)?-(?:stdin|fd[= ]0)|-pass(?:in|out)? stdin|pass-stdin|auth login --stdin|--with-token"
    r"|sudo (?:-\w{1,4} )?-\w{0,3}S\b|--key-file[= ]-|\bsecrets? (?:put|set|create|versions add|import)\b"
)
_INTO_READER = rf"{{0,3}}(?:{_READERS}|[^\n|]{{0,300}}(?:{_READING_OPTIONS}))"
# What is printed: `echo -n "…"`, `printf '%s\n' …`, also twice as for a new password.
_STRING = r"(?:\\?\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'|[^\s'\"|;&(){}<>]{1,200})"
_PRINT = rf"(?:echo|printf|yes|Write-Output)(?: {{1,3}}{_STRING}){{1,5}}"
_PIPED = re.compile(rf"\b{_PRINT}(?: ?; ?{_PRINT}){{0,2}}(?= ?;? ?[)}}]? {{0,3}}\| {_INTO_READER})")
# PowerShell prints a string that stands alone.
_STRING_PIPED = re.compile(
    rf"(?P<quote>['\"])(?<![\w=,:]['\"])[^'\"\n]{{4,200}}(?P=quote)(?= {{1,3}}\| {_INTO_READER})"
)
_PRINTED = re.compile(
    r"(?P<head>(?<![\w.-])(?P<quote>['\"])?)(?P<word>(?(quote)(?:(?!(?P=quote))[^\n\\]){4,200}"
    r"|(?!echo|printf)[^\s'\"\\|;&(){}<>%-][^\s'\"\\|;&(){}<>]{3,200}))"
)
_EXPANDED = re.compile(r"\$[\w({]|`")
_PRINTS = rf"\b(?:echo|printf|yes)(?: -n| '%s')? {_Q}"
_MADE_FILE = re.compile(rf"(?P<head>-(?:pass|token|secret|key)[\w-]{{0,20}}[= ]<\({_PRINTS}){_WORD}")
# The trace of a shell shows both ends of the pipe on lines of their own.
_TRACED = re.compile(
    rf"(?P<head>\+ (?:echo|printf)(?: -\w{{1,3}}| '?%s(?:\\n)?'?)? {_Q}){_LOOKS_CHOSEN}{_WORD}"
    rf"(?={_Q}\r?\n[^\n+]{{0,40}}\+{{1,3}} (?:{_READERS}|[^\n|]{{0,300}}(?:{_READING_OPTIONS})))"
)
# A here-string and a here-document.
_HERE = re.compile(
    rf"(?P<head>(?:\blogin\b|\b{_PROGRAMS}|{_READING_OPTIONS})[^\n|<]{{0,200}}"
    rf"<<(?:< ?{_Q}|-? ?['\"]?[A-Z]{{2,12}}['\"]?[^\n]{{0,60}}\n[ \t]{{0,20}})){_WORD}"
)
# A value that CI is asked to mask from now on.
_MASK_REQUEST = re.compile(
    r"(?P<head>::add-mask::|##vso\[task\.setvariable [^\]\n]{1,200};issecret=true;?\])(?P<word>[^\s*][^\n]{3,2000})"
)

# The replacement in a substitution by sed or perl.
_REPLACED = re.compile(
    r"(?P<head>\bs(?P<sign>[/|#@,])(?P<name>[^\n/|#@,]{1,80})(?P=sign))(?P<word>[^\s/|#@,'\"\\$]{16,200})(?=(?P=sign))"
)
_DIGEST_LENGTHS = (32, 40, 64, 96, 128)  # hexadecimal digits

_ROWS = (*_OPTIONS, *_OTHERS, *CALLS)


def mask_commands(text: str) -> str:
    """`text` without the secrets that its command lines pass to programs. Variables and placeholders stay."""
    rows = _ROW_WORDS.rows_for(text)
    reads = bool(rows) and rows[-1] == len(_ROWS)
    for index in rows[:-1] if reads else rows:
        text = _row(index).sub(masked_value, text)
        if MASK in text:  # an option may be repeated with another secret
            text = _row(index).sub(masked_value, text)
    if "-" in text:
        text = _SHORT.sub(_mask_short_option, text)
    if any(editor in text for editor in ("sed -", "sed '", 'sed "', "perl -")):
        text = _REPLACED.sub(_mask_replacement, text)
    if "::add-mask::" in text or "issecret=true" in text:
        text = _MASK_REQUEST.sub(masked_value, text)
    if "<(" in text:
        text = _MADE_FILE.sub(masked_value, text)
    return _mask_input(text) if reads else text


def _mask_input(text: str) -> str:
    """`text` without what is handed to the standard input of commands that read a secret from there."""
    if "|" in text and any(printer in text for printer in _PRINTERS):
        text = _PIPED.sub(_mask_strings, text)
    if "+ echo" in text or "+ printf" in text:
        text = _TRACED.sub(masked_value, text)
    if '" |' in text or "' |" in text:
        text = _STRING_PIPED.sub(_mask_strings, text)
    return _HERE.sub(masked_value, text) if "<<" in text else text


def _mask_strings(printed: re.Match[str]) -> str:
    return _PRINTED.sub(_mask_printed, printed[0])


def _mask_printed(match: re.Match[str]) -> str:
    """Masks a printed text, unless the shell puts a variable or a command's output into it."""
    return match[0] if match["quote"] != "'" and _EXPANDED.search(match["word"]) else masked_value(match)


@cache
def _row(index: int) -> re.Pattern[str]:
    """The pattern of a row, compiled on first use: most are never used, and compiling all takes a tenth of a second."""
    pattern = _ROWS[index][1]
    return re.compile(pattern if "(?P<word>" in pattern else rf"(?P<head>{pattern}){_WORD}")


_ALL_WORDS = (*(words for words, _ in _ROWS), _READING)
_ROW_WORDS = RowWords([word.replace("~", " ") for word in words.split()] for words in _ALL_WORDS)


def _mask_short_option(match: re.Match[str]) -> str:
    word = match["word"]
    is_secret = (is_hex(word) and match["head"][1] in "pkK") or (is_generated(word) and not is_setting(word))
    return match["head"] + MASK if is_secret else match[0]


def _mask_replacement(match: re.Match[str]) -> str:
    is_key = is_hex(match["word"]) and len(match["word"]) not in _DIGEST_LENGTHS
    return match["head"] + MASK if is_key or is_generated(match["word"]) else match[0]
