"""Masks secrets that have a name: `password=…`, `"client_secret": "…"`, `secretKey "…"`, `pwd = env ?: "…"`."""

import re
from collections.abc import Sequence
from itertools import zip_longest

from healing.logs.secrets.human_passwords import (
    has_user_beside,
    is_app_password,
    is_given_to_a_key,
    is_in_a_configuration,
    is_no_attribute,
    is_of_a_network,
    is_passphrase,
    odd_password,
    phrase_of_a_line,
)
from healing.logs.secrets.mask import MASK, consists_of_words, is_digest, is_placeholder, masked_value
from healing.logs.secrets.nearest import describes_a_secret, nearest_value
from healing.logs.secrets.values import (
    JUDGED,
    is_machine_made,
    is_mixed,
    is_scrambled,
    is_setting,
    is_tangled,
    is_uuid,
)

_KINDS_OF_KEY = (
    "api", "access", "private", "auth", "account", "signing", "encryption", "shared", "master", "encrypt",
    "deploy", "license", "application", "fernet", "hmac", "jwt", "admin", "app", "decryption", "validation",
    "unseal", "recovery", "sdk", "server", "storage", "session",
)  # fmt: skip
_NAMES = (
    r"pass(?:[_-]?(?:word|phrase)|wd|code)", "pwd", r"ps[wk](?<![a-z0-9]...)\b", r"pw(?![a-z0-9])", "secret", "token",
    "credential", r"connection[_-]?string", r"snmp[_-]?community", r"app\.key(?=[:=])",
    r"pass(?<![a-z]pass)(?=: ?[\"'`\w])", *(rf"{kind}[_ -]?key(?!-----)" for kind in _KINDS_OF_KEY),
    "client-key-data", "clear-text(?==)",
    r"pass(?:(?<=[\w\"'.-]....)|(?= ?=))(?<!bypass)(?<!compass)(?<!surpass)(?<!askpass)(?![a-z])",
    r"dockerc(?:onfigjson|fg)", "_auth(?![a-z])", '"auth(?=\\\\?")', r"auth(?:orization)?(?![a-z])",
    "key(?![a-z]|-----)", "login(?![a-z])", "pat(?<=[_-]pat)(?![a-z])", r"assword(?<![a-z]assword)",
    r"bearer(?=[\"']?[=:])",
    "hmac(?![a-z])", "pepper(?![a-z])", "salt(?<=[_-]salt)(?![a-z])",
)  # fmt: skip


def _by_letter(patterns: Sequence[str]) -> str:
    """One pattern of all `patterns`, each of which begins with a letter: at each place only those with the letter there
    are tried."""
    letters = dict.fromkeys(pattern[0] for pattern in patterns)
    return "|".join(
        f"{letter}(?:{'|'.join(pattern[1:] for pattern in patterns if pattern[0] == letter)})" for letter in letters
    )


