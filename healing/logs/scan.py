"""One pass over a log: every reader is shown the lines that its hints ask for, and none knows of another."""

from collections.abc import Iterator, Sequence, Set
from functools import cache

from healing.logs.format import Finding, Format, Reader
from healing.logs.lines import Block, Line, marked_line
from healing.logs.paths import Paths
from healing.logs.prefilter import Prefilter
from healing.logs.sections import HINTS, Section, Sections


class Scan:
    """Feeds blocks of a log, first to last, to a fresh reader of every format."""

    def __init__(self, kinds: Sequence[Format], paths: Paths) -> None:
        self._readers = [(kind, kind.start(paths)) for kind in kinds]
        self._filter = _prefilter((HINTS, *(kind.hints for kind in kinds)))
        self._sections = Sections()
        self.last = 0

    @property
    def checkout_sha(self) -> str | None:
        """See `Sections.checkout_sha`."""
        return self._sections.checkout_sha

    def read(self, block: Block) -> Iterator[tuple[int, Finding]]:
        """What is certain after this block, as (rank, finding)."""
        view = _View(block)
        structure, *hits = self._filter.hits(block.text, view.texts)
        hidden = {index for index in structure if self._sections.hides(view[index])}
        for (kind, reader), mine in zip(self._readers, hits, strict=True):
            for finding in _show(reader, view, _wanted(mine, kind.before, len(view)), hidden):
                yield kind.rank, finding
        self.last = block.first + len(view) - 1

    def close(self) -> Iterator[tuple[int, Finding]]:
        """What was still open when the log ended."""
        for kind, reader in self._readers:
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
    """The lines of a block, made only when somebody looks."""

    def __init__(self, block: Block) -> None:
        self.texts = block.lines()
        self._first = block.first
        self._made: dict[int, Line] = {}

    def __len__(self) -> int:
        return len(self.texts)

    def __getitem__(self, index: int) -> Line:
        line = self._made.get(index)
        if line is None:
            line = self._made[index] = marked_line(self._first + index, self.texts[index])
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
