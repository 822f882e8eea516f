"""Who owns the files that a fix changes, by GitHub's CODEOWNERS rules. Pure; never raises."""

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")  # the first that is there counts
LARGEST = 3 << 20  # bytes: GitHub loads no larger one
MOST_RULES = 5_000
LONGEST_PATTERN = 1_000  # characters
MOST_REVIEWERS = 15  # that GitHub asks at once


class Owners(NamedTuple):
    """Logins of people and slugs of teams. Owners that are named by their address can't be asked by the API."""

    people: tuple[str, ...] = ()
    teams: tuple[str, ...] = ()


class Rule(NamedTuple):
    """One line: the last one that matches a file names its owners; perhaps none."""

    pattern: str
    owners: tuple[str, ...]


def owners_of(data: bytes, paths: Iterable[str]) -> Owners:
    """Everybody who owns one of the files, each once, a few at most."""
    rules = tuple(reversed(rules_of(data)))
    named = [owner for path in paths for owner in _of(path, rules)]
    handles = [owner[1:] for owner in dict.fromkeys(named) if owner.startswith("@")][:MOST_REVIEWERS]
    teams = tuple(handle.partition("/")[2] for handle in handles if "/" in handle)
    return Owners(tuple(handle for handle in handles if "/" not in handle), teams)


def _of(path: str, last_first: tuple[Rule, ...]) -> tuple[str, ...]:
    return next((rule.owners for rule in last_first if matches(rule.pattern, path)), ())


def rules_of(data: bytes) -> tuple[Rule, ...]:
    """The lines that GitHub understands, in order; the others are as if they were not there."""
    if len(data) > LARGEST:
        return ()
    found = (_rule(line) for line in data.decode(errors="replace").split("\n"))
    return tuple(rule for rule in found if rule is not None)[:MOST_RULES]


def _rule(line: str) -> Rule | None:
    words = _words(line)
    if not words or words[0].startswith("!") or "[" in words[0] or len(words[0]) > LONGEST_PATTERN:
        return None  # GitHub knows no negation and no sets of characters
    if any("@" not in owner[:100] for owner in words[1:]):
        return None
    return Rule(words[0], tuple(words[1:]))


def _words(line: str) -> list[str]:
    """Blanks separate, unless a backslash stands before them; `#` begins a comment where a word could begin."""
    words: list[str] = []
    word = ""
    escaped = False
    for char in line.strip():
        if escaped:
            word, escaped = word + char, False
        elif char == "\\":
            escaped = True
        elif char.isspace():
            words, word = ([*words, word] if word else words), ""
        elif char == "#" and not word:
            break
        else:
            word += char
    return [*words, word] if word else words


def matches(pattern: str, path: str) -> bool:
    """Whether a pattern means a file: as in .gitignore, a folder means all that is below it, but `docs/*` only what is
    directly inside."""
    anchored = "/" in pattern.rstrip("/")
    folder = pattern.endswith("/")
    parts = [part for part in pattern.split("/") if part]
    if not parts:
        return False
    if not anchored:
        parts = ["**", *parts]
    below = folder or parts[-1] != "*" or not anchored
    names = path.split("/")
    # Of the file itself, or of one of the folders above it.
    ends = range(1, len(names) + (not folder)) if below else (len(names),)
    return any(_path_matches(tuple(parts), tuple(names[:end])) for end in ends)


def _path_matches(parts: tuple[str, ...], names: tuple[str, ...]) -> bool:
    """Folder by folder; `**` stands for any number of them. Each pair is looked at once."""
    reach = {0}  # how many names the parts so far may have taken
    for index, part in enumerate(parts):
        if part == "**":
            last = index == len(parts) - 1
            reach = set(range(min(reach) + last, len(names) + 1)) if reach else set()
        else:
            reach = {at + 1 for at in reach if at < len(names) and _name_matches(part, names[at])}
    return len(names) in reach


@lru_cache(maxsize=4096)
def _name_matches(part: str, name: str) -> bool:
    """`*` is any text, `?` any character; each star gives way once, so it takes at most length × length steps."""
    at = star = 0
    mark = -1
    for_name = 0
    while for_name < len(name):
        if at < len(part) and part[at] == "*":
            star, mark, at = for_name, at, at + 1
        elif at < len(part) and part[at] in ("?", name[for_name]):
            at, for_name = at + 1, for_name + 1
        elif mark >= 0:
            star, at = star + 1, mark + 1
            for_name = star
        else:
            return False
    return all(char == "*" for char in part[at:])
