"""Rule: what a reviewer sees is what runs: no invisible characters, no names with look-alike letters."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator

from healing.verify.guard.patch import File, GuardFinding, WholeChange
from healing.verify.guard.reading.text import UNSEEN, is_prose

RULE = "hidden"
# Letters of other scripts that look like ASCII letters, mixed with them in one word.
ALIKE = "аеорсухіјѕԁһԛԝАВЕКМНОРСТХІЈЅΑΒΕΖΗΙΚΜΝΟΡΤΥΧοαν"
MIXED = re.compile(rf"\w{{0,80}}(?:[A-Za-z_][{ALIKE}]|[{ALIKE}][A-Za-z_])\w{{0,80}}")
BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]")
JOINED = re.compile("[\u200c\u200d\ufe0f]")  # parts of emoji and of some scripts' words
WIDE = re.compile("[\uff21-\uff3a\uff41-\uff5a\U0001d400-\U0001d7ff]{2,}")


def findings(patch: WholeChange) -> Iterator[GuardFinding]:
    """One finding for each file with more of them than before."""
    for file in patch.files:
        why = _why(file)
        if why:
            yield GuardFinding(RULE, file.path, why)


def _why(file: File) -> str:
    old, new = ((data or b"").decode("utf-8", "replace") for data in (file.old, file.new))
    unseen = BIDI if is_prose(file.path) else UNSEEN
    more = _found(unseen, new) - _found(unseen, old)
    more = Counter({c: n for c, n in more.items() if not JOINED.match(c)})
    if more:
        names = ", ".join(f"U+{ord(c):04X} {unicodedata.name(c, '')}".strip() for c in sorted(more))
        return f"brings characters that nobody sees ({names[:120]})"
    alike = _found(MIXED, new) + _found(WIDE, new) - _found(MIXED, old) - _found(WIDE, old)
    if alike and not is_prose(file.path):
        return f"brings words whose letters only look like ASCII's ({', '.join(map(ascii, sorted(alike)))[:120]})"
    return ""


def _found(pattern: re.Pattern[str], text: str) -> Counter[str]:
    return Counter() if text.isascii() else Counter(pattern.findall(text.removeprefix("\ufeff")))
