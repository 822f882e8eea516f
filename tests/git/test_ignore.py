"""Ignore patterns mean what they mean to git, and no pattern can stall us."""

import random
import time
from pathlib import Path

from healing.git.ignore import ignored, parse
from tests.git.oracle import git

PIECES = [
    "a",
    "b",
    "*",
    "?",
    "**",
    "/",
    "[ab]",
    "[!a]",
    "[^b]",
    "\\*",
    "\\",
    ".",
    "[[:alpha:]]",
    "[]a]",
    "ab",
    "[a-c",
    "!",
    "#",
    " ",
]
NAMES = ["a", "b", "ab", "a.b", "*", "aab", ".a", "[a-c", "!", "#a", "a b", "]", "ba "]


def test_patterns_match_as_in_git(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", ".")
    dice = random.Random(7)
    for _ in range(150):
        lines = ["".join(dice.choice(PIECES) for _ in range(dice.randint(1, 4))) for _ in range(dice.randint(1, 4))]
        lines = [dice.choice(["", "", "!", "/"]) + line + dice.choice(["", "", "/", " "]) for line in lines]
        data = "\n".join(lines).encode()
        (tmp_path / ".gitignore").write_bytes(data)
        paths = ["/".join(dice.choice(NAMES) for _ in range(dice.randint(1, 3))) for _ in range(12)]
        asked = b"\0".join(path.encode() for path in paths) + b"\0"
        output = git(tmp_path, "check-ignore", "--no-index", "--stdin", "-z", data=asked, ok=(0, 1))
        ours = {path for path in paths if ours_ignores(data, path)}
        assert ours == set(output.decode().split("\0")) - {""}, (lines, paths)


def ours_ignores(data: bytes, path: str) -> bool:
    stack = (parse(data),)
    names = path.split("/")
    above = ["/".join(names[: n + 1]).encode() for n in range(len(names) - 1)]
    return any(ignored(stack, folder, True) for folder in above) or ignored(stack, path.encode(), False)


def test_a_pattern_of_many_stars_is_answered_at_once() -> None:
    started = time.monotonic()
    stack = (parse(b"*a*a*a*a*a*a*a*a*a*a*a*a*b\n" + b"**/" * 60 + b"x*\n"),)
    assert not ignored(stack, b"/".join([b"a" * 200] * 60), False)
    assert time.monotonic() - started < 5
