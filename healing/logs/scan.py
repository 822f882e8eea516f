"""One pass over a log: every reader is shown the lines that its hints ask for, and none knows of another."""

from collections.abc import Iterator, Sequence, Set
from functools import cache

from healing.logs.format import Finding, Format, Reader
from healing.logs.lines import Block, Line, marked_line
from healing.logs.paths import Paths
from healing.logs.prefilter import Prefilter
from healing.logs.sections import HINTS, Section, Sections
from healing.logs.streams import Stream, streams


class Scan:
    """Feeds blocks of a log, first to last, to fresh readers of every format: a set for each program that writes."""

    def __init__(self, kinds: Sequence[Format], paths: Paths) -> None:
        self._kinds = kinds
        self._paths = paths
        self._readers: dict[str, list[Reader]] = {}
        self._filter = _prefilter((HINTS, *(kind.hints for kind in kinds)))
        self._sections = Sections()
        self.last = 0

    @property
    def checkout_sha(self) -> str | None:
        """See `Sections.checkout_sha`."""
        return self._sections.checkout_sha

    def read(self, block: Block) -> Iterator[tuple[int, Finding]]:
        """What is certain after this block, as (rank, finding)."""
        for stream in streams(block):
            if stream.texts:
                yield from self._read(stream)
        self.last = block.first + block.text.count("\n")

    def _read(self, stream: Stream) -> Iterator[tuple[int, Finding]]:
        view = _View(stream)
        structure, *hits = self._filter.hits("\n".join(stream.texts), stream.texts)
        hidden = {index for index in structure if self._sections.hides(view[index])} if not stream.name else set()
        if stream.name not in self._readers:
            self._readers[stream.name] = [kind.start(self._paths) for kind in self._kinds]
        for kind, reader, mine in zip(self._kinds, self._readers[stream.name], hits, strict=True):
            for finding in _show(reader, view, _wanted(mine, kind.before, len(view)), hidden):
                yield kind.rank, finding

    def close(self) -> Iterator[tuple[int, Finding]]:
        """What was still open when the log ended."""
        for readers in self._readers.values():
            for kind, reader in zip(self._kinds, readers, strict=True):
                for finding in reader.close():
                    yield kind.rank, finding

    def sections(self) -> tuple[Section, ...]:
        """The steps that were seen."""
        return self._sections.done(self.last)


@cache
def _prefilter(hints: tuple[tuple[str, ...], ...]) -> Prefilter:
    """Made once for the same formats: the automaton of some hundred literals takes as long as a small log's reading."""
    return Prefilter(hints)


class _View:
    """The lines of a stream, made only when somebody looks."""

    def __init__(self, stream: Stream) -> None:
        self.texts = stream.texts
        self._numbers = stream.numbers
        self._made: dict[int, Line] = {}

    def __len__(self) -> int:
        return len(self.texts)

    def __getitem__(self, index: int) -> Line:
        line = self._made.get(index)
        if line is None:
            line = self._made[index] = marked_line(self._numbers[index], self.texts[index])
        return line


def _wanted(hits: Sequence[int], before: int, size: int) -> list[int]:
    """The hits with the lines before them, and the block's end, which may be what comes before the next hit."""
    end = range(max(0, size - before), size)
    if not hits:
        return list(end)
    return sorted({*end, *(i for hit in hits for i in range(max(0, hit - before), hit + 1))})


def _show(reader: Reader, view: _View, wanted: Sequence[int], hidden: Set[int]) -> Iterator[Finding]:
    """The wanted lines; a busy reader gets every next one too."""
    at = 0
    for stop in wanted:
        while reader.busy and at < stop:
            if at not in hidden:
                yield from reader.read(view[at])
            at += 1
        if stop not in hidden:
            yield from reader.read(view[stop])
        at = stop + 1
    while reader.busy and at < len(view):
        if at not in hidden:
            yield from reader.read(view[at])
        at += 1
