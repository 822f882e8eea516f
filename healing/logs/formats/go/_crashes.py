"""Parses crashes of Go programs: panics, fatal errors of the runtime and data races, with the goroutine's frames."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Related

HINTS = ("panic: ", "fatal error: ", "WARNING: DATA RACE", "SIGABRT: ", "SIGSEGV: ", "SIGQUIT: ")

_START = re.compile(r"(?:panic: |fatal error: |SIG[A-Z]{3,5}: |WARNING: DATA RACE)")
_SPOT = re.compile(r"\s{1,12}(?P<file>\S.{0,500}?\.(?:go|s|c)):(?P<line>\d{1,9})(?: \+0x[0-9a-f]+)?$")
_TEST = re.compile(r"\.(?P<name>(?:Test|Benchmark|Fuzz|Example)\w{0,200})(?:\b|\.func)")
_RUNNING = re.compile(r"\t(?P<name>(?:Test|Benchmark|Fuzz|Example)\S{0,300}) \([\d.hms]+\)$")
_LIBRARY = re.compile(r"/(?:go|go-?\d[\w.-]*|x64|libexec)/src/[a-z]|/pkg/mod/|/vendor/|^_cgo_|^_testmain\.go")
_RUNTIME = ("panic", "runtime.", "testing.", "reflect.")
_END = re.compile(r"(?:exit status \d+|FAIL\b|ok  |={10,}$|---? |=== |make(?:\[\d+\])?: |Process completed)")
_ADDRESS = re.compile(r" at 0x[0-9a-f]+| by (?:main )?goroutine \d*")
_FRAMES, _WORDS, _LINES = 60, 12, 400


@dataclass(slots=True)
class Crash:
    """One crash: its message lines, the frames of the crashed goroutine (innermost first), and the running tests."""

    first: int
    last: int
    words: list[str]
    frames: list[tuple[str, str, int]] = field(default_factory=list)  # function, file, line
    running: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    @property
    def message(self) -> str:
        """The message, without the runtime's repetition of the same panic and without addresses, which change."""
        if self.is_race:
            access = _ADDRESS.sub("", self.words[1].strip().rstrip(":")) if len(self.words) > 1 else ""
            function = f" in {self.frames[0][0]}" if self.frames else ""
            return f"data race: {access}{function}"
        return "\n".join(
            dict.fromkeys(w.strip().removesuffix(" [recovered]").strip() for w in self.words if _is_message(w))
        )

    @property
    def is_race(self) -> bool:
        """Whether it is a report of the race detector, which fails the test but doesn't end the program."""
        return self.words[0].startswith("WARNING: DATA RACE")

    def test(self) -> str | None:
        """The test that was running, if the dump names it."""
        if self.running:
            return self.running[0]
        names = (match["name"] for function, _, _ in self.frames if (match := _TEST.search(function)))
        return next(names, None)

    def blame(self, paths: Paths) -> tuple[str, int] | None:
        """File and line of the innermost frame in the repository."""
        for function, file, line in self.frames:
            if not function.startswith(_RUNTIME) and not _LIBRARY.search(file) and paths.inside(file):
                return file, line
        return None

    def related(self) -> tuple[Related, ...]:
        """The frames, outermost first as in all findings."""
        return tuple(Related(file=f, line=n, message=f"in {name}") for name, f, n in reversed(self.frames))


class CrashParser:
    """Finds crashes in lines; `feed` returns each one when it has ended."""

    def __init__(self) -> None:
        self._crash: Crash | None = None
        self._part = ""  # words, frames, rest
        self._function = ""

    @property
    def busy(self) -> bool:
        """Whether a dump is open."""
        return self._crash is not None

    def feed(self, line: Line) -> Crash | None:
        """The crash that `line` ends, if any."""
        crash, text = self._crash, line.text
        if crash is None:
            if _START.match(text):
                self._crash, self._part = Crash(line.number, line.number, [text], lines=[text]), "words"
            return None
        if _END.match(text) or line.number - crash.first > _LINES:
            return self.close()
        crash.last = line.number
        if len(crash.lines) < _FRAMES:
            crash.lines.append(text)
        self._inside(crash, text)
        return None

    def close(self) -> Crash | None:
        """The crash whose dump is still open, if any."""
        crash, self._crash = self._crash, None
        return crash

    def _inside(self, crash: Crash, text: str) -> None:
        if match := _SPOT.match(text):
            if self._part != "rest" and len(crash.frames) < _FRAMES:
                crash.frames.append((self._function, match["file"], int(match["line"])))
                self._part = "frames"
        elif match := _RUNNING.match(text):
            crash.running.append(match["name"])
        elif not text.strip():
            self._part = "rest" if self._part == "frames" else "dump"
        elif (
            self._part == "words"
            and len(crash.words) < (2 if crash.is_race else _WORDS)
            and not text.startswith("goroutine ")
        ):
            crash.words.append(text)
        else:
            self._function = _function(text)


def _is_message(words: str) -> bool:
    return bool(words.strip()) and not words.startswith("[signal ")


def _function(text: str) -> str:
    """The function of a frame: `pkg.(*T).Run` of `pkg.(*T).Run(0xc000, ...)` or `created by pkg.(*T).Run in goroutine
    1`."""
    text = text.strip()[:300]
    if text.startswith("created by "):
        return text[11:].partition(" in goroutine ")[0]
    return text.rpartition("(")[0] if text.endswith(")") else text


def excerpt(lines: Sequence[str]) -> str:
    """The dump's beginning."""
    return "\n".join(lines[:40])
