"""Failed tests of Scala, with and without sbt: ScalaTest and munit."""

import re
from collections.abc import Iterable

from healing.logs.failed_tests import FailedTestOutput
from healing.logs.format import Finding, Format
from healing.logs.formats.jvm._stacks import blame, comparison, parse_exception
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category

_MARK = r"(?:\[(?:info|error)\] )?"
_FAILED = re.compile(rf"{_MARK}\s{{0,30}}(?:- )?(?P<name>\S.{{0,600}}?) \*\*\* FAILED \*\*\*(?: \(.{{1,60}}\))?$")
_MUNIT = re.compile(rf"{_MARK}==> X (?P<name>\S.{{0,600}}?)\s{{1,4}}[\d.]{{1,10}}s (?P<words>\S.*)$")
_WORDS_PLACE = re.compile(r"(?P<words>.{0,2000}?) ?\((?P<file>[\w$.-]{1,200}\.scala):(?P<line>\d{1,9})\)$")
_LOCATED = re.compile(r"(?:[\w.]{3,120}: )?(?P<file>\S{1,400}\.scala):(?P<line>\d{1,9})(?: (?P<words>.*))?$")
_PICTURE = re.compile(r"\d{1,7}:")
_END = re.compile(
    rf"{_MARK}(?:- |Run completed|Total number|Suites:|Tests:|\*\*\*|Passed:|Failed:|\s{{0,4}}[+] "
    rf"|Finished in)"
)
_LINES = 60


class _Reader:
    """Reads a failed test's name, then its message, which is indented deeper, with the same mark of sbt."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._block: FailedTestOutput | None = None
        self._munit = False

    @property
    def busy(self) -> bool:
        return self._block is not None

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text[:8000]
        match = _FAILED.match(text) or _MUNIT.match(text)
        if match and "TESTS FAILED" not in text and not text.rstrip().endswith("s FAILED ***"):
            done = self.close()
            self._block = FailedTestOutput(match["name"], line.number)
            self._munit = "words" in match.groupdict()
            if self._munit:
                self._block.lines.append(match["words"])
            return done
        if self._block is None:
            return ()
        body = re.sub(_MARK, "", text, count=1)
        inside = self._munit or body.startswith(" ")
        if not body.strip() or _END.match(text) or not inside or len(self._block.lines) > _LINES:
            return self.close() if self._block.lines else ()
        self._block.add(Line(line.number, body))
        return ()

    def close(self) -> Iterable[Finding]:
        block, self._block = self._block, None
        return (_failure(block, self._paths),) if block else ()


def _failure(block: FailedTestOutput, paths: Paths) -> Finding:
    exception = parse_exception(block.lines)
    words = exception.words or f"{block.title} failed"
    first = words.partition("\n")[0]
    spot = _WORDS_PLACE.match(first) or _LOCATED.match(first)
    if spot and spot.re is _LOCATED:
        words = " ".join(text for text in (f"{spot['words'] or ''}", *_after_picture(words)) if text)
    place = blame(exception, paths)
    expected, actual = _sides(words)
    return Finding(
        tool="scalatest",
        category=Category.TEST,
        message=(spot["words"] if spot and spot.re is _WORDS_PLACE else None) or words,
        file=spot["file"] if spot else place.file if place else None,
        line=int(spot["line"]) if spot else place.line if place else None,
        log_line=block.first,
        span=(block.first, max(block.first, block.last)),
        related=tuple(frame.related() for frame in reversed(exception.frames[:40])),
        test=block.title,
        expected=expected,
        actual=actual,
        excerpt="\n".join([block.title, *block.lines]),
    )


def _after_picture(words: str) -> list[str]:
    """The lines after munit's code frame of three lines: what differs."""
    return [text for text in words.split("\n")[1:8] if not _PICTURE.match(text)]


_EQUAL = re.compile(r"(?P<actual>\S.{0,400}?) (?:did not equal|was not equal to) (?P<expected>\S.{0,400}?)(?: \(|$)")


def _sides(words: str) -> tuple[str | None, str | None]:
    if match := _EQUAL.match(words.partition("\n")[0]):
        return match["expected"], match["actual"]
    return comparison(words)


FORMAT = Format("scalatest", ("*** FAILED ***", "==> X "), _Reader, before=0)
