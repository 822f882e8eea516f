"""What a message itself names as the replacement: "`a` was removed. Use `b` instead", "`a` has been renamed to `b`"."""

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

from healing.model import CIError

LIMIT = 2000  # characters of a message that are read
EXCERPT = 20_000  # characters of an excerpt that are searched for more of the message
PYTEST_LINE = re.compile(r"^E {1,40}(\S[^\n]*)", re.M)
ALIKE = 0.7  # similarity from which a bare word is a name, and not English
QUOTE = "[\"'`´‘’“”]"
PATH = r"-?[A-Za-z_$][\w$]{0,80}(?:(?:\.|::)[A-Za-z_$][\w$]{0,80}){0,6}"
NUMBER = r"-?\d{1,4}\.\d{1,4}"
NAME = rf"(?:{QUOTE}{{1,2}}(?P<quoted>{PATH}|{NUMBER})(?:\(\))?{QUOTE}{{1,2}}|(?P<bare>{PATH})(?P<called>\(\))?)"
NOUN = (
    "(?:class |instance )?"
    "(?:attribute|builtin|function|keyword|method|option|parameter|argument|property|field|kwarg)s?"
)
# "Don't use `a`" names what is wrong, and in "Use of `a`" nothing is advised.
ADVICE = re.compile(
    rf"(?<!n't )(?<!not )(?<!never )\b(?:(?P<use>use|prefer)|(?P<renamed>(?:renamed|moved) (?:to|as)|"
    rf"(?:replaced|superseded) (?:by|with)|in favou?r of|available (?:as|under|at)))"
    rf"(?: the| new){{0,2}} {NAME}(?! of\b)",
    re.I,
)
ALONE = re.compile(rf"(?: {NOUN})? (?P<how>by itself|directly|instead)", re.I)
OF = re.compile(rf"(?: {NOUN})?(?: (?:instead of|over|rather than)) {NAME}", re.I)
NEXT = re.compile(r"\s*(?:[.!;)\]\"']|\n|\Z|\s\[)")
OPEN = re.compile(r"\s*(?:,? or\b|,? and [\"'`]| and\b|/|\()", re.I)
# What makes advice one of several, half of what is to do, or no replacement at all.
CHOICE = re.compile(r"\b(?:if|otherwise|unless|when|either|or|for)\b|\band\s*\Z", re.I)
NOTHING = re.compile(r"\b(?:does nothing|no effect|is ignored|are ignored|no replacement|opposite|inverse)\b", re.I)
SENTENCE = re.compile(r"[.;!:\n](?=\s|\Z)")
GONE = r"(?:deprecated|removed|renamed|replaced|no longer|discontinued|obsolete|superseded|restricted)"
SUBJECT = re.compile(
    rf"{NAME}(?(quoted)(?: \w{{1,20}}){{0,2}}|(?: {NOUN})?)"
    rf" (?:is|was|are|were|has been|have been|will be)(?: now| being)?(?: an?)? {GONE}",
    re.I,
)
OBJECT = re.compile(rf"\b(?:deprecated|removed) {NOUN} {NAME}", re.I)
GONE_WORD = re.compile(GONE, re.I)
# Words of the languages themselves: another one needs another syntax around it.
LISTED = """
await async break case class const continue def default delete do else enum except export extends false False fn for
from func function go if impl import in instanceof interface is lambda let match mod mut new nil None not null or
package pass pub raise return self static struct super switch this throw trait true True try type typeof undefined
use var void while yield
"""
WORDS = frozenset(LISTED.split())
ABBREVIATIONS = frozenset({"e.g", "i.e"})
# The advice names something wider, so that the code would do more than before without anybody noticing.
WIDER = re.compile(r"(?:ast\.)?(?:Str|Num|Bytes|NameConstant|Ellipsis)\Z")


@dataclass(frozen=True)
class Stated:
    """`new` is what to write. `olds` are the names that it may replace: what the message says is gone, else whatever
    else it quotes; none where it names just the new one. `whole`: in place of the whole expression, not of the name
    at its end. `plain`: a bare word that looks like English, and is a name only where the repository has it."""

    new: str
    olds: tuple[str, ...]
    whole: bool = False
    plain: bool = False
    quoted: bool = False

    @property
    def new_name(self) -> str:
        """The last part of the new name."""
        return _last(self.new)

    def may_replace(self, name: str) -> bool:
        """Whether `name` is the last part of an old name; where the message has none, whether it is like the new."""
        return name in map(_last, self.olds) if self.olds else _alike(self.new, name)


