"""Detects what a CI system or a wrapper prints before each line of a tool's output, and removes it.

A prefix is a sequence of pieces: a clock (`ts`, Jenkins, Azure, Taskcluster), a job and a step (`gh run view --log`),
the mark of a stream (GitLab), a level or a host after the clock, a name that is constant but for its numbers
(`[build:12] `, `Step #3 - "test": `). A piece belongs to the prefix if most lines of a block have it, so a clock in
only some messages of a program is kept. Once detected, a prefix is used for the rest of the log.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

_SAMPLE = 30  # lines of a block that are examined
_WHOLE = 32_000  # bytes of a block up to which it is split into lines for the sample
_FIRST_BLOCKS = 8  # each of these is examined, then one in as many
_SHARE = 0.6  # of the lines have a piece that belongs to the prefix
_SAME_SHARE = 0.9  # the share for a name, which a tool may print too
_MINIMUM = 3
_MIN_SAME = 8
_MAX_PIECES = 5
_HEAD = 300  # bytes of a line that may be its prefix

_DAY = rb"\d{4}[-/.]\d\d[-/.]\d\d|\d\d[-/](?:\d\d|[A-Z][a-z]{2})[-/]\d{4}|(?:[A-Z][a-z]{2} )?[A-Z][a-z]{2} [ \d]\d"
_TIME = rb"\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?(?: [AP]M)?"
_ZONE = rb"(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?(?: \d{4})?"
_CLOCK = rb"(?:(?:" + _DAY + rb")[T _])?" + _TIME + _ZONE
# Words for a line's severity are the tool's output, never part of a prefix.
_LEVEL = (
    rb"(?i:err(?:or)?|warn(?:ing)?|fatal|fail(?:ed|ure|ures)?|crit(?:ical)?|panic|not ok|ok|pass(?:ed)?|skip(?:ped)?"
    rb"|info|note|notice|debug|hint|severe|alert)"
)
_TASK = rb"(?:build|test|lint|check|typecheck|compile|format|docs|e2e|ci)"
_BRACKETS = rb"[ \t]{0,8}\[(?!\W{0,2}" + _LEVEL + rb"\b)[^\[\]\n]{1,80}\]"


@dataclass(frozen=True, slots=True)
class _Piece:
    """A kind of piece. `same`: the lines must have the same text but for its digits. `after`: never the first piece."""

    pattern: re.Pattern[bytes]
    same: bool = False
    after: bool = False


_PIECES = (
    # gh run view --log: job, step, time
    _Piece(re.compile(rb"[^\t\n]{1,200}\t[^\t\n]{1,200}\t\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,9}Z")),
    # TeamCity: [12:00:00]W:     [Step 1/3]
    _Piece(re.compile(rb"\[" + _TIME + rb"\] ?[WEFi]?:\t? {0,8}(?:\[[^\]\n]{1,80}\])?")),
    # Bamboo: build<tab>05-Jan-2026 10:00:00<tab>
    _Piece(re.compile(rb"(?:build|error|simple|command)\t" + _CLOCK + rb"\t")),
    # [2026-01-05T10:00:00.123Z], [task 2026-01-05 10:00:00.123Z]
    _Piece(re.compile(rb"\[(?:[\w.-]{1,40} )?" + _CLOCK + rb"\]\t?")),
    # 10:00:00 | …, 2026-01-05 10:00:00 - …
    _Piece(re.compile(_CLOCK + rb"(?:(?: \||:| -)?(?:\t|(?=[ \n])|$))")),
    _Piece(re.compile(rb"\[(?:\d\d:\d\d(?:\.\d{1,6})?| {0,8}\d{1,6}\.\d{3,6})\](?= )")),
    _Piece(re.compile(rb"\d{10}\.\d{1,9}(?:\t|(?= ))")),
    _Piece(re.compile(rb"#\d{1,4} \d{1,5}\.\d{1,4}(?= )")),  # BuildKit: step and seconds
    _Piece(re.compile(rb"[0-9a-f]{2}[OE](?:\+|(?= ))")),  # GitLab: number and kind of the stream
    _Piece(re.compile(rb"std(?:out|err) [FP](?=[ \n]|$)")),  # containerd: the stream, and whether the line is whole
    # Only harmless levels; a word such as ERROR is kept, unless a place follows that identifies the line as an error.
    _Piece(
        re.compile(
            rb"[ \t]{0,8}(?:(?:INFO|DEBUG|TRACE|NOTICE)\b(?:[ \t]{0,4}[-:|])?(?=[ \t])"
            rb"|\[(?i:stdout|stderr|info|debug|trace|notice)\]"
            rb"|(?:- )?[\w.-]{1,60} - (?:INFO|DEBUG|NOTICE) -"
            rb"|(?:ERROR|CRITICAL|FATAL|WARNING)[ \t]{1,4}-?[ \t]{0,4}(?=[\w./\\-]{1,200}\.\w{1,12}[:(]\d))"
        ),
        after=True,
    ),
    # A program's name: `web  | `, `[build:12] `, `Step #3 - "test": `.
    _Piece(re.compile(rb"(?!\W{0,2}" + _LEVEL + rb"\b)[A-Za-z][\w.()-]{0,60} {0,40}\|"), same=True),
    # A task of a workspace, an environment or a rank: `@shop/web:test: `, `py312: `, `(pid=12) `.
    _Piece(
        re.compile(
            rb"(?:@[\w.-]{1,60}/[\w.-]{1,60}(?::[\w.:-]{1,40})?"
            rb"|[\w./-]{1,80}[: ]" + _TASK + rb"[\w:-]{0,30}"
            rb"|py(?:py)?\d{1,4}[\w.-]{0,40}):(?=[ \n]|$)"
            rb"|nox >(?= )| {0,40}[\w./-]{0,80}\+[\w.-]{1,60} \||\([a-z][\w-]{0,30}[=-]\d{1,9}\)(?= )"
            rb"|\[\d{1,4},\d{1,6}\]<std(?:out|err)>:"
        ),
        same=True,
    ),
    _Piece(re.compile(_BRACKETS + rb" {1,3}\|"), same=True),
    _Piece(re.compile(_BRACKETS + rb"(?= )"), same=True),
    _Piece(re.compile(rb'Step #\d{1,4}(?: - "[^"\n]{1,80}")?:'), same=True),
    # A host after a clock: `| ubuntu-24 | `, `runner-7 make[123]: `.
    _Piece(re.compile(rb"\| [\w.-]{1,80} \|"), same=True, after=True),
    _Piece(re.compile(rb"[\w.-]{1,80} [\w./@-]{1,60}(?:\[\d{1,9}\])?:"), same=True, after=True),
)


@dataclass
class Prefixes:
    """The prefix of one log: none until a block has one."""

    _learnt: re.Pattern[bytes] | None = None
    _blocks: int = 0

    def without_prefix(self, content: bytes) -> bytes:
        """`content` (a newline before each line) without the prefix of its lines."""
        if self._learnt is None:
            due = self._blocks < _FIRST_BLOCKS or self._blocks % _FIRST_BLOCKS == 0
            self._blocks += 1
            # A sample decides whether there is a prefix, all lines where it ends.
            if due and _row(_sample(content)) and (row := _row(_heads(content))):
                self._learnt = re.compile(b"\n" + row)
        return self._learnt.sub(b"\n", content) if self._learnt else content


def _row(lines: Sequence[bytes]) -> bytes:
    """The pattern of the prefix that `lines` share, or b"". A line may end after any of its pieces."""
    pieces: list[bytes] = []
    rest = list(lines)
    while len(pieces) < _MAX_PIECES and (common := _common(rest, first=not pieces)):
        pattern, rest = common
        pieces.append(pattern)
    return b"(?:".join(pieces) + b")?" * (len(pieces) - 1)


def _heads(content: bytes) -> list[bytes]:
    return [line[:_HEAD] for line in content.split(b"\n") if line.strip()]


def _sample(content: bytes) -> list[bytes]:
    """Some lines from all over the block, without blank ones."""
    if len(content) <= _WHOLE:
        heads = _heads(content)
        return heads[:: 1 + len(heads) // _SAMPLE]
    step = len(content) // _SAMPLE
    starts = (content.find(b"\n", at) + 1 for at in range(0, len(content) - step, step))
    heads = [content[start : start + _HEAD].partition(b"\n")[0] for start in starts if start]
    return [head for head in heads if head.strip()]


def _common(lines: Sequence[bytes], *, first: bool) -> tuple[bytes, list[bytes]] | None:
    """The pattern of the piece that most of `lines` begin with, and the rest of those lines; None if there is none."""
    for piece in _PIECES:
        if first and piece.after:
            continue
        matches = [match for line in lines if (match := piece.pattern.match(line))]
        pattern, needed = piece.pattern.pattern, max(_MINIMUM, _SHARE * len(lines))
        if piece.same and matches:
            pattern = Counter(_counting(match[0]) for match in matches).most_common(1)[0][0]
            matches = [match for match in matches if _counting(match[0]) == pattern]
            needed = max(_MIN_SAME if first else _MINIMUM, _SAME_SHARE * len(lines))
        if len(matches) >= needed:
            rest = [match.string[match.end() :] for match in matches]
            padding = _padding(rest)
            return pattern + b" {0,%d}" % padding, [_unpadded(text, padding) for text in rest]
    return None


def _padding(rest: Sequence[bytes]) -> int:
    """The number of spaces between the piece and the text; any more are the tool's own indentation."""
    return min((len(text) - len(text.lstrip(b" ")) for text in rest if text.strip()), default=1)


def _unpadded(text: bytes, padding: int) -> bytes:
    return text[:padding].lstrip(b" ") + text[padding:]


def _counting(text: bytes) -> bytes:
    """A pattern that matches the text with any numbers in place of its own."""
    return rb"\d{1,9}".join(re.escape(part) for part in re.split(rb"\d{1,9}", text))
