"""Recognizes passwords that people chose: words, sentences and special characters.

A word next to `password` is mostly code or prose. It is a password where a configuration file assigns it to a key, or
where a user's name is next to it.
"""

import re

from healing.logs.secrets.mask import is_placeholder
from healing.logs.secrets.nearest import describes_a_secret
from healing.logs.secrets.values import has_both_cases, has_letters_and_digits, is_public

_KEY = re.compile(r"(?:export |set |- )?%?[\w.$\"'\[\]-]{0,100}$")  # what may precede the name on such a line
# A key of a Java properties file, without spaces before `=`.
_PROPERTY = re.compile(r"(?!self\.|this\.|cls\.)[a-z][\w-]{0,60}\.(?:[\w-]{1,60}\.){0,6}$")
_DOTTED = re.compile(r"[\w-]{1,60}\.[\w.-]{0,100}$")
# Labels and messages of a user interface, which are named after the field.
_INTERFACE_TEXT = re.compile(
    r"(?:^|[._-])(?:labels?|errors?|err|messages?|msg|texts?|titles?|i18n|placeholders?|hints?|tooltips?|validat\w{1,4}|forms?|fields?|pages?"
    r"|buttons?|btn|lbl)[._-]",
    re.IGNORECASE,
)
_END = re.compile(r"[ \t]*(?:#.*)?\r?(?:\n|$)")
_END_OF_ENTRY = re.compile(r"[ \t]*(?:[#;(].*)?\r?(?:\n|$)")
_SETTINGS_STRING = re.compile(r"[;&\]]|[\"'][\s,;)]|(?<!,) \w{1,30}=")  # several settings in one string, not a call's
# The lines of a configuration: the head of a section, and what may stand between it and a setting.
_SECTION = re.compile(r"[+\- ]?\[[\w .:@/\"'!*,-]{1,60}\][ \t]*\r?$")
_ENTRY = re.compile(
    r"[+\- ]?\s{0,20}(?:[\w.$\"'\[\]/:@*-]{1,80}\s{0,20}(?:[=:]|=>).{0,300}|[#;].{0,300}|[\w-]{0,60})\r?$"
)
_ENTRIES = 30  # how many lines below the head of its section a setting is looked at
_ENTRIES_CHARS = 1500
# What code calls an attribute, or what it is an attribute of, that holds a password or a type.
_OF_CODE = re.compile(
    r"(?:.{0,60}[._])?(?:\w{0,30}(?:pass|pwd|passwd|password|passphrase|secret|token|credentials?|key|pw)|value|text|str|string|data|type"
    r"|char|bytes|required|optional|get|read|input|content|result|output|literal|field)s?$"
    r"|(?:[a-z]{1,2}|self|this|cls|config|conf|cfg|settings?|env|os|process|request|req|res|args?|opts?|options|params?|props|data|form|input|event"
    r"|ctx|context|app|user|account|credentials|auth|var|local|module|schema|types?|models?|fields?|joi|yup|vault|random_password"
    r"|aws_\w{1,40}|azurerm_\w{1,40}|google_\w{1,40}|database|item|obj|state|body|query|values?|secrets?|keyring)\.",
    re.IGNORECASE,
)
_DOTTED_WORD = re.compile(r"[A-Za-z_][\w-]{0,40}(?:\.[A-Za-z_][\w-]{0,40}){1,4}$")
_CAPITAL_PART = re.compile(r"\.[A-Z][a-z]")
_KEY_LINE = re.compile(r"[+\- ]?\s{0,40}(?:- )?[\w.\"'/-]{1,80}:(?: [^\s{(\[|>][^\n]{0,120}(?<![,;({\[\s])|)[ \t]*\r?$")
_WORDS_ONLY = re.compile(r"(?!.{0,120}(?:secret|token|key|passw))[a-z][a-z']*(?: [a-z']+){1,7}$")
_WIRELESS = tuple(
    name + end for name in ("wifi", "wi-fi", "wlan", "wpa", "hotspot", "softap") for end in ("", "_", "-")
)
_USER = re.compile(
    r"(?:user(?:_?name| ?id)?|uid|login|e?mail|account)(?:[\"']?\s{0,20}(?:=>"
    r"|[:=,])\s{0,20}[\"']?[\w.@+-]{2,100}| [\w.@+-]{2,60}\s)",
    re.IGNORECASE,
)
_WORD = re.compile(r"(?!\w{0,40}(?i:pass|pwd|secret|token))[a-z][A-Za-z_]{7,60}$")
# A word with a capital letter inside, which is no type of a value.
_COMPOUND = re.compile(
    r"(?!\w{0,60}(?:Str|String|Text|Type|Field|Value|Hash|Password|Secret|Token)$)[A-Z][a-z]+(?:[A-Z][a-z]+)+$"
)
# A user's name and its value before a password on the same line, or on the line after it.
_USER_BEFORE = re.compile(
    r"(?:^|[\s({\"'])(?:user(?:_?name)?|login|e?mail)[\"']?\s?[:=] ?[\"']?(?!str|any)[\w.@+-]{2,60}"
    r"[\"']?[,;/|]? {1,2}(?:and )?[\"']?$",
    re.IGNORECASE,
)
_USER_BELOW = re.compile(
    r"[ \t]*\r?\n[ \t]*(?:- )?[\"']?(?:user(?:_?name)?|login)[\"']?: [\w.@\"'+-]{1,80}+[ \t]*(?:\r?\n|\Z)"
)
_APP_PASSWORD = re.compile(r"[a-z]{4}(?: [a-z]{4}){3}$|[a-z]{16}$")  # Google's format
# Words of a sentence about a password: `is too short`.
_PROSE = re.compile(
    r"\b(?:is|are|be|was|must|should|can|cannot|can't|has|have|at least|for|the|your|please|enter|not|no"
    r"|invalid|incorrect|required|wrong|password|and|or|with|to)\b",
    re.IGNORECASE,
)
_CODE = re.compile(r"[\w.$>-]{1,80}[(\[]|.{0,80},\w{1,20}=")
_REST_OF_LINE = re.compile(
    r"(?P<name>[\w-]{0,30}+)(?![\w-])[^\n:=]{0,80}+[:=][ \t]?(?P<word>[^\s\"'`]{8,200}+)(?:[ \t]+\\)?[ \t]*\r?$",
    re.MULTILINE,
)
_PHRASE = re.compile(r"[:=][ \t]?(?P<words>[\w'!.,-]{1,40}(?: [\w'!.,-]{1,40}){1,11})[ \t]*\r?(?:\n|$)")


