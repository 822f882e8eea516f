"""Reads the output of `go test` by package: which tests failed, where and why. Shared by the text and JSON formats."""

import re
from collections.abc import Iterable, Iterator

from healing.logs.format import Finding
from healing.logs.formats.go._crashes import Crash, CrashParser, excerpt
from healing.logs.formats.go._entries import ENTRIES, ENTRY_LINES, GoLogEntry, GoTest, describe
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category, Severity

_NAME = r"(?P<name>(?:Test|Benchmark|Fuzz|Example)[^\s(]{0,500})"
_RUN = re.compile(rf"=== (?:RUN|CONT|NAME|PAUSE)\s{{1,4}}{_NAME}$")
_RESULT = re.compile(
    rf"(?P<indent>\s{{0,60}})--- (?P<result>PASS|FAIL|SKIP|BENCH): {_NAME}(?: \([\d.]+ ?s(?:econds)?\))?\s*$"
)
_BARE = re.compile(rf"{_NAME}$")
_SUMMED = re.compile(
    r"=== (?P<result>FAIL|SKIP): (?P<package>\S{1,300}) (?P<name>\S{1,500})(?: \([\d.]+s\))?(?: \(re-run \d+\))?$"
)
_ENTRY = re.compile(r"(?P<indent>\s{1,64})(?P<file>[\w.@+~/\\:-]{1,400}?\.go):(?P<line>\d{1,9}): ?(?P<words>.*)$")
_END = re.compile(
    r"(?P<result>FAIL|ok  ?|\?  )\s+(?P<package>[\w./@~+-]{1,300})"
    r"\s+(?P<rest>[\d.]+s\b.*|\[(?:build|setup) failed\]|\(cached\).*|\[no test.*|coverage:.*)$"
)
_SPECS = re.compile(r"Ran \d+ of \d+ Specs |OOPS: \d+ passed")  # ginkgo and gocheck report their own failures
_TESTS, _OUTPUT = 20_000, 80


