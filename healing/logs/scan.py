"""One pass over a log that gives every format's reader the lines that match its hints. Readers are independent."""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Literal

from healing.logs.documents.capture import HINTS as OPENINGS
from healing.logs.documents.found import Documents
from healing.logs.format import Finding, Format, Reader
from healing.logs.formats.generic.quiet import RANK as LAST_WORDS
from healing.logs.lines import LINE_CHARS, Block, Line, marked_line
from healing.logs.paths import Paths
from healing.logs.prefilter import Prefilter
from healing.logs.sections import HINTS, Section, Sections
from healing.logs.streams import SIGNS, Stream, has_interleaved_output, streams
from healing.logs.unusual import HINTS as ENDS
from healing.logs.unusual import RANK as UNUSUAL
from healing.logs.unusual import Unusual
from healing.logs.verdict import EndingVerdict

# The owner of a set of literals: the format at that index (below 0: its later hints, counted from -1), or one of ours.
_Owner = int | Literal["openings", "signs", "structure", "ends"]
_Hits = Mapping[_Owner, Sequence[int]]


@dataclass(slots=True)
class _Seat:
    """A reader, and the number of the last line that it read."""

    kind: Format
    reader: Reader
    shown: int = 0


@dataclass(slots=True)
class _Room:
    """The readers of one program's lines, which of them are busy, and the last lines, which the next hit may need.

    `passed` is the block after `tail`, if no reader needed a line of it.
    """

    seats: list[_Seat]
    busy: set[int]
    tail: list[tuple[int, str]] = field(default_factory=list)
    passed: Block | None = None


class Scan:
    """Feeds the blocks of a log, first to last, to new readers of every format: one set for each program that writes.

    `documents`, if given, gets the blocks too.
    """

    def __init__(self, kinds: Sequence[Format], paths: Paths, documents: Documents | None = None) -> None:
        self._kinds = kinds
        self._paths = paths
        self._documents = documents
        self._rooms = {"": self._room()}
        self._filter = _prefilter(tuple((kind.hints, kind.later) for kind in kinds))
        self._asleep: set[_Owner] = {~index for index in range(len(kinds))}
        self._before = max((kind.before for kind in kinds), default=0)
        self._sections = Sections()
        self._unusual = Unusual()
        self.last = 0
        self.command_failed = False  # whether it is known that the command failed whose output this is

    @property
    def checkout_sha(self) -> str | None:
        """See `Sections.checkout_sha`."""
        return self._sections.checkout_sha

    def read(self, block: Block) -> Iterator[tuple[int, Finding]]:
        """The findings that are complete after this block, as (rank, finding). Most blocks are noise without a hint."""
        self.last = block.first + block.count - 1
        hits = self._filter.hits(block.heads, self._asleep)
        if self._documents:
            self._documents.take(block, hits.get("openings", ()))
            if self._documents.has_given_up:
                self._asleep.add("openings")
        self._unusual.read(block, hits.get("ends", ()))
        room = self._rooms[""]
        if "signs" in hits and has_interleaved_output(block.lines, hits["signs"]):
            for stream in streams(Stream("", range(block.first, self.last + 1), block.lines)):
                content = "\n".join(["", *(text[:LINE_CHARS] for text in stream.texts), ""])
                yield from self._read(stream, self._filter.hits(content.encode()))
        elif hits or room.busy or block.count < self._before:
            yield from self._read(Stream("", range(block.first, self.last + 1), block.lines), hits)
        else:
            room.passed = block

    def _room(self) -> _Room:
        seats = [_Seat(kind, kind.start(self._paths)) for kind in self._kinds]
        return _Room(seats, {index for index, seat in enumerate(seats) if seat.reader.busy})

    def _read(self, stream: Stream, hits: _Hits) -> Iterator[tuple[int, Finding]]:
        """Feeds a program's lines to the readers with a hit in them, and to the busy ones."""
        room = self._rooms.get(stream.name)
        if room is None:
            room = self._rooms[stream.name] = self._room()
        view = _View(stream, _tail(room, self._before))
        structure = () if stream.name else hits.get("structure", ())
        hidden = {index for index in structure if self._sections.hides(view[index])}
        asked = {max(owner, ~owner) for owner in hits if isinstance(owner, int)}
        for index in sorted(room.busy | asked):
            seat = room.seats[index]
            for finding in _show(seat, view, _asked(seat, hits.get(index, ()), hits.get(~index, ())), hidden):
                yield seat.kind.rank, _of(stream.name, finding)
            (room.busy.add if seat.reader.busy else room.busy.discard)(index)
            if seat.shown:
                self._asleep.discard(~index)
        room.tail = view.tail(self._before, hidden)

    def close(self) -> Iterator[tuple[int, Finding]]:
        """The findings that were incomplete when the log ended."""
        if self._documents:
            self._documents.close()
        for program, room in self._rooms.items():
            for seat in room.seats:
                for finding in seat.reader.close():
                    yield seat.kind.rank, _of(program, finding)
        yield from ((UNUSUAL, finding) for finding in self._unusual.close(failed=self.verdict.ended_badly()))
        if self.command_failed:
            yield from ((LAST_WORDS, finding) for finding in self._unusual.last_words())

    @property
    def verdict(self) -> EndingVerdict:
        """How the job ended, according to its log."""
        return self._sections.verdict

    def after(self, number: int) -> list[str]:
        """See `Unusual.after`."""
        return self._unusual.after(number)

    @property
    def something_failed(self) -> bool:
        """Whether the command is known to have failed, or anything in the log reports a failure."""
        return self.command_failed or self._unusual.ended_badly or self.verdict.something_failed()

    def sections(self) -> tuple[Section, ...]:
        """The steps that were read."""
        return self._sections.done(self.last)


