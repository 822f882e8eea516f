"""The words that a message calls unknown ("invalid choice: 'x'", "unknown field `x`", "KeyError: 'x'"), and those that
it lists as valid ("expected one of `a`, `b`", "choose from 'a', 'b'")."""

import re

LIMIT = 4000  # characters of a text that are read
WORD = r"[A-Za-z_][\w-]{2,60}"
OPEN, CLOSE = r"[\"'`‘“]{1,2}-{0,2}", r"[\"'`’”]{1,2}"
NOT = r"(?:is not|isn't|are not|was not|not|no longer|does(?: not|n't)|can(?: ?not|'t))"
REFUSED = (
    r"(?:unknown|unrecogni[sz]ed|invalid|unexpected|unsupported|undefined|undeclared|unregistered|illegal|bad|missing"
    r"|no such|there is no|could not find|couldn't find|cannot find|can't find|got|found|received|not a valid"
    r"|input_value)"
)
WHOLE = re.compile(rf"(?<!\w)(?<!\w-){WORD}")  # with inner hyphens, without an option's dashes
UNKNOWN = re.compile(
    rf"\bKeyError: {OPEN}({WORD}){CLOSE}"
    rf"|{OPEN}({WORD}){CLOSE}(?: \w{{1,20}}){{0,2}}? {NOT}\b"
    rf"|\b{REFUSED}\b(?: [\w-]{{1,30}}){{0,4}}(?:[:=] ?| ){OPEN}({WORD}){CLOSE}"
    rf"|\b{REFUSED}\b(?: [\w-]{{1,30}}){{0,3}}: -{{0,2}}({WORD})",
    re.IGNORECASE,
)
LISTING = re.compile(
    r"\b(?:valid|allowed|known|supported|available|possible|permitted|expected|expecting|choose from|choices|options"
    r"|should be|must be|has to be|one of|either|did you mean|instead|similar)\b([^\n]{1,1500})",
    re.IGNORECASE,
)


def unknown_words(text: str) -> frozenset[str]:
    """The words that a text says aren't known, or were not expected, where it says them."""
    return frozenset(word for match in UNKNOWN.finditer(text[:LIMIT]) for word in match.groups() if word)


def listed_words(text: str) -> frozenset[str]:
    """The words that a text lists as what it would take, with others of its sentence."""
    return frozenset(word for match in LISTING.finditer(text[:LIMIT]) for word in WHOLE.findall(match[1]))


def words_of(text: str) -> frozenset[str]:
    """The words of a text, with the hyphens inside them."""
    return frozenset(WHOLE.findall(text[:LIMIT]))
