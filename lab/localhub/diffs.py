"""Diffs from real `git diff`: files, hunks, which lines can have a comment, and where a line has moved."""

import os
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from lab.localhub.bare import Bare

HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
STATUS = {"A": "added", "D": "removed", "M": "modified", "R": "renamed", "C": "copied", "T": "changed"}
Side = Literal["LEFT", "RIGHT"]


@dataclass(frozen=True)
class Hunk:
    """One hunk. `lines` are its diff lines after the `@@` header, without line ends."""

    old_start: int
    old_length: int
    new_start: int
    new_length: int
    header: str
    lines: tuple[str, ...]

    def numbers(self, side: Side) -> list[int | None]:
        """Returns for each of `lines` the line number of a comment on it on that side; None if it can't have one.

        RIGHT are added and context lines, numbered in the new file; LEFT are only deleted lines, numbered in the old
        file.
        """
        number = self.new_start if side == "RIGHT" else self.old_start
        numbers: list[int | None] = []
        for line in self.lines:
            mark = line[:1]
            on_side = mark in (" ", "+" if side == "RIGHT" else "-")
            numbers.append(number if on_side and (side == "RIGHT" or mark == "-") else None)
            number += on_side
        return numbers

    def holds(self, side: Side, line: int) -> bool:
        """Whether a comment can be on that line of that side."""
        return line in self.numbers(side)

    def spans_deleted(self, start: int, end: int) -> bool:
        """Whether the hunk shows a deleted line between two lines of the new file."""
        numbers = self.numbers("RIGHT")
        if start not in numbers or end not in numbers:
            return False
        between = self.lines[numbers.index(start) : numbers.index(end)]
        return any(line.startswith("-") for line in between)

    def upto(self, side: Side, line: int) -> str:
        """Returns the part of the hunk that GitHub stores with a comment: the header and the lines up to the commented
        one."""
        end = self.numbers(side).index(line) + 1
        return "\n".join([self.header, *self.lines[:end]])


@dataclass(frozen=True)
class FileDiff:
    """One file of a diff; `patch` is None for binary files. `previous` is the old path of a rename."""

    path: str
    previous: str | None
    status: str
    sha: str
    hunks: tuple[Hunk, ...]
    patch: str | None

    @property
    def additions(self) -> int:
        """The number of added lines."""
        return sum(line.startswith("+") for hunk in self.hunks for line in hunk.lines)

    @property
    def deletions(self) -> int:
        """The number of deleted lines."""
        return sum(line.startswith("-") for hunk in self.hunks for line in hunk.lines)

    def hunk_of(self, side: Side, line: int) -> Hunk | None:
        """Returns the hunk with that line, or None."""
        return next((hunk for hunk in self.hunks if hunk.holds(side, line)), None)


@lru_cache(maxsize=512)
def diff(bare: Bare, old: str, new: str, context: int = 3) -> tuple[FileDiff, ...]:
    """Returns the files that differ between two commits (or trees), with rename detection."""
    if bare.sha(old, "tree") is None:
        old = bare.git("hash-object", "-t", "tree", "--stdin").decode().strip()
    flags = ["--no-color", "--no-ext-diff", "--no-textconv", "-M", "--full-index"]
    raw = bare.git("diff", *flags, "--raw", "-z", old, new)
    text = bare.git("diff", *flags, f"-U{context}", old, new).decode(errors="replace")
    sections = re.split(r"^diff --git ", text, flags=re.MULTILINE)[1:]
    files = []
    for status, sha, path, previous in _raw_entries(raw):
        section = sections.pop(0)
        if status == "T":  # a type change is a deletion and an addition
            sections.pop(0)
        files.append(_file(status, sha, path, previous, section))
    return tuple(files)


def pull_diff(bare: Bare, base: str, head: str) -> tuple[FileDiff, ...]:
    """Returns `git diff -U3 base...head`, which a pull request shows and which can have comments."""
    return diff(bare, bare.merge_base(base, head) or base, head)


def find(files: tuple[FileDiff, ...], path: str) -> FileDiff | None:
    """Returns the file of a diff by its new path, or None."""
    return next((file for file in files if file.path == path), None)


def follow(bare: Bare, old: str, new: str, path: str, start: int, end: int) -> tuple[str, int, int] | None:
    """Returns where lines start..end of `path` at `old` are at `new`; None if any of them was changed or deleted."""
    file = next((f for f in diff(bare, old, new, 0) if path in (f.path, f.previous)), None)
    if file is None:
        return path, start, end
    if file.status == "removed" or (file.patch is None and file.status != "renamed"):
        return None
    shift = 0
    for hunk in file.hunks:
        if hunk.old_length == 0 and start <= hunk.old_start < end:
            return None
        last = hunk.old_start + hunk.old_length - 1
        if hunk.old_length and hunk.old_start <= end and last >= start:
            return None
        if max(hunk.old_start, last) < start:
            shift += hunk.new_length - hunk.old_length
    return file.path, start + shift, end + shift


def read_hunk(text: str) -> Hunk | None:
    """Parses a hunk: the `@@` header and the lines below it; returns None if there is no such header."""
    header, *lines = text.split("\n")
    match = HUNK.match(header)
    if match is None:
        return None
    numbers = [1 if group is None else int(group) for group in match.groups()]
    return Hunk(numbers[0], numbers[1], numbers[2], numbers[3], header, tuple(lines))


def _raw_entries(raw: bytes) -> list[tuple[str, str, str, str | None]]:
    """Parses `git diff --raw -z` into (status letter, blob SHA, path, previous path)."""
    fields = [os.fsdecode(part) for part in raw.split(b"\0")]
    entries: list[tuple[str, str, str, str | None]] = []
    at = 0
    while at < len(fields) and fields[at].startswith(":"):
        _, _, before, after, status = fields[at].split()
        letter = status[0]
        if letter in "RC":
            entries.append((letter, after, fields[at + 2], fields[at + 1]))
            at += 3
        else:
            entries.append((letter, before if letter == "D" else after, fields[at + 1], None))
            at += 2
    return entries


def _file(status: str, sha: str, path: str, previous: str | None, section: str) -> FileDiff:
    """Parses one file from its part of the diff."""
    start = re.search(r"^@@ ", section, flags=re.MULTILINE)
    patch = section[start.start() :].removesuffix("\n") if start else None
    hunks: list[Hunk] = []
    for part in re.split(r"^(?=@@ )", patch, flags=re.MULTILINE)[1:] if patch else []:
        hunk = read_hunk(part.removesuffix("\n"))
        if hunk:
            hunks.append(hunk)
    return FileDiff(path, previous, STATUS.get(status, "modified"), sha, tuple(hunks), patch)
