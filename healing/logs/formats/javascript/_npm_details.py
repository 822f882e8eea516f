"""What npm says below the first sentence of an error: the packages, who asks for them, and the versions."""

import re
from collections.abc import Sequence

MOST = 8  # details that a message names; a lock file of another branch may lack hundreds

_NOT_LOCKED = re.compile(r"(?:Missing: \S{1,200} from lock file|Invalid: lock file's .{1,400})$")
_FOUND = re.compile(r"(?:Found|Conflicting peer dependency): (?P<package>\S{1,200})$")
_ASKED = re.compile(
    r"\s{0,40}(?P<asked>(?:(?:peer|dev|optional|peerOptional|bundled) )?\S{1,200}@\".{1,200}\" from .{1,300})$"
)
_COULD_NOT = "Could not resolve dependency:"
_CONFLICTING = "Conflicting peer dependency:"
_REQUIRED = re.compile(
    r"(?:notsup|engine) (?P<words>(?:Not compatible with|Required:|Actual:|Unsupported platform).*)$"
)
_NOT_FOUND = re.compile(
    r"404\s{1,4}(?P<words>(?:The requested resource )?'.{1,300}(?:could not be found|is not in ).*)$"
)


def details(code: str | None, rows: Sequence[str]) -> tuple[str, ...]:
    """The rows of an error that name its packages and versions, each once, in the order in which npm prints them."""
    if code == "ERESOLVE":
        found = _of_a_conflict(rows)
    elif code == "EUSAGE":
        found = [row for row in rows if _NOT_LOCKED.match(row)]
    elif code in ("EBADENGINE", "EBADPLATFORM"):
        found = [match["words"] for row in rows if (match := _REQUIRED.match(row))]
    elif code == "E404":
        found = [match["words"] for row in rows if (match := _NOT_FOUND.match(row))]
    else:
        found = []
    unique = list(dict.fromkeys(" ".join(words.split()) for words in found))
    more = len(unique) - MOST
    return (*unique[:MOST], f"and {more} more") if more > 0 else tuple(unique)


def _of_a_conflict(rows: Sequence[str]) -> list[str]:
    """Which version was found and who asks for it, and who asks for another; without npm's proposal below."""
    found: list[str] = []
    wants: list[str] = []
    blaming = False
    for row in rows:
        if row.startswith(_CONFLICTING):
            break
        if row.startswith(_COULD_NOT):
            blaming = True
        elif match := _FOUND.match(row):
            found.append(f"Found: {match['package']}")
        elif asked := _ASKED.match(row):
            (wants if blaming else found).append(asked["asked"])
    # Of those who ask for the version that was found the first is enough: the others are on the way to it.
    return [*found[:2], *wants[:2]]
