"""Passwords that people chose: words, sentences and odd signs, which nothing but their place gives away.

A word beside `password` is code or talk mostly. It is a password where a configuration gives it to a key, or where a
user's name stands beside it.
"""

import re

from healing.logs.secrets.mask import is_placeholder
from healing.logs.secrets.nearest import is_about_one
from healing.logs.secrets.values import has_both_cases, is_mixed, is_shown

_KEY = re.compile(r"(?:export |set |- )?%?[\w.$\"'\[\]-]{0,100}$")  # all that stands before a name in such a line
# As Java's properties name it, without blanks before `=`.
_PROPERTY = re.compile(r"(?!self\.|this\.|cls\.)[a-z][\w-]{0,60}\.(?:[\w-]{1,60}\.){0,6}$")
_DOTTED = re.compile(r"[\w-]{1,60}\.[\w.-]{0,100}$")
# The texts of a program's windows, whose names speak of the field.
_TEXTS = re.compile(
    r"(?:^|[._-])(?:labels?|errors?|err|messages?|msg|texts?|titles?|i18n|placeholders?|hints?|tooltips?|validat\w{1,4}|forms?|fields?|pages?"
    r"|buttons?|btn|lbl)[._-]",
    re.IGNORECASE,
)
_END = re.compile(r"[ \t]*(?:#.*)?\r?(?:\n|$)")
_OF_SEVERAL = re.compile(r"[;&\]]|[\"']\s|(?<!,) \w{1,30}=")  # settings in one string, not those of a call
_USER = re.compile(
    r"(?:user(?:_?name| ?id)?|uid|login|e?mail|account)(?:[\"']?\s{0,20}(?:=>"
    r"|[:=,])\s{0,20}[\"']?[\w.@+-]{2,100}| [\w.@+-]{2,60}\s)",
    re.IGNORECASE,
)
_WORD = re.compile(r"(?!\w{0,40}(?i:pass|pwd|secret|token))[a-z][A-Za-z_]{7,60}$")
_APP_PASSWORD = re.compile(r"[a-z]{4}(?: [a-z]{4}){3}$|[a-z]{16}$")  # as Google makes them
# A sentence about a password, and no password: `is too short`.
_TALK = re.compile(
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
    """Whether a line of a configuration gives the word of `value` to the name at `start`: `mail.password=swordfish`,
    or `password: swordfish` beside a user's name."""
    word, line = value["word"], _line_until(text, start)
    if value["sign"] == "=" and _WORD.match(word) and _OF_SEVERAL.match(text, value.end("word")):
        return has_user_beside(text, start)
    if value["sign"] == "=" and _PROPERTY.match(line) and not value["name"] and is_mixed(word):
        return bool(_END.match(text, value.end("word")))
    if (
        not _WORD.match(word)
        or not _END.match(text, value.end("word"))
        or value["name"]
        or not _KEY.match(line.lstrip())
    ):
        return False
    if value["sign"] == "=":
        return bool(_DOTTED.match(line.lstrip()) or not line[:1].isspace()) and not _TEXTS.search(line)
    if line.isupper() and text[start : start + 4].isupper():  # of an environment, in YAML
        return True
    return has_user_beside(text, start)


def _line_until(text: str, end: int) -> str:
    """What stands before `end` in its line; of a very long line the last part, longer than any key."""
    first = max(0, end - 200)
    return text[max(first, text.rfind("\n", first, end) + 1) : end]


def has_user_beside(text: str, at: int) -> bool:
    """Whether the lines before `at` name a user, as those that log in do."""
    return bool(_USER.search(text, max(0, at - 160), at))


def is_app_password(word: str) -> bool:
    """Whether `word` has the form of the passwords that mail services make for programs."""
    return bool(_APP_PASSWORD.match(word))


def is_passphrase(words: str, named: str, is_variable: bool) -> bool:
    """Whether several words are a password themselves and no sentence about one. A variable of a shell has no text."""
    if is_app_password(words):
        return True
    is_talk = not (is_variable or any(c.isdigit() for c in words)) or (named != "secret" and _TALK.search(words))
    return " " in words and not is_talk and not is_placeholder(words)


def phrase_of_a_line(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Where the words stand that a line gives to a variable whose name, from `start` to `end`, is that of a phrase:
    `GPG_PASSPHRASE: correct horse battery`."""
    if not text[start:end].isupper() or not _KEY.match(_line_until(text, start).lstrip()):
        return None
    rest = _PHRASE.match(text, end)
    return None if rest is None or is_placeholder(rest["words"]) else rest.span("words")


def odd_password(text: str, end: int) -> tuple[int, int] | None:
    """Where, after a name that ends at `end`, a password with signs of all kinds ends the line."""
    rest = _REST_OF_LINE.match(text, end)
    if rest is None or is_about_one(rest["name"]) or not is_strong(rest["word"]):
        return None
    word = rest["word"]
    return None if is_shown(word) or is_placeholder(word) or _CODE.match(word) else rest.span("word")


def is_strong(word: str) -> bool:
    """Whether `word` has all that a policy of passwords asks for: letters of both cases, digits and other signs."""
    signs = sum(not c.isalnum() and c not in "._/:-" for c in word)
    return is_mixed(word) and has_both_cases(word) and 0 < signs < len(word) / 2