# Searched for in the lower-cased text, because a case-sensitive search is far faster. Each name begins with a letter
# and has its look-behind after it, so that the search can jump from one such letter to the next.
_NAME = re.compile(_by_letter(_NAMES))
# Words for password, token and key in other languages.
_FOREIGN = (
    "passwort", "kennwort", "geheim", "mot de passe", "mots de passe", "mot_de_passe", "motdepasse", "mdp",
    "jeton", "contrasenya", "clave", "senha", "palavra-passe", "parola", "wachtwoord", "heslo", "salasana",
    "adgangskode", "passord", "kata sandi", "geslo", "lozinka",
)  # fmt: skip
_NOT_ASCII = (
    "schlüssel", "contraseña", "hasło", "hasła", "şifre", "lösenord", "jelszó", "mật khẩu", "парол", "ключ",
    "токен", "секрет", "κωδικ", "密码", "密碼", "口令", "令牌", "密钥", "密鑰", "パスワード", "トークン", "秘密鍵",
    "비밀번호", "암호", "토큰", "كلمة المرور", "סיסמ", "पासवर्ड", "รหัสผ่าน",
)  # fmt: skip
_IN_FOREIGN = re.compile(rf"(?<![a-z])(?:{'|'.join((*_FOREIGN, *_NOT_ASCII))})")
_ALSO_VERBS = ("auth", "authorization", "login")
# Words of any text: they count as names only if the value looks generated.
_WEAK = (*_ALSO_VERBS, "key", "bearer", "hmac", "pepper", "salt")
# PHP prints a field's class and visibility after its name.
_REST = (  # possessive, so that nothing is tried twice
    r"(?P<name>[\w-]{0,30}+(?:\[[\w'\"-]{1,30}\]|\"?:[\w\\\":]{0,60}(?:private|protected))?)"
)
_TYPED = r":[ \t]{0,3}[A-Za-z&][\w.\[\]|&' ]{0,40}=(?=[ \t]{0,3}['\"])"  # `TOKEN: Final = "…"`
_SIGN = (
    rf"\\?['\"]?\]?(?P<sign>[ \t]{{0,20}}(?:As [A-Z]\w{{1,20}} ?=|::=|:=|=>|\|\|=|::(?= )|{_TYPED}|[:=])[ \t]{{0,20}})"
)
_BARE = r"[^\s'\"`,;<>\\(){}\[\]]"
_WORD = (
    r"(?:(?:[bBrRuU]{1,2}|(?:\[\]byte|Buffer\.from|b64decode|Secret(?:Str)?|Some|Just|Optional|String::from)\(\s{0,20})(?=['\"]))?"
    rf"(?P<quote>\\?(?:\"{{3}}|'{{3}}|['\"`]))?(?P<word>{_BARE}(?(quote)[^\s'\"`\\]{{5,129}}+"
    rf"|{_BARE}{{5,129}}+))(?P<after>[(\[{{ '\"]?)"
)
_VALUE = re.compile(_REST + _SIGN + _WORD)
# A quoted value without a sign before it, with the end of a line or another pair after it: `storePassword "…"`.
_UNSIGNED = re.compile(
    _REST + r"[ \t]{1,20}(?P<quote>['\"])(?P<word>[^\s'\"`\\]{6,130}+)(?P=quote)"
    r"(?=[ \t]{0,20}(?:[,;})\]]|\r?\n|\Z|:[a-z]|#|//))"
)
_STATEMENT = re.compile(
    r"(?:^|[{;(\s]:|[{;]|#define |\(setq |\((?:def|define) )[ \t+-]{0,60}[\w.-]{0,40}$"
)  # what may precede the name of such a value
_IN_QUOTES = re.compile(_REST + _SIGN + r"(?P<quote>['\"])(?P<words>[^\"'`\\\n]{8,130})(?P=quote)")
_TAIL = re.compile(r"[^\s'\"`,;<>|\\(){}\[\]]*+")  # the rest of a value that is longer than JUDGED
_NAMES_OF_A_VALUE = 3  # how many names before a value may be its name, as in `secret key`
_CHANGED = re.compile(rf"(?P<head>{re.escape(MASK)}[\"']? (?:->|to) [\"']?)(?P<word>[^\s\"']{{6,500}})")
_JOINED = re.compile(r"[\w?&-]\Z")
_VARIABLE = re.compile(r"\s{0,20}(?:export |set |- )?[A-Z][A-Z0-9_]{2,60}=$")
_OPTION = re.compile(r"(?:^|[\s\"'])--?[\w-]{0,40}$")
_ARGUMENT = re.compile(r"[= ] {0,3}['\"]?(?P<word>[^\s'\"$<>-][^\s'\"<>]{5,130})")
_PHRASE_ARGUMENT = re.compile(r"[= ](?P<quote>['\"])(?P<words>[^\s'\"$`\\<>][^'\"$`\\<>\n]{5,129})(?P=quote)")
_DECLARED = re.compile(r"\b(?:let|var|val|final|lateinit) [\w ]{0,20}$")  # a type follows the colon there
# A public key, and a key that only looks something up.
_HARMLESS = re.compile(r"(?:public[ _-]?key|cache|(?<![a-z])public_[a-z_]{0,30})[ _-]{0,2}$")
_LOOKUP_KEY = re.compile(
    r"(?:public|pub|publishable|site|cache|restore|partition|sort|primary|foreign|idempotency|project|fingerprint|routing|merge"
    r"|object|group|from|host|known|rsa|gpg|pgp)[ _-]{0,2}$"
)
_CODE_LIKE = re.compile(
    r"[^\W\d]+(?:(?:\.|::|->)[A-Za-z_]\w*)*[!?:]?$|[\d.,:/x%-]+$|[/~.]{0,2}/[\w./@-]*$|https?:|[:=]"
)
_TEST_TITLE = re.compile(r"^\s{0,40}[✓✔√✕✖×✗] .{1,400} \(\d{1,6}(?:\.\d{1,4})? ?m?s\)\s*$")
_POINTER = re.compile(r"0x[0-9a-f]{1,16}$")  # a debugger prints it before the value
_FILE = re.compile(r"(?:[\w.-]{1,60}:)?[~.]{0,2}/[\w.@+-]{1,60}/(?:[\w.@+-]{1,100}/){0,20}[\w.@+-]{0,100}(?::r[ow])?$")
_VERB = re.compile(r"(?:update|reset|forgot|change|confirm|require|allow|enable|show|hide|check)[_-]?\Z")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_NAME_LIKE = re.compile(r"\??[A-Za-z_]{1,40}$|[A-Za-z][\w.-]{0,40}://|[a-z]+(?:[-_.:/][a-z]+)+$")
_NOT_A_LETTER = re.compile(r"[^a-z]")
_NAME_AND_VALUE = re.compile(r"[a-z_]{3,30}=[^=]|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$")  # `prompt=1532`, `NPM_TOKEN_2`
# A value after `pass` where that means a password, unlike in `pass: 12 tests`.
_BY_ITSELF = re.compile(r" ?=|: ?[\"'`](?=[^\"'`\n]{0,60}\d)(?=[^\"'`\n]{0,60}[a-z])|[^:]")
_BRACKETS = re.compile(r"[(){}\[\]<>,;]")
# Kinds of secrets that people choose, so that a value of words is the secret and not the name of one.
_CHOSEN_SECRET = re.compile(r"(?:jwt|session|cookie|hmac|consumer|shared|webhook|signing)[._-]?\Z", re.IGNORECASE)
_CHOSEN = ("pass", "pwd", "pw", "ps", "secret")  # prefixes of names of secrets that people choose, perhaps as words


