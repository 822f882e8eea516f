"""A change as the guard's rules see it: its files before and after, and the errors that it should fix."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from healing.model import Category, CIError
from healing.verify.guard.reading import readings
from healing.verify.guard.reading.marks import FileMarks, MarkKind

Change = tuple[bytes | None, bytes | None]  # old and new bytes; None: no such file

AT_FAULT = "since CI found fault with it"  # why a file outside the product may change at all


class Follows(NamedTuple):
    """What a fix writes in a file in place of something else, where it does nothing but to follow the pull request: a
    word, or (`in_text`) a part of a text that the product prints."""

    old: str
    new: str
    in_text: bool = False


# Files in which an error lies though CI names none of them.
AtFault = Mapping[str, Follows | None]
NOWHERE: AtFault = {}


@dataclass(frozen=True)
class GuardFinding:
    """A rule's objection to a file. `flag`: worth a reviewer's look, but no reason to refuse."""

    rule: str
    path: str
    why: str
    flag: bool = False

    def __str__(self) -> str:
        return f"{self.path}: {self.why}" if self.path else self.why


@dataclass(frozen=True)
class File:
    """One changed file."""

    path: str
    old: bytes | None
    new: bytes | None
    mode: str = "100644"  # the git mode of a created file

    @cached_property
    def readings(self) -> tuple[FileMarks, FileMarks]:
        """The marks and tests in it before and after."""
        return readings(self.path, self.old, self.new)


@dataclass(frozen=True)
class WholeChange:
    """The whole change. `read` returns the files before it; `by_tool`: a program that rewrites files made it;
    `at_fault` are files in which an error lies though CI names none of them."""

    files: tuple[File, ...]
    errors: tuple[CIError, ...] = ()
    read: Callable[[str], bytes | None] = field(default=lambda _: None)
    by_tool: bool = False
    at_fault: AtFault = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        changes: Mapping[str, Change],
        errors: tuple[CIError, ...],
        read: Callable[[str], bytes | None],
        modes: Mapping[str, str],
        by_tool: bool = False,
        at_fault: AtFault = NOWHERE,
    ) -> "WholeChange":
        """Builds the change from changed files, in the order of their paths."""
        files = (File(path, *changes[path], modes.get(path, "100644")) for path in sorted(changes))
        return cls(tuple(files), errors, read, by_tool, at_fault)

    @cached_property
    def named(self) -> frozenset[str]:
        """Files that CI itself found fault with; a test that merely fails is not at fault. If an error that a tool
        fixes names no file, it is about the files that the tool changed."""
        faults = [e for e in self.errors if e.category != Category.TEST]
        unnamed = self.by_tool and any(e.file is None for e in faults)
        reported = (e.file for e in faults if e.file)
        return frozenset((*self.at_fault, *reported, *(f.path for f in self.files if unnamed)))

    def gained(self, kind: MarkKind) -> Iterator[tuple[File, list[str]]]:
        """The files that hold more marks of a kind than before, with their details. Marks that moved from one changed
        file to another don't count."""
        total: Counter[str] = Counter()
        by_file = [(file, _gain(file, kind)) for file in self.files]
        for _, gain in by_file:
            total.update(gain)
        for file, gain in by_file:
            more = sorted(detail for detail, count in gain.items() if count > 0 and total[detail] > 0)
            if more:
                yield file, more

    def report_added_marks(self, rule: str, kind: MarkKind, why: str, flag: bool = False) -> Iterator[GuardFinding]:
        """A finding for each file with more marks of a kind; `{}` in `why` stands for the details."""
        for file, details in self.gained(kind):
            yield GuardFinding(rule, file.path, why.format(", ".join(details)[:120]), flag)


def _gain(file: File, kind: MarkKind) -> Counter[str]:
    before, after = file.readings
    gain = Counter(_of(after, kind))
    gain.subtract(Counter(_of(before, kind)))
    return gain


def _of(reading: FileMarks, kind: MarkKind) -> Iterable[str]:
    return (detail for (of, detail) in reading.marks.elements() if of == kind)
