"""A pull request whose commits are real ones of git, and files of which it is known which fixes are in them."""

import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.handlers.hub import Files, MemoryHub


class GitHub(MemoryHub):
    """Commits, and what they have in common, are git's."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder
        self._bases: dict[tuple[str, str], str | None] = {}

    def git(self, *args: str, data: bytes = b"") -> bytes:
        """What git prints."""
        return subprocess.run(["git", *args], cwd=self.folder, input=data, capture_output=True, check=True).stdout

    def commit(self, files: Files, message: str = "change", *parents: str) -> str:
        text = message.encode()
        now = 1_700_000_000 + len(self.commits)  # the same files again are another commit
        lines = [b"commit refs/heads/x", b"mark :1", b"committer Ada <ada@example.com> %d +0000" % now]
        lines += [b"data %d\n%s" % (len(text), text)]
        lines += [b"%s %s" % (word, sha.encode()) for word, sha in zip((b"from", b"merge"), parents, strict=False)]
        lines += [b"deleteall"]
        for path, data in sorted(files.items()):
            lines += [b"M 100644 inline %s" % path.encode(), b"data %d\n%s" % (len(data), data)]
        stream = b"\n".join([*lines, b"", b"get-mark :1", b""])
        sha = self.git("fast-import", "--quiet", "--force", "--cat-blob-fd=1", data=stream).decode().strip()
        self.commits[sha] = (dict(files), message)
        return sha

    def files_of(self, sha: str) -> Files:
        """As git has them."""
        names = self.git("ls-tree", "-r", "-z", sha).decode().split("\0")[:-1]
        found = [(line.split("\t")[1], line.split()[2]) for line in names]
        out, files = self.git("cat-file", "--batch", data="\n".join(id_ for _, id_ in found).encode() + b"\n"), {}
        for path, _ in found:
            head, _, out = out.partition(b"\n")
            size = int(head.split()[2])
            files[path], out = out[:size], out[size + 1 :]
        return files

    async def merge_base(self, base: str, head: str) -> str | None:
        tips = {pull.base_ref: pull.base_sha for pull in self.pulls.values()}
        one, other = tips.get(base, base), head
        if {one, other} & self.lost or not {one, other} <= self.commits.keys():
            return None
        if (one, other) not in self._bases:
            self._bases[one, other] = self.git("merge-base", one, other).decode().strip() or None
        return self._bases[one, other]


class Fix(NamedTuple):
    """Lines that a fix changes. `crowd`: right beside those of others of the same name."""

    number: int
    before: tuple[str, ...]
    after: tuple[str, ...]
    crowd: str = ""
    introduced: bool = False  # by the pull request: the base branch never had what is wrong


class Note(NamedTuple):
    """A place where somebody may write lines of their own, or (from version 2 on) copies of lines that a fix changes,
    as they are without it and with it."""

    number: int
    copies: tuple[tuple[str, ...], ...] = ()

    def lines(self, version: int) -> tuple[str, ...]:
        """What is written there in a version; nothing in version 0."""
        if 2 <= version < 2 + len(self.copies):
            return self.copies[version - 2]
        return (f"# note {self.number}.{version}",) if version else ()


class Layout(NamedTuple):
    """The parts of a file. `last`: how the last line ends."""

    parts: tuple[str | Fix | Note, ...]
    end: str = "\n"
    last: str = "\n"


TWO = ("def two():", "    x = 1", "    return None", "")
FIXED_TWO = ("def two():", "    x = 2", "    return None", "")
LAYOUTS = {
    "shop.py": Layout(
        (
            Fix(0, ("import json",), ()),  # the first line
            *("import os", "import re", ""),
            *(Note(0, (TWO, FIXED_TWO)), "", "def one():", "    x = 1", "    return None", "", ""),
            *("def two():", Fix(1, ("    x = 1",), ("    x = 2",), introduced=True), "    return None", "", ""),
            *("def three():", Fix(2, (), ("    y = 1", "    x = 1")), "    return y", ""),
            *("", Fix(3, ("",), ()), "", "END = 1", Note(1), "END = 2", "def four():", "    return None"),
            Fix(4, ("    return None",), ()),  # the last line, and the one before is the same
        )
    ),
    "rows.txt": Layout(
        (
            *("b", "a", Fix(5, ("a",), ()), "a", "b", "}", Note(2), "}"),
            *("z", Fix(6, ("q",), ("z", "z"), introduced=True), "z", "b", "}", "}", Fix(7, (), ("}",))),
        ),
        "\r\n",
        "\r\n",
    ),
    "open.py": Layout(
        (Fix(8, (), ("import math", "")), "def area():", Note(3), "    pass", Fix(9, ("x",), ("x = 1",))), "\n", ""
    ),
    "crowd.py": Layout(
        (
            "top",
            Fix(10, ("import a1",), (), "crowd"),
            Fix(11, ("import a2",), (), "crowd"),
            Fix(12, ("import a3",), ("import b3", "import b4"), "crowd", introduced=True),
            *("end", Note(4), "end"),
        )
    ),
}
FIXES = {part.number: part for layout in LAYOUTS.values() for part in layout.parts if isinstance(part, Fix)}
NOTES = [part.number for layout in LAYOUTS.values() for part in layout.parts if isinstance(part, Note)]
INTRODUCED = frozenset(number for number, fix in FIXES.items() if fix.introduced)
FILE_OF = {part.number: path for path, layout in LAYOUTS.items() for part in layout.parts if isinstance(part, Fix)}


def id_of(number: int) -> str:
    """Its id at Heal; the first eight characters say which it is."""
    return f"{number:02}fix{number:04}"


def crowded(number: int) -> bool:
    """Whether it is right beside others."""
    return bool(FIXES[number].crowd)


@dataclass(frozen=True)
class State:
    """What is in a commit: these fixes, these notes (number → how manieth), and another file's version."""

    fixes: frozenset[int] = frozenset()
    notes: tuple[tuple[int, int], ...] = ()
    other: int = 0

    def noted(self, number: int, version: int) -> "State":
        """With another note there; 0 is none."""
        notes = {**dict(self.notes), number: version}
        return State(self.fixes, tuple(sorted((n, v) for n, v in notes.items() if v)), self.other)

    def with_fixes(self, fixes: Iterable[int]) -> "State":
        """With exactly these fixes."""
        return State(frozenset(fixes), self.notes, self.other)

    def files(self) -> Files:
        """Byte for byte."""
        return {**_files(self.fixes, self.notes), "other.txt": b"%d\n" % self.other}


@cache
def _files(fixes: frozenset[int], notes: tuple[tuple[int, int], ...]) -> Files:
    versions = dict(notes)
    made: Files = {}
    for path, layout in LAYOUTS.items():
        lines: list[str] = []
        for part in layout.parts:
            if isinstance(part, Fix):
                lines += part.after if part.number in fixes else part.before
            elif isinstance(part, Note):
                lines += part.lines(versions.get(part.number, 0))
            else:
                lines.append(part)
        made[path] = (layout.end.join(lines) + layout.last).encode()
    return made
