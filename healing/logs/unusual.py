"""Finds lines before a failing end that are unlike the rest of the log: the last output of an unknown tool.

They need no word for an error. A line is reported if its words and its outline are new among the thousands before it,
however the tool prints; a short log has no "rest", so nothing is reported for it. Each is a guess (rank -2), dropped if
there is any sure error of a tool.
"""

import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass

from healing.logs.format import Finding
from healing.logs.formats.generic.loud import NOT_REPORTED, loudness
from healing.logs.formats.generic.quiet import COMMAND_FAILED, last_words
from healing.logs.lines import LINE_CHARS, Block, marked_line
from healing.logs.wording import EXPECTED_EXIT, outline
from healing.model import Category

RANK = -2
HINTS = (
    "xit code", "xit status", "xited with", "eturn code", "Job failed", "*** [", "marked build", "Finished: FAIL",
    "task run", "was canceled", "ad exit status", "\nfailed\n", "rror]",
)  # fmt: skip
_BLOCKS = 4  # blocks of 64 kB that are kept
_REST = 4_000  # lines that define what is usual
_MINIMUM = 200  # fewer lines don't define it
_REACH = 120  # lines before the end that may be its cause
_LIMIT = 8
_NEW = 2  # a word or shape in no more lines than that is new
_SHARE = 0.5  # of a line's words that have to be new
_LAST = 5  # last lines that are checked in a log without a reported end
_GAP = 1  # from a line of a block to its next: a blank or a usual line separates blocks
_CHARS = 600
# Printed by tools about what they ran.
_WEAK = re.compile(
    r".{0,160}(?:exit(?:ed)?|return)(?: with)?(?: code| status)?:? [1-9]\d{0,2}\W{0,3}$|\++ exit [1-9]"
    r"|make(?:\[\d\])?: \*\*\* .{1,200} Error [1-9]|.{0,80}non-zero return code|error: Bad exit status from |failed$"
    r"|\[(?i:error|fatal)\] .{1,200} failed\b"
)
# Signs of a successful end, where only a word or two of the last lines sound like errors.
WELL = re.compile(
    r"^\W{0,8}(?i:pass(?:ed)?|ok)\b|\bcode:? 0\b|\bis (?:up|healthy|ready)\b|status:? 0\b|\bok: |\bis valid\b"
    r"|\bFinished\b.{0,60} after \d"
    r"|(?i:\b(?:no|zero|0) (?:\w{1,20} )?(?:errors?|fail\w{0,6}|problems?|regressions?|issues?|warnings?)\b"
    r"|\b(?:passed|success\w{0,6}|succeeded|recovered|published|up to date)\b"
    r"|\b(?:ok|pass|done|finished|completed?)\W{0,3}$|[✓✔✅])"
)
# A line of a JSON document, which is read as a whole (`documents/`).
_DATA = re.compile(r"\s{0,200}(?:[]{}[]{1,3},?\s*$|\"[^\"]{1,200}\": )")
_WORD = re.compile(r"[^\W\d_]{3,}")


@dataclass(frozen=True, slots=True)
class _End:
    """A failing end: the blocks up to it, and the index of its line in the last of them."""

    blocks: tuple[Block, ...]
    index: int


