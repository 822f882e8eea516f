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
_SETTINGS_STRING = re.compile(r"[;&\]]|[\"']\s|(?<!,) \w{1,30}=")  # several settings in one string, not a call's
_USER = re.compile(
    r"(?:user(?:_?name| ?id)?|uid|login|e?mail|account)(?:[\"']?\s{0,20}(?:=>"
    r"|[:=,])\s{0,20}[\"']?[\w.@+-]{2,100}| [\w.@+-]{2,60}\s)",
    re.IGNORECASE,
)
_WORD = re.compile(r"(?!\w{0,40}(?i:pass|pwd|secret|token))[a-z][A-Za-z_]{7,60}$")
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
    if value["sign"] == "=" and _WORD.match(word) and _SETTINGS_STRING.match(text, value.end("word")):
        return has_user_beside(text, start)
    if value["sign"] == "=" and _PROPERTY.match(line) and not value["name"] and has_letters_and_digits(word):
        return bool(_END.match(text, value.end("word")))
    if value["name"] or not (_WORD.match(word) and _END.match(text, value.end("word")) and _KEY.match(line.lstrip())):
        return False
    if value["sign"] == "=":
        return bool(_DOTTED.match(line.lstrip()) or not line[:1].isspace()) and not _INTERFACE_TEXT.search(line)
    if line.isupper() and text[start : start + 4].isupper():  # an environment variable in YAML
        return True
    return has_user_beside(text, start)


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
    is_prose = not (is_variable or any(c.isdigit() for c in words)) or (named != "secret" and _PROSE.search(words))
    return " " in words and not is_prose and not is_placeholder(words)


def phrase_of_a_line(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Start and end of the words that a line assigns to a passphrase variable, whose name goes from `start` to `end`:
    `GPG_PASSPHRASE: correct horse battery`."""
    if not text[start:end].isupper() or not _KEY.match(_line_until(text, start).lstrip()):
        return None
    rest = _PHRASE.match(text, end)
    return None if rest is None or is_placeholder(rest["words"]) else rest.span("words")


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