def is_given_to_a_key(text: str, start: int, value: re.Match[str]) -> bool:
    """Whether a line of a configuration assigns the word of `value` to the name at `start`: `mail.password=swordfish`,
    or `password: swordfish` next to a user's name."""
    word, line = value["word"], _line_until(text, start)
    is_compound = bool(_COMPOUND.match(word))
    is_word = bool(_WORD.match(word)) or is_no_attribute(word)
    if value["sign"] == "=" and is_word and _SETTINGS_STRING.match(text, value.end("word")):
        return has_user_beside(text, start) or bool(_USER.search(text, value.end("word"), value.end("word") + 80))
    if value["sign"] == "=" and _PROPERTY.match(line) and not value["name"] and has_letters_and_digits(word):
        return bool(_END.match(text, value.end("word")))
    if value["name"] or not ((is_word or is_compound) and _END.match(text, value.end("word"))):
        return False
    if _USER_BEFORE.search(line):
        return True
    if not _KEY.match(line.lstrip()):
        return False
    if value["sign"] == "=":
        return (
            is_word
            and bool(_DOTTED.match(line.lstrip()) or not line[:1].isspace())
            and not _INTERFACE_TEXT.search(line)
        )
    if line.isupper() and text[start : start + 4].isupper():  # an environment variable in YAML
        return True
    return is_word and (has_user_beside(text, start) or bool(_USER_BELOW.match(text, value.end("word"))))


def is_no_attribute(word: str) -> bool:
    """Whether `word` has dots as an attribute of code has, but no part that names what code keeps a password in: so is
    `Snoep.Winkel`, and `settings.password` and `schema.String` are not."""
    return bool(_DOTTED_WORD.match(word)) and not _OF_CODE.match(word)