def mask_names(text: str) -> str:
    """`text` without the values of names of secrets. Code that only uses such a value stays readable."""
    lowered = text.replace("\u0130", "i").lower()  # the one letter that becomes two in lower case
    hits = _hits(lowered)
    parts: list[str] = []
    at = 0
    for hit, following in zip_longest(hits, hits[_NAMES_OF_A_VALUE:]):
        if hit.start() < at:
            continue
        found = _secret(text, hit, following.start() if following else len(text))
        if found:
            parts += [text[at : found[0]], MASK]
            at = found[1]
    if not at:
        return text
    masked = "".join((*parts, text[at:]))
    return _CHANGED.sub(masked_value, masked) if MASK in masked else masked


def _hits(lowered: str) -> list[re.Match[str]]:
    """The names of secrets, in the order of the text."""
    hits = list(_NAME.finditer(lowered))
    if any(word in lowered for word in (_FOREIGN if lowered.isascii() else (*_FOREIGN, *_NOT_ASCII))):
        hits = sorted([*_IN_FOREIGN.finditer(lowered), *hits], key=lambda hit: hit.start())
    return hits


def _secret(text: str, hit: re.Match[str], following: int) -> tuple[int, int] | None:
    """Start and end of the secret that the name at `hit` names. Text after `following` belongs to later names."""
    weak = hit[0] in _WEAK
    before = text[max(0, hit.start() - 40) : hit.start()]
    lowered = before.lower()
    if _HARMLESS.search(lowered):
        return None
    # `key` alone is mostly an id; `site-key`, `--key` and `?key=` name secrets.
    if hit[0] == "key" and (not _JOINED.search(before) or _LOOKUP_KEY.search(lowered)):
        return None
    if (
        hit[0] == "pass"
        and not (_JOINED.search(before) or before.endswith("."))
        and not _BY_ITSELF.match(text, hit.end())
        and not has_user_beside(text, hit.start())
    ):
        return None
    if before.endswith(":") and hit[0] == "secret":  # part of an address: `arn:aws:…:secret:name`
        return None
    if "-" in before and hit[0] not in _ALSO_VERBS and _OPTION.search(before):
        weak = False
        words = _PHRASE_ARGUMENT.match(text, hit.end()) if hit[0].startswith("passphrase") else None
        if words and not is_placeholder(words["words"]):
            return words.span("words")
        given = _ARGUMENT.match(text, hit.end())
        if given and _is_given(given["word"], hit[0]):
            return _whole(text, *given.span("word"))
    foreign = hit.re is _IN_FOREIGN
    value = None if weak else _VALUE.match(text, hit.end())
    if value and foreign and not (is_mixed(value["word"]) or is_no_attribute(value["word"])):
        value = None
    named = "password" if foreign or hit[0] == "assword" else hit[0]
    if value and _is_secret(value, before, named, hit.start()):
        return _whole(text, *value.span("word"))
    found = nearest_value(text, hit, named, following, before, weak)
    if found:
        return _whole(text, *found)
    return _human_password(text, hit, before) if hit[0].startswith(_CHOSEN) else None


