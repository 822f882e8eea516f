"""dotnet test, vstest and the runners of xUnit, NUnit, MSTest and TUnit: failed tests with message and stack."""

import re
from collections.abc import Iterable

from healing.logs.failed_tests import FailedTestOutput
from healing.logs.format import Finding, Format
from healing.logs.formats.dotnet._stacks import blame, comparison, frame, in_stack, message
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category

_FAILED = re.compile(
    r"\s{1,4}(?:\[.{0,30}\] )?(?:Failed|X|✗|x) (?P<name>\S.{0,600}?) ?\[(?:< )?[\d.,]{1,12} ?(?:ms|s|m"
    r"|h)(?: \d{1,4} m?s)?\]$"
)
_MTP = re.compile(r"(?:failed|timed out) (?P<name>[A-Za-z_]\S{0,300}(?:\(.{0,300}\))?) \([\d.ms hu]{2,20}\)$")
_XUNIT = re.compile(r"(?:\[xUnit\.net [\d:.]{5,16}\])?\s{2,10}(?P<name>\S.{0,600}?) \[FAIL\]$")
_NUNIT = re.compile(r"\d{1,6}\) (?:Failed|Error|Invalid|SetUp Error|TearDown Error) : (?P<name>\S.{0,600})$")
_END = re.compile(
    r"\s{1,4}(?:Passed|Failed|Skipped|[√✓!]) \S.{0,600}\[|(?:Failed|Passed)!\s{1,4}-|Test Run |Total tests:"
    r"|Results File|Attachments:"
    r"|(?:passed|failed|skipped) \S.{0,600} \([\d.ms hu]{2,20}\)$|\[xUnit\.net|\s{2,10}Finished: |Run Settings"
    r"|Test run summary|\d{1,6}\) |Build (?:FAILED|succeeded)"
    r"|\s{0,4}(?:Standard (?:Output|Error)|Std(?:Out|Err)|Output|Debug Trace|TestContext) ?(?:Messages)?:"
)
_RUBRIC = re.compile(r"\s{0,12}(?:Error Message|Stack Trace|Expected result|from \S.{0,300}):\s*$")


class _Reader:
    """Reads the test's heading, then its message and stack. Runners print a failed test twice; it is reported once."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._block: FailedTestOutput | None = None
        self._names: dict[str, int] = {}

    @property
    def busy(self) -> bool:
        return self._block is not None

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if len(text) > 8000:
            return ()
        if match := _FAILED.match(text) or _MTP.match(text) or _XUNIT.match(text) or _NUNIT.match(text):
            done = self.close()
            self._block = FailedTestOutput(match["name"].strip(), line.number)
            return done
        if self._block is None:
            return ()
        stripped = re.sub(r"^\[xUnit\.net [\d:.]{5,16}\]\s{0,6}", "      ", text)
        blank = not text.strip() and any(in_stack(t) for t in self._block.lines)
        if blank or (_END.match(text) and stripped == text):
            return self.close()
        self._block.add(Line(line.number, stripped))
        return ()

    def close(self) -> Iterable[Finding]:
        block, self._block = self._block, None
        if block is None or block.title in self._names or not any(text.strip() for text in block.lines):
            return ()
        if len(self._names) < 5_000:
            self._names[block.title] = block.first
        return (_failure(block, self._paths),)


def _failure(block: FailedTestOutput, paths: Paths) -> Finding:
    lines = [text for text in block.lines if not _RUBRIC.match(text)]
    frames = [place for text in lines if (place := frame(text))]
    place = blame(frames, paths)
    expected, actual = comparison(lines)
    return Finding(
        tool="dotnet-test",
        category=Category.TEST,
        message=message(lines) or f"{block.title} failed",
        file=place.file if place else None,
        line=place.line if place else None,
        log_line=block.first,
        span=(block.first, max(block.first, block.last)),
        related=tuple(f.related() for f in reversed(frames[:40])),
        test=block.title,
        expected=expected,
        actual=actual,
        excerpt="\n".join([block.title, *block.lines]).rstrip(),
    )


_HINTS = (
    "  Failed ", "  X ", "  ✗ ", "[FAIL]", ") Failed : ", ") Error : ", ") Invalid : ", "Up Error : ",
    "Down Error : ", "failed ",
)  # fmt: skip
FORMAT = Format("dotnet-test", _HINTS, _Reader, before=0)
