"""The owners of files by GitHub's CODEOWNERS rules. Pure; never raises."""

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")  # the first that exists is used
MAX_SIZE = 3 << 20  # bytes: GitHub ignores a larger file
MAX_RULES = 5_000
MAX_PATTERN = 1_000  # characters
MAX_REVIEWERS = 15  # per request to GitHub


class Owners(NamedTuple):
    """Logins of people and slugs of teams. Reviews of owners given by e-mail address can't be requested by the API."""

    people: tuple[str, ...] = ()
    teams: tuple[str, ...] = ()


class Rule(NamedTuple):
    """One line of the file. The last one that matches a file names its owners, possibly none."""

    pattern: str
    owners: tuple[str, ...]


def owners_of(data: bytes, paths: Iterable[str]) -> Owners:
    """Returns the distinct owners of the files, at most MAX_REVIEWERS."""
    rules = tuple(reversed(rules_of(data)))
    named = [owner for path in paths for owner in _of(path, rules)]
    handles = [owner[1:] for owner in dict.fromkeys(named) if owner.startswith("@")][:MAX_REVIEWERS]
    teams = tuple(handle.partition("/")[2] for handle in handles if "/" in handle)
    return Owners(tuple(handle for handle in handles if "/" not in handle), teams)


def _of(path: str, last_first: tuple[Rule, ...]) -> tuple[str, ...]:
    return next((rule.owners for rule in last_first if matches(rule.pattern, path)), ())


def rules_of(data: bytes) -> tuple[Rule, ...]:
    """Returns the rules of all lines that GitHub understands, in order; other lines are ignored."""
    if len(data) > MAX_SIZE:
        return ()
    rules = (_rule(line) for line in data.decode(errors="replace").split("\n"))
    return tuple(rule for rule in rules if rule is not None)[:MAX_RULES]


def _rule(line: str) -> Rule | None:
    words = _words(line)
    if not words or words[0].startswith("!") or "[" in words[0] or len(words[0]) > MAX_PATTERN:
        return None  # GitHub supports neither negation nor character sets
    if any("@" not in owner[:100] for owner in words[1:]):
        return None
    return Rule(words[0], tuple(words[1:]))


def _words(line: str) -> list[str]:
    """Splits at white space that isn't escaped by a backslash; `#` starts a comment at the beginning of a word."""
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
    """Whether a pattern matches a file: as in .gitignore, a folder matches everything below it, but `docs/*` only the
    files directly inside."""
    anchored = "/" in pattern.rstrip("/")
    folder = pattern.endswith("/")
    parts = [part for part in pattern.split("/") if part]
    if not parts:
        return False
    if not anchored:
        parts = ["**", *parts]
    below = folder or parts[-1] != "*" or not anchored
    names = path.split("/")
    # The pattern may match the file itself, or one of the folders above it.
    ends = range(1, len(names) + (not folder)) if below else (len(names),)
    return any(_path_matches(tuple(parts), tuple(names[:end])) for end in ends)


def _path_matches(parts: tuple[str, ...], names: tuple[str, ...]) -> bool:
    """Matches folder by folder; `**` matches any number of them. Each pair is compared once."""
    reach = {0}  # how many names the parts so far may have consumed
    for index, part in enumerate(parts):
        if part == "**":
            last = index == len(parts) - 1
            reach = set(range(min(reach) + last, len(names) + 1)) if reach else set()
        else:
            reach = {at + 1 for at in reach if at < len(names) and _name_matches(part, names[at])}
    return len(names) in reach


@lru_cache(maxsize=4096)
def _name_matches(part: str, name: str) -> bool:
    """Matches `*` as any text and `?` as any character, with backtracking only to the last star, so in at most length ×
    length steps."""
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