def _of(program: str, finding: Finding) -> Finding:
    return replace(finding, program=program) if program else finding


@cache
def _prefilter(hints: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]) -> Prefilter[_Owner]:
    """The prefilter, cached by its hints: building the automaton of some thousand literals takes as long as a small
    log."""
    owned: dict[_Owner, Sequence[str]] = {"openings": OPENINGS, "signs": SIGNS, "structure": HINTS, "ends": ENDS}
    for index, (wake, later) in enumerate(hints):
        owned[index], owned[~index] = wake, later
    return Prefilter(owned)


def _tail(room: _Room, count: int) -> list[tuple[int, str]]:
    """The last lines that the room's readers may need before the next one."""
    block, room.passed = room.passed, None
    if block is None:
        return room.tail
    start = block.count - count
    return [(block.first + at, text[:LINE_CHARS]) for at, text in enumerate(block.lines[start:], start)]


class _View:
    """The lines of a stream, created on demand; negative indices are the lines before it."""

    def __init__(self, stream: Stream, before: list[tuple[int, str]]) -> None:
        self.texts = stream.texts
        self.before = before
        self._numbers = stream.numbers
        self._made: dict[int, Line] = {}

    def __len__(self) -> int:
        return len(self.texts)

    def __getitem__(self, index: int) -> Line:
        line = self._made.get(index)
        if line is None:
            number, text = (self._numbers[index], self.texts[index]) if index >= 0 else self.before[index]
            line = self._made[index] = marked_line(number, text)
        return line

    def tail(self, count: int, hidden: Set[int]) -> list[tuple[int, str]]:
        """The last `count` lines that are not hidden."""
        last = range(max(0, len(self.texts) - count), len(self.texts))
        lines = [(self._numbers[index], self.texts[index][:LINE_CHARS]) for index in last if index not in hidden]
        return [*self.before, *lines][-count:] if count else []


def _asked(seat: _Seat, hits: Sequence[int], later: Sequence[int]) -> Sequence[int]:
    """The hits of a reader; those of its later hints count once it has read a line."""
    return sorted({*hits, *later}) if later and (hits or seat.shown) else hits


def _wanted(hits: Sequence[int], before: int, first: int) -> Sequence[int]:
    """The hits with the lines before them."""
    if not before:
        return hits
    return sorted({i for hit in hits for i in range(max(first, hit - before), hit + 1)})


def _show(seat: _Seat, view: _View, hits: Sequence[int], hidden: Set[int]) -> Iterator[Finding]:
    """Feeds the hits with the lines before them to the reader, none twice; a busy one gets every next line too."""
    reader, at, shown = seat.reader, 0, seat.shown
    hidden = frozenset() if seat.kind.runner else hidden
    for stop in _wanted(hits, seat.kind.before, -len(view.before)):
        while reader.busy and at < stop:
            if at not in hidden:
                yield from reader.read(view[at])
            at += 1
        if stop not in hidden and (stop >= 0 or view[stop].number > shown):
            yield from reader.read(view[stop])
            seat.shown = view[stop].number
        at = max(at, stop + 1)
    while reader.busy and at < len(view):
        if at not in hidden:
            yield from reader.read(view[at])
            seat.shown = view[at].number
        at += 1
