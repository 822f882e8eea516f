"""Reads one failure in any of pytest's styles (long, short, native, line) into frames and message."""

import re
from dataclasses import dataclass, field

from healing.logs.formats.python._traces import CHAINS, HEADING, PythonFrame, Traceback, TraceParser, blame
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Related

FRAME = re.compile(
    r"(?P<file>(?:[A-Za-z]:[\\/])?[^\s:>][^:]{0,500}):(?P<line>\d{1,9}):"
    r"(?: in (?P<function>.{1,300})| (?P<exception>[A-Za-z_][\w.]{0,200}))?\s*$"
)
_E_LINE = re.compile(r"E(?:\s+(?P<words>.*))?$")
_E_FILE = re.compile(r'File "(?P<file>[^"]{1,1000})", line (?P<line>\d{1,9})')
_FIXTURE = re.compile(r"file (?P<file>\S.{0,500}), line (?P<line>\d{1,9})$")
_CAPTURED = re.compile(r"-{3,} Captured .{1,40} -{3,}$")
_NAME = re.compile(
    r"(?P<name>(?:[A-Za-z_][\w.]{0,200}?)?(?:Error|Exception|Warning|Exit|Failed|Interrupt|Iteration))(?::|$)"
)
_COMPARED = re.compile(r"(?:AssertionError: )?assert (?P<left>[^=!<>].*?) == (?P<right>.*)$")
_DIFFERS = re.compile(r"At index \d{1,9} diff: (?P<left>.{1,500}?) != (?P<right>.{1,500})$")
# What pytest puts before the expected and the actual: of a pattern, before its release 9 and since; of a difference.
_LABELS = (("Regex: ", "Input: "), ("Expected regex: ", "Actual message: "), ("- ", "+ "))
NO_MESSAGE = "failed"  # the message of a block without an exception: plugins print a linter's errors there
_LINES, _CUT_AT, _CHARACTERS, _FRAMES = 2_000, 400, 2_000_000, 40
_EXCERPT_HEAD, _EXCERPT_TAIL = 600, 2_200


@dataclass(slots=True)
class PytestBlock:
    """The lines of one failure under its `____ name ____`; `kind` is test, conftest, collect, setup or teardown."""

    name: str
    kind: str
    first: int
    last: int = 0
    lines: list[Line] = field(default_factory=list)
    captured: bool = False
    characters: int = 0

    def add(self, line: Line) -> None:
        """Adds a line, unless it is captured output or the block is too long; drops lines in the middle."""
        self.last = line.number
        self.captured = self.captured or bool(line.text.startswith("---") and _CAPTURED.match(line.text))
        self.characters += len(line.text)
        if self.captured or self.characters > _CHARACTERS:
            return
        self.lines.append(line)
        if len(self.lines) > _LINES:
            del self.lines[_CUT_AT : 2 * _CUT_AT]


@dataclass(slots=True)
class Raised:
    """One exception of the chain in a block: its frames and its message lines."""

    frames: list[PythonFrame] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    exception: str = ""
    spot: PythonFrame | None = None
    reported_at: int = 0


@dataclass(frozen=True, slots=True)
class PytestFailure:
    """The failure in a block. `reported_at` is the log line of the message; `expected` and `actual` are set only if
    they are unambiguous."""

    name: str
    kind: str
    message: str
    exception: str | None
    spot: PythonFrame | None
    related: tuple[Related, ...]
    span: tuple[int, int]
    reported_at: int
    home: str | None
    expected: str | None
    actual: str | None
    excerpt: str


def failure(block: PytestBlock, paths: Paths) -> PytestFailure:
    """Reads a block; the last exception of a chain is the one that failed the test."""
    chain = _chain(block)
    last = chain[-1]
    message = _message(last)
    name = _NAME.match(message)
    spot = last.spot or blame(last.frames, paths)
    expected, actual = _compared(block, message, last.words)
    home = next((f.file for raised in chain for f in raised.frames if paths.inside(f.file)), None)
    return PytestFailure(
        name=block.name,
        kind=block.kind,
        message=_with_values(message, expected, actual),
        exception=name["name"].rpartition(".")[2] if name else last.exception.rpartition(".")[2] or None,
        spot=spot,
        related=(*_causes(chain[:-1], paths), *(frame.related() for frame in last.frames[-_FRAMES:])),
        span=(block.first, block.last),
        reported_at=last.reported_at or block.first,
        home=home,
        expected=expected,
        actual=actual,
        excerpt=_excerpt(block),
    )


