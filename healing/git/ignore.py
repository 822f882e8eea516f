"""Matches .gitignore patterns, for files that git doesn't track yet.

Patterns are untrusted: each path component is matched by `fnmatch`, whose expressions never backtrack across a star,
and `**` by a walk over components. So no pattern can stall the service.
"""

import re
from fnmatch import translate
from functools import lru_cache
from typing import NamedTuple

MAX_PATTERNS = 5_000
REMEMBERED = "environment.pickle"  # what Sphinx knows of an earlier run, because of which it says less in the next
# Files that tools leave while checks run, for repositories whose .gitignore doesn't list them. Lowest precedence.
# Virtual environments may be links, which a pattern for folders doesn't match.
LITTER = (
    b"__pycache__/\n*.py[cod]\n.pytest_cache/\n.mypy_cache/\n.ruff_cache/\n.hypothesis/\n.tox/\n.nox/\n"
    b"*.egg-info/\n.coverage\n.coverage.*\n.venv\nnode_modules\n.eslintcache\n*.tsbuildinfo\n.gradle/\n.DS_Store\n"
    b"_build/\n.doctrees/\nhtmlcov/\n.nyc_output/\ncoverage/lcov-report/\ncoverage/lcov.info\ncoverage/tmp/\n"
    b"coverage/coverage-*.json\n" + REMEMBERED.encode() + b"\n"
)
POSIX = {
    "alpha": "a-zA-Z", "digit": "0-9", "alnum": "a-zA-Z0-9", "upper": "A-Z", "lower": "a-z", "space": " \t\n\r\f\v",
    "punct": "!-/:-@\\[-`{-~", "xdigit": "0-9A-Fa-f", "blank": " \t",
}  # fmt: skip


class Pattern(NamedTuple):
    """One line of a .gitignore: an expression for each path component, None for `**`."""

    parts: tuple[re.Pattern[str] | None, ...]
    negative: bool
    folders_only: bool


class Ignores(NamedTuple):
    """The patterns of one .gitignore, for paths below `prefix` (empty or `src/`)."""

    prefix: bytes
    patterns: tuple[Pattern, ...]

    def verdict(self, path: bytes, folder: bool) -> bool | None:
        """True: ignored; False: explicitly not ignored; None: no pattern matches."""
        names = path[len(self.prefix) :].decode("latin-1").split("/")
        for pattern in reversed(self.patterns):
            if (folder or not pattern.folders_only) and _matches(pattern.parts, names):
                return not pattern.negative
        return None


def parse(data: bytes, prefix: bytes = b"") -> Ignores:
    """Parses a .gitignore; never raises. Lines after the first MAX_PATTERNS are not used."""
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")[:MAX_PATTERNS]
    patterns = (_pattern(line.decode("latin-1")) for line in lines)
    return Ignores(prefix, tuple(pattern for pattern in patterns if pattern))


def ignored(stack: tuple[Ignores, ...], path: bytes, folder: bool) -> bool:
    """Whether the path is ignored, by the deepest .gitignore with a matching pattern. Its parent folders must not be
    ignored."""
    for ignores in reversed(stack):
        verdict = ignores.verdict(path, folder)
        if verdict is not None:
            return verdict
    return False


def _pattern(line: str) -> Pattern | None:
    line = line.removesuffix("\r")
    if not line or line.startswith("#"):
        return None
    line = _without_blanks(line)
    negative = line.startswith("!")
    line = line.removeprefix("!")
    folders_only = line.endswith("/")
    line = line.removesuffix("/")
    if not line:
        return None
    anchored = "/" in line
    names = line.removeprefix("/").split("/")
    parts = [_component(name) for name in names]
    if any(part is BROKEN for part in parts):
        return None
    if not anchored:
        parts.insert(0, None)
    return Pattern(tuple(parts), negative, folders_only)


def _without_blanks(line: str) -> str:
    end = len(line)
    while end > 0 and line[end - 1] == " " and not (end > 1 and line[end - 2] == "\\"):
        end -= 1
    return line[:end]


BROKEN = re.compile(r"(?!)")  # matches nothing: a pattern that git drops as invalid


@lru_cache(maxsize=4096)
def _component(name: str) -> re.Pattern[str] | None:
    """The expression for one path component; None for `**`. fnmatch has no backslash escapes, so they become sets."""
    if name == "**":
        return None
    glob: list[str] = []
    at = 0
    while at < len(name):
        char = name[at]
        if char == "\\":
            if at + 1 == len(name):
                return BROKEN
            glob.append(_literal(name[at + 1]))
            at += 2
        elif char == "[":
            piece, at = _bracket(name, at)
            if piece is None:
                return BROKEN
            glob.append(piece)
        else:
            glob.append(char)
            at += 1
    return re.compile(translate("".join(glob)))


def _literal(char: str) -> str:
    return f"[{char}]" if char in "*?[" else char


def _bracket(name: str, start: int) -> tuple[str | None, int]:
    """A `[…]` in fnmatch's syntax (None if it isn't closed) and the index after it."""
    at = start + 1
    negative = at < len(name) and name[at] in "!^"
    at += negative
    chars: list[str] = []
    first = True
    while at < len(name) and (first or name[at] != "]"):
        first = False
        if name.startswith("[:", at) and (end := name.find(":]", at)) > 0:
            chars.append(POSIX.get(name[at + 2 : end], ""))
            at = end + 2
            continue
        at += name[at] == "\\" and at + 1 < len(name)
        chars.append(name[at])
        at += 1
    if at >= len(name):
        return None, at
    body = "".join(chars)
    if "]" in body:  # fnmatch accepts it only as the first character
        body = "]" + body.replace("]", "")
    if body.startswith("!") and not negative:
        body = body[1:] + "!" if len(body) > 1 else "!!"
    return f"[{'!' if negative else ''}{body}]", at + 1


def _matches(parts: tuple[re.Pattern[str] | None, ...], names: list[str]) -> bool:
    """Whether all components match; `**` matches any number of names, at the end at least one."""
    reachable = {0}
    for index, part in enumerate(parts):
        if not reachable:
            return False
        if part is None:
            last = index == len(parts) - 1
            reachable = set(range(min(reachable) + last, len(names) + 1))
        else:
            reachable = {at + 1 for at in reachable if at < len(names) and part.match(names[at])}
    return len(names) in reachable
