"""minitest and test-unit: failures and errors in their own form, that of Rails and that of minitest-reporters."""

import re
from collections.abc import Iterable

from healing.logs.failed_tests import FailedTestOutput
from healing.logs.format import Finding, Format
from healing.logs.formats.ruby._stacks import blame, category, comparison, frame
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category

_KIND = re.compile(r"(?:\s{1,4}\d{1,6}\) )?(?P<kind>Failure|Error|Skipped):$")
_NAME = re.compile(
    r"(?P<name>[A-Z][\w:]{0,200}#[^\[]{1,300}?|\w{1,200}\([\w:]{1,200}\))"
    r"(?: \[(?P<file>[^\]]{1,400}?)(?::(?P<line>\d{1,9}))?\])?:$"
)
_UNIT = re.compile(r"(?P<kind>Failure|Error): (?P<name>[^()]{1,200}\([\w:]{1,200}\))(?::? (?P<words>\S.*)|:?)$")
_REPORTED = re.compile(
    r"\s{0,2}(?:(?P<kind>FAIL|ERROR)\[\"(?P<name>[^\"]{1,300})\", "
    r"(?:\"(?P<suite>[^\"]{1,200})\"|.{0,120}@name=\"(?P<named>[^\"]{1,200})\">), [\d.e-]{1,20}\]"
    r"|(?P<test>test_\S{1,200})\s{1,80}(?:FAIL|ERROR) \([\d.]{1,12}s\))$"
)
_END = re.compile(
    r"(?:\d{1,9} (?:runs|tests), \d|=====|-----|Finished in |(?:bin/)?rails test |rake test "
    r"|You have skipped|Finished tests|Tests: \d|\s{1,3}\d{1,9} tests?, )"
)
_PASSED = re.compile(r"\s{1,6}\S.{0,300}\s(?:PASS|SKIP|FAIL|ERROR) \([\d.]{1,12}s\)$")
_SOURCE = re.compile(
    r"\s{1,8}(?:=> )?\d{1,7}: |\s{0,6}test_\S{1,200}#\S{1,200} \([\d.]{1,12}s\)$"
    r"|\s{0,6}Minitest::(?:Assertion|UnexpectedError):\s{0,80}|bin/rails test|rails test "
)


class _Reader:
    """Reads the kind's line, then the test's name, then its message up to the next test or the totals."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._kind = ""
        self._block: FailedTestOutput | None = None

    @property
    def busy(self) -> bool:
        return bool(self._kind) or self._block is not None

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if match := _KIND.match(text):
            done = self.close()
            self._kind = match["kind"]
            return done
        if self._kind:
            return self._named(text, line)
        if match := _UNIT.match(text) or _REPORTED.match(text):
            done = self.close()
            groups = match.groupdict()
            suite = groups.get("suite") or groups.get("named")
            name = groups.get("name") or groups.get("test") or ""
            self._block = FailedTestOutput(f"{suite}#{name}" if suite else name, line.number)
            if groups.get("words"):
                self._block.lines.append(groups["words"] or "")
            return done
        if self._block is None:
            return ()
        if _END.match(text) or _PASSED.match(text):
            return self.close()
        self._block.add(line)
        return ()

    def close(self) -> Iterable[Finding]:
        block, self._block, self._kind = self._block, None, ""
        return (_failure(block, self._paths),) if block else ()

    def _named(self, text: str, line: Line) -> Iterable[Finding]:
        kind, self._kind = self._kind, ""
        match = _NAME.match(text)
        if match and kind != "Skipped":
            row = int(match["line"]) if match["line"] else None
            self._block = FailedTestOutput(match["name"], line.number, file=match["file"], line=row)
        return ()


def _failure(block: FailedTestOutput, paths: Paths) -> Finding:
    frames = [place for text in block.lines if (place := frame(text))]
    words = [t.strip() for t in block.lines if t.strip() and not frame(t) and not _SOURCE.match(t)]
    place = blame(frames, paths)
    expected, actual = comparison(block.lines)
    message = _message(words) or f"{block.title} failed"
    return Finding(
        tool="minitest",
        category=category(message, Category.TEST),
        message=message,
        file=place.file if place else block.file,
        line=place.line if place else block.line,
        log_line=block.first,
        span=(block.first, max(block.first, block.last)),
        related=tuple(f.related() for f in reversed(frames[:30])),
        test=block.title,
        expected=expected,
        actual=actual,
        excerpt="\n".join([block.title, *block.lines]).rstrip(),
    )


def _message(words: list[str]) -> str:
    end = next((i for i, text in enumerate(words) if text.startswith(("--- ", "diff:", "@@"))), len(words))
    return " ".join(words[: min(end, 4)] or words[:1])


_HINTS = (
    ") Failure:", ") Error:", "Failure:\n", "Error:\n", "Failure: test", "Error: test", 'FAIL["', 'ERROR["', " FAIL (",
    " ERROR (",
)  # fmt: skip
FORMAT = Format("minitest", _HINTS, _Reader)