def _chain(block: PytestBlock) -> list[Raised]:
    chain = [Raised()]
    native = TraceParser()
    for line in block.lines:
        was_inside = native.busy
        # An indented traceback is in source code, mostly in a docstring.
        trace = native.feed(line) if was_inside or line.text.startswith(HEADING) else None
        if trace is not None:
            _add_native(chain, trace)
        elif was_inside or native.busy:
            continue
        elif line.text in CHAINS:
            chain.append(Raised())
        else:
            _add(chain[-1], line)
    if (trace := native.close()) is not None:
        _add_native(chain, trace)
    return chain if len(chain) == 1 or chain[-1].words or chain[-1].frames else chain[:-1]


def _add_native(chain: list[Raised], trace: Traceback) -> None:
    raised = Raised(trace.frames, [trace.words], trace.exception, reported_at=trace.last)
    if chain[-1].frames or chain[-1].words:
        chain.append(raised)
    else:
        chain[-1] = raised


def _add(raised: Raised, line: Line) -> None:
    text = line.text
    if text.startswith("E") and (match := _E_LINE.match(text)):
        words = (match["words"] or "").strip()
        if place := _E_FILE.match(words):
            raised.spot = PythonFrame(place["file"], int(place["line"]))
        if not raised.words or (raised.spot and _NAME.match(words)):
            raised.reported_at = line.number
        raised.words.append(words)
    elif frame := FRAME.match(text):
        raised.frames.append(PythonFrame(frame["file"], int(frame["line"]), frame["function"] or ""))
        raised.exception = frame["exception"] or raised.exception
    elif text.startswith("file ") and (frame := _FIXTURE.match(text)):
        raised.frames.append(PythonFrame(frame["file"], int(frame["line"])))


def _message(raised: Raised) -> str:
    words = [text for text in raised.words if text.strip("^~ ")]
    if not words:
        return raised.exception
    if raised.spot is not None:
        return words[-1]
    if words[0].endswith(":") and len(words) > 1:
        return f"{words[0]} {words[1]}"
    return words[0]


def _with_values(message: str, expected: str | None, actual: str | None) -> str:
    """The message; doctest has none, so its compared values are added to `DocTestFailure`."""
    if message == "DocTestFailure" and expected is not None:
        return f"DocTestFailure: expected {expected[:200]}, got {(actual or '')[:200]}"
    return message or NO_MESSAGE


def _causes(chain: list[Raised], paths: Paths) -> tuple[Related, ...]:
    spots = ((raised, raised.spot or blame(raised.frames, paths)) for raised in chain)
    return tuple(
        Related(file=spot.file, line=spot.line, message=f"caused by {_message(raised)}")
        for raised, spot in spots
        if spot
    )


def _compared(block: PytestBlock, message: str, words: list[str]) -> tuple[str | None, str | None]:
    """(expected, actual) of `assert actual == expected`, else the values that pytest prints below the message, else of
    doctest's Expected/Got; None where no value is whole."""
    match = _COMPARED.match(message)
    if match and "..." not in message and " == " not in match["right"]:
        return match["right"], match["left"]
    if (found := _values_below(words)) is not None:
        return found
    texts = [line.text for line in block.lines]
    if "Expected:" in texts and "Got:" in texts:
        expected, got = texts.index("Expected:"), texts.index("Got:")
        shown = [text for text in texts[got + 1 :] if text.startswith("    ")]
        return "\n".join(t.strip() for t in texts[expected + 1 : got]), "\n".join(t.strip() for t in shown)
    return None, None


def _values_below(words: list[str]) -> tuple[str, str] | None:
    """(expected, actual) of the first lines of a difference, the first items that differ, or a pattern and the message
    that it doesn't match."""
    for expected, actual in _LABELS:
        wanted = next((text.removeprefix(expected).strip() for text in words if text.startswith(expected)), "")
        got = next((text.removeprefix(actual).strip() for text in words if text.startswith(actual)), "")
        if wanted and got:
            return wanted, got
    differs = next(filter(None, map(_DIFFERS.match, words)), None)
    return (differs["right"], differs["left"]) if differs else None


def _excerpt(block: PytestBlock) -> str:
    text = "\n".join(line.text for line in block.lines).strip("\n")
    if len(text) <= _EXCERPT_HEAD + _EXCERPT_TAIL:
        return text
    return f"{text[:_EXCERPT_HEAD]}\n…\n{text[-_EXCERPT_TAIL:]}"
