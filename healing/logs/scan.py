"""One pass over a log: every reader is shown the lines that its hints ask for, and none knows of another."""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field
from functools import cache

from healing.logs.format import Finding, Format, Reader
from healing.logs.lines import Block, Line, marked_line
from healing.logs.paths import Paths
from healing.logs.prefilter import Prefilter
from healing.logs.sections import HINTS, Section, Sections
from healing.logs.streams import SIGNS, Stream, streams


@dataclass(slots=True)
class _Seat:
    """A reader, and the number of the last line that it was shown."""

    kind: Format
    reader: Reader
    shown: int = 0


@dataclass(slots=True)
class _Room:
    """The readers of one program's lines, and its last lines: they may stand before a hit in the next block."""

    seats: list[_Seat]
    tail: list[tuple[int, str]] = field(default_factory=list)


class Scan:
    """Feeds blocks of a log, first to last, to fresh readers of every format: a set for each program that writes."""

    def __init__(self, kinds: Sequence[Format], paths: Paths) -> None:
        self._kinds = kinds
        self._paths = paths
        self._rooms: dict[str, _Room] = {}
        self._filter = _prefilter((SIGNS, HINTS, *(kind.hints for kind in kinds)))
        self._before = max((kind.before for kind in kinds), default=0)
        self._sections = Sections()
        self.last = 0

    @property
    def checkout_sha(self) -> str | None:
        """See `Sections.checkout_sha`."""
        return self._sections.checkout_sha

    def read(self, block: Block) -> Iterator[tuple[int, Finding]]:
        """What is certain after this block, as (rank, finding)."""
        whole = Stream("", range(block.first, block.first + block.text.count("\n") + 1), block.lines())
        signs, *hits = self._filter.hits(block.text + "\n", whole.texts)
        if not signs:
            yield from self._read(whole, hits)
        else:
            for stream in streams(whole):
                _, *own = self._filter.hits("\n".join([*stream.texts, ""]), stream.texts)
                yield from self._read(stream, own)
        self.last = whole.numbers[-1]

    def _read(self, stream: Stream, found: Sequence[list[int]]) -> Iterator[tuple[int, Finding]]:
        """Shows a program's lines; `found` are the hits of the sections' hints and of each format's.

        A hint may be the end of a line, so the last line had its newline too.
        """
        room = self._rooms.get(stream.name)
        if room is None:
            room = self._rooms[stream.name] = _Room([_Seat(kind, kind.start(self._paths)) for kind in self._kinds])
        view = _View(stream, room.tail)
        structure, *hits = found
        hidden = {index for index in structure if self._sections.hides(view[index])} if not stream.name else set()
        for seat, mine in zip(room.seats, hits, strict=True):
            if mine or seat.reader.busy:
                for finding in _show(seat, view, mine, hidden):
                    yield seat.kind.rank, finding
        room.tail = view.tail(self._before, hidden)

    def close(self) -> Iterator[tuple[int, Finding]]:
        """What was still open when the log ended."""
        for room in self._rooms.values():
            for seat in room.seats:
                for finding in seat.reader.close():
                    yield seat.kind.rank, finding

    def sections(self) -> tuple[Section, ...]:
        """The steps that were seen."""
        return self._sections.done(self.last)


@cache
def _prefilter(hints: tuple[tuple[str, ...], ...]) -> Prefilter:
    """Made once for the same formats: the automaton of some hundred literals takes as long as a small log's reading."""
    return Prefilter(hints)


class _View:
    """The lines of a stream, made only when somebody looks; below index 0 those that came before it."""

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
        """The last lines that are not hidden."""
        last = range(max(0, len(self.texts) - count), len(self.texts))
        mine = [(self._numbers[index], self.texts[index]) for index in last if index not in hidden]
        return [*self.before, *mine][-count:] if count else []


def _wanted(hits: Sequence[int], before: int, first: int) -> Sequence[int]:
    """The hits with the lines before them."""
    if not before:
        return hits
    return sorted({i for hit in hits for i in range(max(first, hit - before), hit + 1)})


def _show(seat: _Seat, view: _View, hits: Sequence[int], hidden: Set[int]) -> Iterator[Finding]:
    """The hits with the lines before them, none twice; a busy reader gets every next one too."""
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