class GoTests:
    """Reads the lines of test runs; the failures in a package are reported when the package ends."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._crashes = CrashParser()
        self._races: list[Crash] = []
        self._reported: set[str] = set()
        self._reset()

    def _reset(self) -> None:
        self._tests: dict[str, GoTest] = {}
        self._test: GoTest | None = None
        self._entry: GoLogEntry | None = None
        self._crash: Crash | None = None
        self._words = ""
        self._first = 0
        self._specs = False
        self._package = ""
        self._started = False
        self._built = False

    @property
    def busy(self) -> bool:
        """Whether the reader is inside a package's output."""
        return self._started or self._crashes.busy

    def read(self, line: Line) -> Iterable[Finding]:
        """The failures of the package that `line` ends."""
        text = line.text
        self._built = self._built or text.startswith("# ")  # the compiler's and vet's heading
        if crash := self._crashes.feed(line):
            self._keep_crash(crash)
        if self._crashes.busy:
            self._started = True
            return ()
        if match := _END.match(text):
            return self._end(match, line)
        if text.startswith("=== ") and self._marker(text, line):
            return ()
        if "--- " in text and (match := _RESULT.match(text)):
            self._result(match, line)
        elif self._started:
            self._output(text, line)
        elif text.startswith(("goos: ", "pkg: ")):  # benchmarks have no RUN lines
            self._started = True
        elif text.strip() not in ("", "FAIL", "PASS"):
            self._words = text.strip()
            self._specs = self._specs or bool(_SPECS.match(text))
        self._first = self._first or (line.number if self._started else 0)
        return ()

    def close(self) -> Iterable[Finding]:
        """The failures of an unfinished package."""
        if crash := self._crashes.close():
            self._keep_crash(crash)
        if not self._tests and self._crash and not self._crash.test():
            return ()  # not a test's crash, but a program's
        return tuple(self._failures())

    def switch(self, name: str) -> None:
        """Assigns the next lines to the test `name`, which the JSON form has."""
        self._focus(name)

    def _keep_crash(self, crash: Crash) -> None:
        if crash.is_race:
            self._races.append(crash)
        elif crash.frames or crash.running or self._started:
            self._crash = self._crash or crash

    def _marker(self, text: str, line: Line) -> bool:
        if match := _RUN.match(text):
            self._focus(match["name"], line.number)
        elif match := _SUMMED.match(text):
            self._package = match["package"]
            self._focus(match["name"], line.number)
            if match["result"] == "FAIL" and self._test:
                self._test.failed, self._test.number = True, line.number
        elif text == "=== Errors" or text.startswith("=== Skipped"):
            self._test = None
        else:
            return False
        self._started = True
        return True

    def _focus(self, name: str, number: int = 0) -> None:
        test = self._tests.get(name)
        if test is None and len(self._tests) < _TESTS:
            test = self._tests[name] = GoTest(name, number, number, number)
        self._test, self._entry = test, None

    def _result(self, match: re.Match[str], line: Line) -> None:
        self._started = True
        self._focus(match["name"], line.number)
        test = self._test
        if test is None:
            return
        test.last = line.number
        if match["result"] == "FAIL":
            test.failed, test.number, test.first = True, line.number, min(test.first or line.number, line.number)
        elif not test.failed:
            test.entries, test.output = [], []

    def _output(self, text: str, line: Line) -> None:
        test = self._test
        if match := _BARE.match(text):
            self._focus(match["name"], line.number)
        elif test is None:
            self._words = text.strip() if text.strip() not in ("", "PASS", "FAIL") and not self._words else self._words
        elif match := _ENTRY.match(text):
            self._log(test, match, line)
        elif self._entry and (text.startswith((" ", "\t")) or not text):
            if len(self._entry.words) < ENTRY_LINES:
                self._entry.words.append(text)
                test.last = line.number
        elif text in ("FAIL", "PASS"):
            self._test = None
        else:
            self._entry = None
            self._words = text.strip() or self._words
            self._specs = self._specs or bool(_SPECS.match(text))
            if len(test.output) < _OUTPUT:
                test.output.append(text)

    def _log(self, test: GoTest, match: re.Match[str], line: Line) -> None:
        self._entry = GoLogEntry(match["file"], int(match["line"]), [match["words"]], line.number)
        if len(test.entries) < ENTRIES:
            test.entries.append(self._entry)
        test.first, test.last = min(test.first or line.number, line.number), max(test.last, line.number)

    def _end(self, match: re.Match[str], line: Line) -> Iterable[Finding]:
        failed = match["result"] == "FAIL" and "failed]" not in match["rest"]
        self._package = match["package"]
        failures = tuple(self._failures())
        if failed and not failures:
            failures = (self._whole(line),)
        first, others = self._first, self._built or self._specs
        self._races = []
        self._reset()
        return (*(failures if match["result"] == "FAIL" else ()), *_quiet(first, line.number, not others))

    def _failures(self) -> Iterator[Finding]:
        crash, self._crash = self._crash, None
        if crash and (test := self._died(crash)):
            test.crash, test.failed = crash, True
            test.number = test.number or crash.first
            crash = None
        failed = [test for test in self._tests.values() if test.failed]
        names = {test.name for test in failed}
        for test in failed:
            if (key := self._id(test.name)) not in self._reported or not self._package:
                self._reported.add(key)
                yield self._finding(test, names)
        if crash:
            yield self._crashed(crash, None)
        for race in self._races:
            if not failed:
                yield self._crashed(race, None)

    def _died(self, crash: Crash) -> GoTest | None:
        """The test that crashed: the last failed subtest of the test in its frames, else that test; else the last
        one."""
        name = crash.test()
        if name is None:
            return self._test
        below = [t for t in self._tests.values() if t.failed and t.name.startswith(name + "/")]
        if below:
            return below[-1]
        return self._tests.setdefault(name, GoTest(name))

    def _finding(self, test: GoTest, names: set[str]) -> Finding:
        crash = test.crash or (self._races.pop(0) if _raced(test) and self._races else None)
        if crash and not (test.entries and crash.is_race and test.entries[0].file != "testing.go"):
            return self._crashed(crash, test)
        if not test.entries and any(name.startswith(test.name + "/") for name in names):
            return self._note(test, "failed because its subtests failed")
        if not test.entries and self._specs:
            return self._note(test, "failed because its specs failed")
        words = describe(test)
        return Finding(
            tool="go-test",
            category=Category.TEST,
            message=words.message,
            file=self._file(words.file),
            line=words.line,
            test=self._id(test.name),
            expected=words.expected,
            actual=words.actual,
            related=test.related(),
            log_line=test.number,
            span=(min(test.first or test.number, test.number), max(test.last, test.number)),
            excerpt="\n".join(f"{e.file}:{e.line}: {e.text}" for e in test.entries) or "\n".join(test.output),
        )

    def _note(self, test: GoTest, message: str) -> Finding:
        return Finding(
            tool="go-test",
            category=Category.TEST,
            message=message,
            severity=Severity.NOTE,
            test=self._id(test.name),
            log_line=test.number,
            score=0.2,
        )

    def _crashed(self, crash: Crash, test: GoTest | None) -> Finding:
        spot = crash.blame(self._paths) or (None, None)
        message = crash.message if test or not self._package else f"{crash.message} (package {self._package})"
        return Finding(
            tool="go-test",
            category=Category.TEST if test else Category.RUNTIME,
            message=message,
            file=spot[0],
            line=spot[1],
            test=self._id(test.name) if test else None,
            related=crash.related(),
            log_line=crash.first,
            span=(crash.first, crash.last),
            excerpt=excerpt(crash.lines),
        )

    def _whole(self, line: Line) -> Finding:
        words = self._words or "exit status 1"
        return Finding(
            tool="go-test",
            category=Category.TEST,
            message=f"{words} (package {self._package})",
            log_line=line.number,
            excerpt=line.text,
            score=0.6,
        )

    def _file(self, file: str | None) -> str | None:
        """The file with its folder, which tests don't print: the package's, if the repository's files are known."""
        if file is None or "/" in file or "\\" in file:
            return file
        longer = f"{self._package}/{file}"
        known = self._paths.repository(longer)
        return known if known != longer else file

    def _id(self, name: str) -> str:
        return f"{self._package}.{name}" if self._package else name


def _quiet(first: int, last: int, repeats: bool) -> tuple[Finding, ...]:
    """A finding without a message, so that other formats report nothing of a package's test output. Without `repeats`
    this holds only for general formats, because a compiler or a spec framework printed there too."""
    if not first:
        return ()
    return (
        Finding(
            tool="go-test",
            category=Category.TEST,
            message="",
            severity=Severity.NOTE,
            log_line=first,
            span=(first, last),
            repeats=repeats,
        ),
    )


def _raced(test: GoTest) -> bool:
    return any("race detected" in e.text for e in test.entries)
