"""Parses Rust panics line by line: place, message, the values that `assert_eq!` compared, the backtrace's frames."""

import re
from dataclasses import dataclass, field

from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Related

HINT = "panicked at "

_HEAD = re.compile(r"\s{0,12}thread '(?P<thread>[^']{0,400})'(?: \(\d{1,12}\))? panicked at (?P<rest>.*)$")
_SPOT = re.compile(
    r"(?P<file>[^\s:'][^:']{0,400}|[A-Za-z]:[^:']{1,400}):(?P<line>\d{1,9}):(?P<column>\d{1,9})(?P<colon>:?)$"
)
_OLD_END = re.compile(
    r"(?P<words>.*)', (?P<file>[^:']{1,400}|[A-Za-z]:[^:']{1,400}):(?P<line>\d{1,9})(?::(?P<column>\d{1,9}))?$"
)
_FRAME = re.compile(r"\s{1,20}\d{1,4}: (?:0x[0-9a-f]+ - )?(?P<name>\S.{0,400})$")
_AT = re.compile(r"\s{1,40}at (?P<file>\S.{0,400}?):(?P<line>\d{1,9})(?::\d{1,9})?$")
_SIDE = re.compile(r"\s{0,12}(?P<side>left|right): (?P<value>.*?),?$")
_LIBRARY = re.compile(r"^/rustc/|/\.cargo/(?:registry|git)/|/library/(?:std|core|alloc|test)/|/rustlib/")
_WORDS, _FRAMES = 40, 100


@dataclass(slots=True)
class Panic:
    """One panic; `spot` is (file, line, column) as printed."""

    thread: str
    first: int
    last: int
    spot: tuple[str, int, int | None] | None = None
    words: list[str] = field(default_factory=list)
    frames: list[tuple[str, str, int]] = field(default_factory=list)  # function, file, line

    @property
    def message(self) -> str:
        """The message without the compared values."""
        words = [w.strip() for w in self.words if not _SIDE.match(w)]
        return "\n".join(w for w in words if w) or "panicked"

    def side(self, name: str) -> str | None:
        """The value that `assert_eq!` printed as `left` or `right`; None if there is none."""
        for words in self.words:
            if (match := _SIDE.match(words)) and match["side"] == name:
                return match["value"].strip("`")
        return None

    def blame(self, paths: Paths) -> tuple[str | None, int | None, int | None]:
        """The place of the panic, or the innermost frame in the repository if that place is in a library."""
        if self.spot and not _LIBRARY.search(self.spot[0]):
            return self.spot
        for _, file, line in self.frames:
            if not _LIBRARY.search(file) and paths.inside(file):
                return file, line, None
        return self.spot or (None, None, None)

    def related(self) -> tuple[Related, ...]:
        """The frames outside Rust's own library, outermost first."""
        frames = [frame for frame in self.frames if not _LIBRARY.search(frame[1])]
        return tuple(Related(file=f, line=n, message=f"in {name}") for name, f, n in reversed(frames))


class PanicParser:
    """Finds panics in lines; `feed` returns each one when it has ended."""

    def __init__(self) -> None:
        self._panic: Panic | None = None
        self._open = False  # whether the message continues
        self._quoted = False  # the old form: 'words', place
        self._function = ""

    @property
    def busy(self) -> bool:
        """Whether the parser is inside a panic's message or backtrace."""
        return self._panic is not None

    def feed(self, line: Line) -> Panic | None:
        """The panic that `line` ends, if any."""
        text = line.text
        if HINT in text and (match := _HEAD.match(text)):
            done = self.close()
            self._start(match, line)
            return done
        panic = self._panic
        if panic is None:
            return None
        if not self._continues(panic, text):
            return self.close()
        panic.last = line.number
        return None

    def close(self) -> Panic | None:
        """The panic that is still open, if any."""
        panic, self._panic = self._panic, None
        return panic

    def _start(self, match: re.Match[str], line: Line) -> None:
        self._panic = panic = Panic(match["thread"], line.number, line.number)
        rest = match["rest"]
        self._open, self._quoted = True, rest.startswith("'")
        if self._quoted:
            self._words(panic, rest[1:])
        elif spot := _SPOT.match(rest):
            panic.spot = (spot["file"], int(spot["line"]), int(spot["column"]))
            self._open = bool(spot["colon"])
        else:
            panic.words.append(rest)

    def _continues(self, panic: Panic, text: str) -> bool:
        if self._open and self._quoted:
            self._words(panic, text)
            return len(panic.words) < _WORDS
        plain = text.strip()
        if plain.startswith(("note: run with", "note: Some details", "stack backtrace:")):
            self._open = False
            return True
        if self._open:
            panic.words.append(text)
            self._open = bool(plain)
            return bool(plain) and len(panic.words) < _WORDS
        if match := _AT.match(text):
            if len(panic.frames) < _FRAMES:
                panic.frames.append((self._function, match["file"], int(match["line"])))
            return True
        if match := _FRAME.match(text):
            self._function = match["name"]
            return True
        return False

    def _words(self, panic: Panic, text: str) -> None:
        if end := _OLD_END.match(text):
            panic.words.append(end["words"])
            column = int(end["column"]) if end["column"] else None
            panic.spot, self._open = (end["file"], int(end["line"]), column), False
        else:
            panic.words.append(text)