class Unusual:
    """Reads a log and stores where a command failed in it."""

    def __init__(self) -> None:
        self._blocks: deque[Block] = deque(maxlen=_BLOCKS)
        self._strong: _End | None = None
        self._weak: _End | None = None
        self._lines: list[str] = []

    def read(self, block: Block, hits: Sequence[int]) -> None:
        """Stores the block; `hits` are the indices of its lines that contain one of `HINTS`."""
        self._blocks.append(block)
        for index in reversed(hits):
            text = marked_line(0, block.lines[index]).text[:_CHARS]
            if EXPECTED_EXIT.match(text):
                continue
            if COMMAND_FAILED.match(text):
                self._strong = _End(tuple(self._blocks), index)
                return
            if self._weak is None or self._weak.blocks[-1] is not block:
                self._weak = _End(tuple(self._blocks), index) if _WEAK.match(text) else self._weak

    @property
    def ended_badly(self) -> bool:
        """Whether the log reports that a command failed."""
        return bool(self._strong or self._weak)

    def after(self, number: int) -> list[str]:
        """The last lines of the log that come after line `number`; for a log that is read to its end."""
        if not self._lines:
            self._lines = [text[:_CHARS] for block in self._blocks for text in block.lines[: block.count]]
        first = self._blocks[0].first if self._blocks else 0
        return self._lines[max(0, number + 1 - first) :]

    def last_words(self) -> Iterable[Finding]:
        """The last lines of the output of a command that is known to have failed."""
        lines = _before(_End(tuple(self._blocks), self._blocks[-1].count)) if self._blocks else []
        return last_words([marked_line(number, text) for number, text in lines[-_LAST:]]) if lines else ()

    def close(self, *, failed: bool) -> Iterator[Finding]:
        """The unusual lines before the last failing end: of each block the first, the most significant and the last.

        Where something failed (`failed`, or the last lines sound like it) but no end is reported, it is the log's end.
        """
        end = self._strong or self._weak
        if end is None and self._blocks and (failed or self._last_lines_are_loud()):
            end = _End(tuple(self._blocks), self._blocks[-1].count)
        if end is None:
            return
        lines = _before(end)
        rest, near = lines[:-_REACH], lines[-_REACH:]
        if len(rest) >= _MINIMUM:
            candidates = list(_new(near, _Usual(rest[-_REST:])))
            for candidate in sorted(sorted(_significant(candidates), reverse=True)[:_LIMIT], key=lambda c: c.number):
                yield candidate.finding()

    def _last_lines_are_loud(self) -> bool:
        last = [text[:_CHARS] for text in self._blocks[-1].lines[-_LAST:] if text.strip() and not _DATA.match(text)]
        loudest = max(map(loudness, last), default=0)
        if not last or WELL.search(last[-1]):
            return False
        return loudest > 1 or (loudness(last[-1]) > 0 and not any(WELL.search(text) for text in last))


@dataclass(frozen=True, order=True, slots=True)
class _Candidate:
    """A line, ordered by significance; of equal ones the later is greater."""

    loud: int
    new: float
    number: int
    text: str

    def finding(self) -> Finding:
        """The finding, with a score below that of any line that sounds like an error."""
        return Finding(
            tool="log",
            category=Category.RUNTIME,
            message=self.text.strip(),
            log_line=self.number,
            excerpt=self.text,
            score=round(0.08 + 0.06 * self.new + 0.03 * self.loud, 3),
        )


class _Usual:
    """The words and outlines in the rest of the log."""

    def __init__(self, lines: Sequence[tuple[int, str]]) -> None:
        texts = [text for _, text in lines]
        self._words = Counter(word for text in texts for word in _words(text))
        self._shapes = Counter(outline(text) for text in texts)

    def newness(self, text: str) -> float:
        """The share of the line's words that are new; 0 where its outline is common."""
        words = _words(text)
        if len(words) < 2 or self._shapes[outline(text)] > _NEW:
            return 0.0
        return sum(self._words[word] <= _NEW for word in words) / len(words)


def _words(text: str) -> Set[str]:
    return {word.lower() for word in _WORD.findall(text)}


def _before(end: _End) -> list[tuple[int, str]]:
    lines = [
        (block.first + at, text[: min(LINE_CHARS, _CHARS)])
        for block in end.blocks
        for at, text in enumerate(block.lines[: end.index] if block is end.blocks[-1] else block.lines)
    ]
    return [(number, text) for number, text in lines if text.strip()]


def _new(lines: Sequence[tuple[int, str]], usual: _Usual) -> Iterator[_Candidate]:
    for number, text in lines:
        line = marked_line(number, text)
        ended = COMMAND_FAILED.match(line.text) or _WEAK.match(line.text)
        loud = max(0, min(loudness(text), 3))
        if line.mark or ended or NOT_REPORTED.match(text) or (loud < 2 and WELL.search(text)):
            continue
        if (new := usual.newness(text)) >= _SHARE:
            yield _Candidate(loud, new, number, text)


def _significant(candidates: Sequence[_Candidate]) -> Iterator[_Candidate]:
    """Of each block of neighbours the first line, the most significant one and the last: tools end with a verdict."""
    for block in _neighbours(candidates):
        yield from {block[0], max(block, key=lambda c: (c.loud, c.new, -c.number)), block[-1]}


def _neighbours(candidates: Sequence[_Candidate]) -> list[list[_Candidate]]:
    blocks: list[list[_Candidate]] = []
    for candidate in candidates:
        if blocks and candidate.number - blocks[-1][-1].number <= _GAP:
            blocks[-1].append(candidate)
        else:
            blocks.append([candidate])
    return blocks