def _human_password(text: str, hit: re.Match[str], before: str) -> tuple[int, int] | None:
    """Start and end of a password that a person chose: a quoted word or several, or special characters at the end of a
    line."""
    alone = _UNSIGNED.match(text, hit.end())
    if alone and _is_statement(alone, before, hit[0]):
        return alone.span("word")
    quoted = _IN_QUOTES.match(text, hit.end())
    is_variable = quoted is not None and quoted["sign"] == "=" and text[hit.start() : hit.end()].isupper()
    if quoted and is_passphrase(quoted["words"], hit[0], is_variable) and not describes_a_secret(quoted["name"]):
        return quoted.span("words")
    has_phrase = hit[0].startswith(("passphrase", "psk")) or is_of_a_network(before)
    phrase = phrase_of_a_line(text, *hit.span()) if has_phrase else None
    return phrase or odd_password(text, hit.end())


def _is_statement(value: re.Match[str], before: str, named: str) -> bool:
    """Whether a name with a quoted value after it is all that a line, or a pair of a Lisp's map, consists of."""
    word = value["word"]
    if is_placeholder(word) or value["name"] or (named == "secret" and _NAME_LIKE.match(word)):
        return False
    if named.replace("_", "") in _NOT_A_LETTER.sub("", word.lower()):  # a label: `#define SN_kx_psk "KxPSK"`
        return False
    return bool(_STATEMENT.search(before.rpartition("\n")[2]))


def _is_given(word: str, named: str) -> bool:
    """Whether `word` after an option of that name is a secret; the value of `--key` may also be a name or a file."""
    return not is_placeholder(word) and not is_setting(word) and (named != "key" or is_machine_made(word))


