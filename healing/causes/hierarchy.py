"""Which cause is behind another one: a file that doesn't parse behind the import errors of files that need it, a
failing import behind what it stops, a type's own error behind its users'.

A cause is explained only where its errors point to the other's file: by a stack that runs through it, or by the name of
the module or of something defined there, where its files also import that file.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from healing.causes import order
from healing.graph import Graph
from healing.model import Category, CIError, RootCause

BROKEN = {Category.SYNTAX, Category.INDENTATION}
LOADING = ("no-module", "missing-member")  # families; the shape of their causes starts with them
USING = {Category.TYPE, Category.COMPILE, Category.IMPORT}
STEPS = 3  # imports between a file and one that it needs
MAX_NEEDED = 300  # files that one file needs over so few steps; with more, nearly everything depends on everything
MAX_CLUES = 200  # names and frames of one cause that are followed


def explain(causes: Sequence[RootCause], errors: Iterable[CIError], graph: Graph) -> tuple[RootCause, ...]:
    """The same causes in the same order, with `explained_by` set where another cause is behind one. A cause that
    explains others is not explained itself: chains end in their first cause."""
    by_id = {error.id: error for error in errors}
    known = {cause.fingerprint: Known(cause, _errors(cause, by_id)) for cause in causes}
    behind = RootCauseFinder(
        sorted(
            known.values(), key=lambda known_cause: (known_cause.rank, known_cause.place, known_cause.cause.fingerprint)
        ),
        graph,
    )
    heads = ((cause, behind.first(cause.fingerprint)) for cause in causes)
    return tuple(cause.model_copy(update={"explained_by": head}) if head else cause for cause, head in heads)


def independent(causes: Iterable[RootCause]) -> tuple[RootCause, ...]:
    """The causes that nothing explains: those left to fix."""
    return tuple(cause for cause in causes if not cause.explained_by)


def _errors(cause: RootCause, by_id: Mapping[str, CIError]) -> tuple[CIError, ...]:
    return tuple(by_id[error_id] for error_id in cause.error_ids if error_id in by_id)


@dataclass(frozen=True)
class Known:
    """A cause with its errors. `rank`: a cause is never explained by one of a larger rank."""

    cause: RootCause
    errors: tuple[CIError, ...]

    @cached_property
    def rank(self) -> int:
        if self.cause.category in BROKEN:
            return 0
        if self.cause.category is Category.IMPORT or self.cause.shape.startswith(LOADING):
            return 1
        return 2 if self.cause.category in USING else 3

    @cached_property
    def place(self) -> tuple[str, int, int, str, str, str]:
        return min(map(order, self.errors), default=("", 0, 0, "", "", ""))

    @cached_property
    def files(self) -> frozenset[str]:
        """The files that the errors are in."""
        return frozenset(error.file for error in self.errors if error.file)

    @cached_property
    def frames(self) -> frozenset[str]:
        """The files that the errors' stacks go through."""
        return frozenset(frame.file for error in self.errors[:MAX_CLUES] for frame in error.related if frame.file)


class RootCauseFinder:
    """Finds for each cause the one behind it."""

    def __init__(self, ordered: Sequence[Known], graph: Graph) -> None:
        self.graph = graph
        self.by_file: dict[str, list[Known]] = {}
        self.needed: dict[str, frozenset[str]] = {}
        self.found: dict[str, str] = {}
        for known in ordered:
            if known.rank < 3:
                for file in known.files:
                    self.by_file.setdefault(file, []).append(known)
        self.stems: dict[str, list[str]] = {}
        for file in sorted(self.by_file):
            self.stems.setdefault(_stem(file), []).append(file)
        for known in ordered:
            head = next(self._heads(known), None) if known.rank > 0 else None
            if head is not None:
                self.found[known.cause.fingerprint] = head.cause.fingerprint

    def first(self, fingerprint: str) -> str:
        """The first cause behind one; empty where nothing explains it."""
        head, visited = self.found.get(fingerprint, ""), {fingerprint}
        while head in self.found and head not in visited:
            visited.add(head)
            head = self.found[head]
        return head

    def _heads(self, known_cause: Known) -> Iterator[Known]:
        for file in self._pointed_at(known_cause):
            for head in self.by_file.get(file, ()):
                if head.cause is not known_cause.cause and self._explains(head, file, known_cause):
                    yield head

    def _pointed_at(self, known_cause: Known) -> Iterator[str]:
        """Files with an error of their own that this cause's errors point to, the most certain first."""
        yield from sorted(known_cause.frames & self.by_file.keys())
        if known_cause.rank > 2:
            return  # a failing test is explained by what it runs, not by what it names
        for symbol in known_cause.cause.symbols[:MAX_CLUES]:
            yield from self.stems.get(_last(symbol), ())
            yield from (file for file in self.graph.defining(_last(symbol))[:5] if file in self.by_file)

    def _explains(self, head: Known, file: str, known_cause: Known) -> bool:
        if head.rank > known_cause.rank or self.first(head.cause.fingerprint) == known_cause.cause.fingerprint:
            return False
        if head.rank == 1 and file not in known_cause.frames:
            return False
        if head.rank == 2 and not (known_cause.rank == 2 and self._of_one_type(head, file, known_cause)):
            return False
        if not known_cause.files or file in known_cause.files:
            return False
        return file in known_cause.frames or self._need(
            known_cause.files, file
        )  # a stack through a file shows that it is needed

    def _of_one_type(self, head: Known, file: str, known_cause: Known) -> bool:
        """Whether both name something that the head's file defines."""
        shared = {_last(name) for name in head.cause.symbols} & {_last(name) for name in known_cause.cause.symbols}
        return any(self.graph.defines(file, name) for name in shared)

    def _need(self, users: frozenset[str], file: str) -> bool:
        """Whether each of these files imports `file`, directly or through a few others."""
        return len(users) <= MAX_CLUES and all(file in self._needed_by(user) for user in users)

    def _needed_by(self, user: str) -> frozenset[str]:
        if user not in self.needed:
            seen, level = {user}, {user}
            for _ in range(STEPS):
                level = {target for file in level for target in self.graph.imports(file)} - seen
                if not level or len(seen) > MAX_NEEDED:
                    break
                seen |= level
            self.needed[user] = frozenset(seen)
        return self.needed[user]


def _stem(file: str) -> str:
    path = PurePosixPath(file)
    return path.parent.name if path.stem in ("__init__", "index", "mod", "lib") else path.stem


def _last(name: str) -> str:
    return name.replace("::", ".").replace("/", ".").rpartition(".")[2]
