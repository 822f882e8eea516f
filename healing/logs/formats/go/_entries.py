"""The output of one Go test: log entries with their place, testify's table, got and want."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from textwrap import dedent

from healing.logs.formats.go._crashes import Crash
from healing.model import Related

_TABLE = re.compile(r"\s*(?P<key>Error Trace|Error|Test|Messages):\s*(?P<value>.*)$")
_TRACE = re.compile(r"(?P<file>\S.{0,400}?\.go):(?P<line>\d{1,9})")
_GOT = re.compile(
    r"(?:.*?[^\w])?(?:got|actual|have)\b:?\s*(?P<got>\S.{0,1000}?)[,;]?\s+(?:\(?but )?"
    r"(?:want|wanted|expected|expect)(?:ed)?\b:?\s*(?P<want>\S.{0,1000})$",
    re.IGNORECASE | re.DOTALL,
)
_WANT = re.compile(
    r"(?:.*?[^\w])?(?:want|wanted|expected)\b:?\s*(?P<want>\S.{0,1000}?)[,;]?\s+(?:but )?(?:got|actual|have)\b:?"
    r"\s*(?P<got>\S.{0,1000})$",
    re.IGNORECASE | re.DOTALL,
)
_MATCHED = 1_500  # characters that are searched for got and want
ENTRIES, ENTRY_LINES = 60, 60


@dataclass(slots=True)
class GoLogEntry:
    """One `file.go:12: words` of a test's log, with the lines indented under it."""

    file: str
    line: int
    words: list[str]
    number: int

    @property
    def text(self) -> str:
        """The words without the indentation of the lines under the first."""
        return f"{self.words[0].strip()}\n{dedent(chr(10).join(self.words[1:])).rstrip()}".strip()


@dataclass(slots=True)
class GoFailure:
    """The failure of a test."""

    message: str
    file: str | None = None
    line: int | None = None
    expected: str | None = None
    actual: str | None = None


@dataclass(slots=True)
class GoTest:
    """One test of a package: its result's line number, its span, its log and output, its crash."""

    __test__ = False

    name: str
    number: int = 0
    first: int = 0
    last: int = 0
    failed: bool = False
    entries: list[GoLogEntry] = field(default_factory=list)
    output: list[str] = field(default_factory=list)
    crash: Crash | None = None

    def related(self) -> tuple[Related, ...]:
        """The test's log entries, if there are several."""
        entries = self.entries if len(self.entries) > 1 else []
        return tuple(Related(file=e.file, line=e.line, message=e.text) for e in entries)


def describe(test: GoTest) -> GoFailure:
    """The first log entry that compares values, else the first entry; an example's output; else the first line that the
    test printed, or "failed"."""
    entries = [e for e in test.entries if e.file != "testing.go"] or test.entries
    if entries:  # t.Log and t.Error look the same: an entry that compares is surely an error, else the first is used
        plain = [_plain(e) for e in entries]
        compares = next((i for i, t in enumerate(plain) if t.expected is not None or _table(entries[i])), 0)
        return _table(entries[compares]) or plain[compares]
    if test.name.startswith("Example") and (example := _example(test.output)):
        return example
    words = next((text.strip() for text in test.output if text.strip()), "")
    return GoFailure(words[:300] or "failed")


def _plain(entry: GoLogEntry) -> GoFailure:
    match = _GOT.match(entry.text[:_MATCHED]) or _WANT.match(entry.text[:_MATCHED])
    values = (match["want"].strip(), match["got"].strip()) if match else (None, None)
    return GoFailure(entry.text or "failed", entry.file, entry.line, *values)


def _table(entry: GoLogEntry) -> GoFailure | None:
    """The failure in testify's table: `Error Trace`, `Error`, `Test` and `Messages`, each with lines of its own."""
    cells: dict[str, list[str]] = {}
    key = ""
    for text in entry.words:
        if (match := _TABLE.match(text)) and match["key"] not in cells:
            key = match["key"]
            cells[key] = [match["value"]]
        elif key:
            cells[key].append(text.strip())
    if "Error Trace" not in cells or "Error" not in cells:
        return None
    traces = [m for text in cells["Error Trace"] if (m := _TRACE.search(text))]
    file, line = (traces[-1]["file"], int(traces[-1]["line"])) if traces else (entry.file, entry.line)
    words = [w for w in cells["Error"] if w.strip()]
    expected, actual = _value(words, "expected"), _value(words, "actual")
    message = " ".join(w for w in words if not w.startswith(("expected:", "actual  :", "actual:")))[:1_000]
    message = message.partition(" Diff: ")[0].strip()
    if notes := " ".join(cells.get("Messages", [])).strip():
        message = f"{message} ({notes})"
    return GoFailure(message, file, line, expected, actual)


def _value(words: Sequence[str], key: str) -> str | None:
    return next((w.partition(":")[2].strip() for w in words if re.match(rf"{key} {{0,3}}:", w)), None)


def _example(output: Sequence[str]) -> GoFailure | None:
    text = "\n".join(output)
    if not text.startswith("got:\n") or "\nwant:\n" not in text:
        return None
    got, _, want = text[5:].partition("\nwant:\n")
    return GoFailure("the example's output is not the wanted one", expected=want.strip(), actual=got.strip())