def _whole(text: str, start: int, end: int) -> tuple[int, int]:
    """Start and end of the whole value of which `start` to `end` was judged. On a line `NAME=value` the value goes on
    to the end of the line, also after brackets."""
    longer = end - start >= JUDGED and _TAIL.match(text, end)
    end = longer.end() if longer else end
    if text[end : end + 1] not in tuple("{}()[],"):
        return start, end
    line = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end)
    return start, (len(text) if last < 0 else last) if _VARIABLE.match(text[line:start]) else end


def _is_secret(match: re.Match[str], before: str, named: str, start: int) -> bool:
    """Whether a value is a secret: that of `password=hunter22` is; `password = get_password()`, `token: str` and
    `token_sha=<hash>` have none. The name begins at `start`."""
    word, after = match["word"][:JUDGED], match["after"]
    if after in tuple("([{") or is_placeholder(word) or match.string.startswith(" | ", match.end("word")):
        return False
    if ":" in match["sign"] and not match["quote"] and _DECLARED.search(before):
        return False
    if word.replace("_", "").isalpha() and _VERB.search(before.lower()):
        return False
    if named == "secret" and match["name"].lower().strip("_- ") == "id" and is_uuid(word):
        return True  # Vault's and Consul's secret ids are secrets
    name = f"{before[-20:]}{named}{match['name']}".lower().rpartition(" ")[2]
    if "public" in name or describes_a_secret(match["name"]) or is_digest(word, name):
        return False
    if word.isdecimal() and not named.startswith(_CHOSEN):  # `MAX_TOKENS=200000`
        return False
    if _POINTER.match(word) or _FILE.match(word) or word.startswith("?"):
        return False
    judged = _quoted_secret(word, match, named, before) if match["quote"] else _bare_secret(word, match, named, start)
    return judged and not _TEST_TITLE.match(_line_of(match))


def _line_of(match: re.Match[str]) -> str:
    """The line of a match, with at most 400 characters on each side."""
    first, last = max(0, match.start() - 400), match.end() + 400
    before = match.string[first : match.start()].rpartition("\n")[2]
    return before + match.string[match.start() : last].partition("\n")[0]


def _quoted_secret(word: str, match: re.Match[str], named: str, before: str) -> bool:
    """Whether a quoted value is a secret. Words for a password are the password; for a token they are its name."""
    closed = match.string.startswith(match["quote"], match.end("word"))
    if match["after"] == " ":  # a sentence
        return False
    if not closed and _BRACKETS.search(word):  # code
        return False
    if named.startswith(_CHOSEN):
        is_name = named == "secret" and _NAME_LIKE.match(word)
        return not is_name or is_scrambled(word) or bool(_CHOSEN_SECRET.search(before))
    if named == "token" and before.lower().endswith(("verify", "verify_")):  # people choose it for a webhook
        return True
    return not (_NAME_LIKE.match(word) or consists_of_words(word)) or is_scrambled(word)


def _bare_secret(word: str, match: re.Match[str], named: str, start: int) -> bool:
    """Whether an unquoted value is a secret. A word is code, except after `NAME=` in a shell or environment listing."""
    if match["sign"] == "=" and match.string[: match.start("sign")][-1:].isupper():
        return True
    if _DATE.match(word) or (":" in match["sign"] and not named.startswith("p") and consists_of_words(word)):
        return False
    is_code = _CODE_LIKE.match(word) or (":" in match["sign"] and _NAME_AND_VALUE.match(word))
    if not is_code or is_scrambled(word):
        return True
    if not named.startswith(_CHOSEN):
        return False
    is_chosen = bool(_CHOSEN_SECRET.search(match.string[max(0, start - 20) : start]))
    is_name = named == "secret" and _NAME_LIKE.match(word) and not is_chosen
    if not is_name and is_in_a_configuration(match.string, start, match):
        return True
    if not (named.startswith(("pass", "pwd")) or (is_chosen and match["sign"] == "=")):
        return False
    return is_tangled(word) or is_app_password(word) or is_given_to_a_key(match.string, start, match)