def is_in_a_configuration(text: str, start: int, value: re.Match[str]) -> bool:
    """Whether the word of `value` cannot be code because of its place: a setting in a section of a configuration, as of
    `[client]`, one of several pairs, or a note of a person: `pw: Snoep.Winkel (all printers)`. The name begins at
    `start`."""
    word, sign = value["word"], value["sign"]
    if value["name"].strip("_0123456789") not in ("", "key"):
        return False
    line = _line_until(text, start)
    ends = bool(_END_OF_ENTRY.match(text, value.end("word")))
    if is_no_attribute(word) and not _INTERFACE_TEXT.search(line):
        if sign in ("=", ":") and _CAPITAL_PART.search(word):  # code has spaces around these
            return True
        is_note = not line[:1].isspace() and (":" in sign or sign == "=")
        if ends and (is_note or (sign == ": " and _is_below_a_key(text, start))):
            return True
    is_name = word.lower().endswith(("password", "passwd", "secret", "token"))  # `password = db_password`
    return ends and not is_name and bool(_KEY.match(line.lstrip("+- \t"))) and _is_in_a_section(text, start)


def _is_below_a_key(text: str, start: int) -> bool:
    """Whether the line before that at `start` is one of YAML, which unlike a line of code ends without a sign."""
    end = text.rfind("\n", 0, start)
    above = text[max(0, text.rfind("\n", 0, max(0, end)) + 1, end - 200) : max(0, end)]
    return bool(_KEY_LINE.match(above))


def _is_in_a_section(text: str, start: int) -> bool:
    """Whether nothing but settings and comments is between the head of a section and the line at `start`."""
    end = text.rfind("\n", 0, start)
    above = text[max(0, end - _ENTRIES_CHARS) : max(0, end)].split("\n")[-_ENTRIES:]
    for line in reversed(above):
        if _SECTION.match(line):
            return True
        if not _ENTRY.match(line):
            return False
    return False


def _line_until(text: str, end: int) -> str:
    """The part of the line before `end`; at most 200 characters, which is longer than any key."""
    first = max(0, end - 200)
    return text[max(first, text.rfind("\n", first, end) + 1) : end]


def has_user_beside(text: str, at: int) -> bool:
    """Whether a user is named right before `at`, as in a login."""
    return bool(_USER.search(text, max(0, at - 160), at))


def is_app_password(word: str) -> bool:
    """Whether `word` has the form of the passwords that mail services generate for programs."""
    return bool(_APP_PASSWORD.match(word))


def is_passphrase(words: str, named: str, is_variable: bool) -> bool:
    """Whether several words are a password and not a sentence about one. `named` is the name that they are assigned to;
    `is_variable`: a shell variable, which never holds such a sentence."""
    if is_app_password(words):
        return True
    if named in ("secret", "psk") and _WORDS_ONLY.match(words):  # `secret: 'keyboard cat'`
        return not _PROSE.search(words) and not is_placeholder(words)
    is_prose = not (is_variable or any(c.isdigit() for c in words)) or (named != "secret" and _PROSE.search(words))
    return " " in words and not is_prose and not is_placeholder(words)


def phrase_of_a_line(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Start and end of the words that a line assigns to a passphrase, whose name goes from `start` to `end`:
    `GPG_PASSPHRASE: correct horse battery`, `wpa_passphrase=correct horse battery`."""
    is_setting = text[end : end + 1] == "=" and not text[end + 1 : end + 2].isspace()
    if not (is_setting or text[start:end].isupper()) or not _KEY.match(_line_until(text, start).lstrip()):
        return None
    rest = _PHRASE.match(text, end)
    return None if rest is None or is_placeholder(rest["words"]) else rest.span("words")


def is_of_a_network(before: str) -> bool:
    """Whether the name of a password after `before` is that of a wireless network, where phrases are common."""
    return before.lower().endswith(_WIRELESS)


def odd_password(text: str, end: int) -> tuple[int, int] | None:
    """Start and end of a password with special characters at the end of a line, after a name that ends at `end`."""
    rest = _REST_OF_LINE.match(text, end)
    if rest is None or describes_a_secret(rest["name"]) or not meets_password_policy(rest["word"]):
        return None
    word = rest["word"]
    return None if is_public(word) or is_placeholder(word) or _CODE.match(word) else rest.span("word")


def meets_password_policy(word: str) -> bool:
    """Whether `word` has what a password policy requires: letters of both cases, digits and special characters."""
    special = sum(not c.isalnum() and c not in "._/:-" for c in word)
    return has_letters_and_digits(word) and has_both_cases(word) and 0 < special < len(word) / 2