def advice_of(error: CIError) -> Stated | None:
    """The replacement that an error names, in its message or in what pytest printed below it (`E` lines)."""
    found = stated(error.message)
    if found is None and (more := PYTEST_LINE.findall(error.excerpt[:EXCERPT])):
        found = stated("\n".join(more))
    return found


def stated(message: str) -> Stated | None:
    """The one replacement that a message names; None where it names none, several, or one under a condition."""
    text = message[:LIMIT]
    if NOTHING.search(text):
        return None
    olds = _olds(text)
    advice = [m for m in ADVICE.finditer(text) if _is_name(m, olds)]
    alone = [m for m in advice if (how := ALONE.match(text, m.end())) and how["how"].lower() == "by itself"]
    names = {_named(m) for m in alone or advice}
    if len(names) != 1:
        return None
    for match in alone or advice:
        tail = ALONE.match(text, match.end())
        if _is_unconditional(text, match, tail):
            return _read(text, match, tail, olds)
    return None


def _read(text: str, match: re.Match[str], tail: re.Match[str] | None, olds: tuple[str, ...]) -> Stated | None:
    new = _named(match)
    of = OF.match(text, match.end())
    found = (_named(of),) if of else olds or _others(text, new)
    found = tuple(old for old in dict.fromkeys(found) if old != new)
    if new in WORDS or any(WIDER.match(old) for old in found):
        return None
    words = (tail or of or match)[0].lower()
    whole = "by itself" in words or "builtin" in words or new.startswith("-") or new[0].isdigit()
    plain = not match["quoted"] and not _looks_like_code(match) and not any(_alike(new, old) for old in found)
    return Stated(new, found, whole, plain, bool(match["quoted"]))


def _is_unconditional(text: str, match: re.Match[str], tail: re.Match[str] | None) -> bool:
    """Whether the advice is a sentence of its own: no "if", no second name, nothing to do besides."""
    before = text[: match.start()]
    start = max((m.end() for m in SENTENCE.finditer(before)), default=0)
    if CHOICE.search(before[start:]):
        return False
    if match["renamed"]:
        return not OPEN.match(text, match.end())
    if of := OF.match(text, match.end()):
        return bool(NEXT.match(text, of.end()))
    if tail:
        return bool(NEXT.match(text, tail.end()))
    known = bool(GONE_WORD.search(before)) or before.lower().rstrip(" ,").endswith("instead")
    return known and bool(NEXT.match(text, match.end()))


def _olds(text: str) -> tuple[str, ...]:
    """What the message says is gone."""
    match = OBJECT.search(text) or SUBJECT.search(text)
    return (_named(match),) if match else ()


def _others(text: str, new: str) -> tuple[str, ...]:
    quoted = re.compile(rf"{QUOTE}{{1,2}}({PATH})(?:\(\))?{QUOTE}{{1,2}}")
    return tuple(name for name in quoted.findall(text) if name != new)


def _named(match: re.Match[str]) -> str:
    return match["quoted"] or match["bare"]


def _is_name(match: re.Match[str], olds: tuple[str, ...]) -> bool:
    """Whether it is a name rather than a word of the sentence: quoted, written like code, or beside what is gone."""
    name = _named(match)
    if name in ABBREVIATIONS or (match["bare"] and name.lower() in ("a", "an", "of", "the", "it", "this", "your")):
        return False
    return bool(match["quoted"]) or bool(olds) or _looks_like_code(match)


def _looks_like_code(match: re.Match[str]) -> bool:
    name = match["bare"] or ""
    return bool(match["called"]) or bool(re.search(r"[_.$\d]|::|[a-z][A-Z]", name))


def _alike(name: str, other: str) -> bool:
    return SequenceMatcher(None, _last(name).lower(), _last(other).lower()).ratio() >= ALIKE


def _last(name: str) -> str:
    return re.split(r"\.|::", name)[-1]
