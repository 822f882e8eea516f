"""cargo test (libtest, doc tests) and cargo nextest: one error for each failed test."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from healing.logs.format import Finding, Format
from healing.logs.formats.rust._panics import Panic, PanicParser
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category

_FAILED = re.compile(
    r"(?:test )?(?P<name>\S.{0,400}?)(?: - should panic)? \.\.\. (?:FAILED|failed)"
    r"(?! \(\d+m?s\)| \(due to )(?:\s.{0,40})?$"
)
_SECTION = re.compile(r"---- (?P<name>\S.{0,400}?) (?:stdout|stderr) ----$")
_LISTED = re.compile(r"    (?P<name>\S.{0,400})$")
_NEXTEST = re.compile(
    r"\s{0,14}(?:TRY \d{1,3} )?(?P<how>FAIL|FLKY-FL|SIG[A-Z]{3,5}|ABORT|TIMEOUT|LEAK-FAIL|EXECFAIL|XFAIL)"
    r" \[\s{0,6}>?\s{0,4}[\d.]+s\](?: \(\s{0,6}\d{1,6}/\d{1,6}\))?\s{1,4}(?P<binary>\S{1,300}) (?P<name>\S{1,400})$"
)
_OUTPUT = re.compile(
    r"\s{0,4}--- (?:TRY \d{1,3} )?STD(?:OUT|ERR):\s{1,20}(?P<binary>\S{1,300}) (?P<name>\S{1,400}) ---$"
)
_NOISE = re.compile(
    r"\s*(?:running \d+ tests?|test result: .*|failures:|stderr:|stdout:|note: .*|\s*std(?:out|err) ─+|)\s*$"
)
_ERROR = re.compile(
    r"\s{0,8}(?:Error: |error(?:\[E\d{4}\])?: (?!aborting due)|note: test did not panic"
    r"|Test executable failed|Couldn't compile)"
)
_NO_PANIC = re.compile(
    r"\s{0,8}note: test did not panic as expected at (?P<file>[^:]{1,400}):(?P<line>\d{1,9}):(?P<column>\d{1,9})"
)
_TESTS, _LINES = 5_000, 60


@dataclass(slots=True)
class _Test:
    name: str
    number: int
    last: int
    how: str = ""
    lines: list[str] = field(default_factory=list)
    panic: Panic | None = None


class _Reader:
    """Reads sections, which have the reasons, and lists, which have the tests; reports all when the run ends."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._parser = PanicParser()
        self._tests: dict[str, _Test] = {}
        self._test: _Test | None = None
        self._reported: set[str] = set()
        self._state = ""  # "", running, section, list, passed
        self._passed = self._last = 0

    @property
    def busy(self) -> bool:
        return self._state in ("section", "list", "passed")

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if self._state == "passed" and text != "failures:" and not text.startswith("test result: "):
            self._last = line.number
            return ()
        if self._state == "passed":
            self._state = ""
            return (*self._printed(), *self.read(line))
        if match := _SECTION.match(text) or _OUTPUT.match(text):
            self._open(match["name"], line)
        elif match := _NEXTEST.match(text):
            if (key := f"{match['binary']} {match['name']}") not in self._reported:  # the summary repeats them
                self._reported.add(key)
                self._open(match["name"], line, match["how"])
        elif " ... " in text and (match := _FAILED.match(text)):
            self._add(match["name"], line)
        elif text.startswith(("test result: ", "     Summary [", "------------")):
            return self._flush()
        elif text == "successes:":
            self._end_section()
            self._state, self._passed = "passed", line.number
        elif text == "failures:":
            self._end_section()
            self._state = "list"
        elif self._state == "list" and (match := _LISTED.match(text)):
            self._add(match["name"], line)
        elif self._state == "section" and self._test:
            self._inside(self._test, line)
        return ()

    def close(self) -> Iterable[Finding]:
        return (*self._printed(), *self._flush())

    def _printed(self) -> Iterable[Finding]:
        """A finding without a message for the output of passing tests with `--show-output`: it isn't an error."""
        first, self._passed = self._passed, 0
        if not first:
            return ()
        span = (first, max(first, self._last))
        return (
            Finding(tool="cargo-test", category=Category.TEST, message="", log_line=first, span=span, repeats=True),
        )

    def _add(self, name: str, line: Line) -> _Test:
        if name not in self._tests and len(self._tests) < _TESTS:
            self._tests[name] = _Test(name, line.number, line.number)
        return self._tests.get(name) or _Test(name, line.number, line.number)

    def _open(self, name: str, line: Line, how: str = "") -> None:
        self._end_section()
        self._test = self._add(name, line)
        self._test.how = self._test.how or how
        self._test.number = self._test.last = line.number
        self._state = "section"

    def _end_section(self) -> None:
        self._keep(self._parser.close())
        self._test, self._state = None, ""

    def _inside(self, test: _Test, line: Line) -> None:
        self._keep(self._parser.feed(line))
        test.last = line.number
        if len(test.lines) < _LINES:
            test.lines.append(line.text)

    def _keep(self, panic: Panic | None) -> None:
        if panic and self._test and self._test.panic is None:
            self._test.panic = panic

    def _flush(self) -> Iterable[Finding]:
        self._end_section()
        tests, self._tests = self._tests, {}
        return tuple(self._findings(tests.values()))

    def _findings(self, tests: Iterable[_Test]) -> Iterator[Finding]:
        for test in tests:
            panic = test.panic
            file, row, column = panic.blame(self._paths) if panic else _place(test)
            yield Finding(
                tool="cargo-test",
                category=Category.TEST,
                message=panic.message if panic else _words(test),
                file=file,
                line=row,
                column=column,
                test=test.name,
                actual=panic.side("left") if panic else None,
                expected=panic.side("right") if panic else None,
                related=panic.related() if panic else (),
                log_line=panic.first if panic else test.number,
                span=(test.number, test.last),
                excerpt="\n".join(test.lines),
                # What a test printed and compared is data; for a doc test it is the compiler's own output.
                repeats=" (line " not in test.name,
            )


def _place(test: _Test) -> tuple[str | None, int | None, int | None]:
    match = next((match for text in test.lines if (match := _NO_PANIC.match(text))), None)
    return (match["file"], int(match["line"]), int(match["column"])) if match else (None, None, None)


def _words(test: _Test) -> str:
    """The message of a test that failed without a panic: its error, else its last line."""
    body = [text.strip() for text in test.lines if not _NOISE.match(text)]
    errors = [text.strip() for text in test.lines if _ERROR.match(text)]
    message = (errors or body[-1:] or [""])[0]
    reason = {"TIMEOUT": "timed out", "ABORT": "aborted"}.get(test.how, test.how if test.how.startswith("SIG") else "")
    return message if message and not reason else reason or message or "failed"


FORMAT = Format(
    "cargo-test",
    (
        " ... FAILED",
        " ... failed",
        " stdout ----",
        " stderr ----",
        "--- STDOUT: ",
        "--- STDERR: ",
        " FAIL [",
        " SIGSEGV [",
        " SIGABRT [",
        " SIGKILL [",
        " ABORT [",
        " TIMEOUT [",
        " Summary [",
        "successes:",
        "failures:",
        "test result: ",
    ),
    _Reader,
)
