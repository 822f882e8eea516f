"""GoogleTest and cmocka: one error for each failed test, with its first failure; the others are related places."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from healing.logs.format import Finding, Format
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category, Related

_RUN = re.compile(r"(?:\d{1,6}: )?\[ RUN      \] (?P<name>\S{1,400})$")
_DONE = re.compile(
    r"(?:\d{1,6}: )?\[ {2}(?P<result>FAILED |     OK )\s?\] (?P<name>[^\s,]{1,400})(?:, where (?P<param>.{1,300}?))?"
    r"(?: \(\d{1,9} ms\))?$"
)
_FAILURE = re.compile(
    r"(?:\d{1,6}: )?(?P<file>(?:[A-Za-z]:)?[^:()]{1,400}?)(?::(?P<line>\d{1,9}): Failure"
    r"|\((?P<row>\d{1,9})\): error(?: |:)(?P<words>.*)|: Failure)$"
)
# cmocka writes what was compared before the place.
_COMPARED = re.compile(r"\[  ERROR   \] --- (?P<words>\S.*)$")
_PLACE = re.compile(r"\[   LINE   \] --- (?P<file>[^\s:]{1,400}):(?P<line>\d{1,9}): error: Failure!$")
_END = re.compile(r"(?:\d{1,6}: )?(?:\[==========\] \d|\[ {2}PASSED {2}\])")
_COUNT = re.compile(r"\d+ tests?, listed below")
_TESTS, _LINES, _FAILURES = 5_000, 30, 20


@dataclass(slots=True)
class _Failure:
    file: str
    line: int | None
    number: int
    words: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Test:
    name: str
    number: int
    last: int
    compared: str = ""
    failures: list[_Failure] = field(default_factory=list)


class _Reader:
    """Reads the failures between RUN and FAILED; the list at the end repeats the tests."""

    def __init__(self, _paths: Paths) -> None:
        self._test: _Test | None = None
        self._reported: set[str] = set()
        self._ended = True

    @property
    def busy(self) -> bool:
        return self._test is not None

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if match := _RUN.match(text):
            self._test, self._ended = _Test(match["name"], line.number, line.number), False
        elif match := _DONE.match(text):
            return self._done(match, line)
        elif _END.match(text):
            self._test, self._ended = None, True
        elif self._test is not None:
            self._inside(self._test, line)
        return ()

    def close(self) -> Iterable[Finding]:
        """The finding of a test that began and didn't end, because it crashed its program."""
        test = self._test
        if test is None or self._ended:
            return ()
        return (_finding(test, "the program ended inside this test"),)

    def _inside(self, test: _Test, line: Line) -> None:
        test.last = line.number
        if match := _FAILURE.match(line.text):
            row = match["line"] or match["row"]
            failure = _Failure(match["file"].strip(), int(row) if row else None, line.number)
            if match["words"]:
                failure.words.append(match["words"])
            if len(test.failures) < _FAILURES:
                test.failures.append(failure)
        elif match := _COMPARED.match(line.text):
            test.compared = match["words"]
        elif match := _PLACE.match(line.text):
            failure = _Failure(match["file"], int(match["line"]), line.number, [test.compared or "Failure!"])
            if len(test.failures) < _FAILURES:
                test.failures.append(failure)
        elif test.failures and len(test.failures[-1].words) < _LINES:
            test.failures[-1].words.append(line.text)

    def _done(self, match: re.Match[str], line: Line) -> Iterator[Finding]:
        test, self._test = self._test, None
        name = match["name"]
        if (
            not match["result"].startswith("FAILED")
            or name in self._reported
            or name.isdigit()
            or len(self._reported) > _TESTS
        ):
            return
        self._reported.add(name)
        test = test if test and test.name == name else _Test(name, line.number, line.number)
        test.last = line.number
        yield _finding(test, "failed")


def _finding(test: _Test, otherwise: str) -> Finding:
    first = test.failures[0] if test.failures else None
    words = [text for text in first.words if text.strip()] if first else []
    sides = _sides(words)
    return Finding(
        tool="gtest",
        category=Category.TEST,
        message="\n".join(text.rstrip() for text in words[:12]) or otherwise,
        file=first.file if first and first.file != "unknown file" else None,
        line=first.line if first else None,
        test=test.name,
        expected=sides[1],
        actual=sides[0],
        related=tuple(
            Related(file=f.file, line=f.line, message="\n".join(w for w in f.words if w.strip()))
            for f in test.failures[1:]
        ),
        log_line=first.number if first else test.number,
        span=(test.number, test.last),
        excerpt="\n".join(words),
    )


def _sides(words: list[str]) -> tuple[str | None, str | None]:
    """(actual, expected) of an equality or a boolean assertion."""
    if words and words[0].strip().startswith("Expected equality of these values:"):
        values: list[str] = []
        for text in words[1:]:
            if text.strip().startswith("Which is: "):
                values[-1:] = [text.strip()[10:]]
            elif text.startswith("  ") and len(values) < 3:
                values.append(text.strip())
        return (values[0], values[1]) if len(values) > 1 else (None, None)
    sides = {
        key: text.partition(":")[2].strip()
        for text in words
        for key in ("Actual", "Expected")
        if text.strip().startswith(key + ":")
    }
    return sides.get("Actual"), sides.get("Expected")


FORMAT = Format("gtest", ("[ RUN      ]", "[  FAILED  ]", "[==========]", "[  PASSED  ]"), _Reader)
