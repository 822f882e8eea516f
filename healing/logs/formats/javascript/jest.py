"""Jest: one error for each failing test, broken suite, missed coverage threshold or open handle."""

import re
from collections.abc import Iterable
from dataclasses import replace

from healing.logs.format import Finding, Format
from healing.logs.formats.javascript._jest_blocks import JestBlock, finding_of
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category, Related, Severity

_FILE = (
    r"(?P<file>(?:[A-Za-z]:[\\/])?[^\s:>][^:>\[\]]{0,400}?\.(?:[cm]?[jt]sx?|vue|svelte|json|feature|es6|coffee|snap))"
)
_HEAD = re.compile(
    rf'(?:\s{{0,4}}"\w{{1,20}}": )?"?\s?(?P<kind>FAIL|PASS)\s{{1,3}}(?:\S{{1,60}}\s{{1,4}})?{_FILE}'
    rf"(?: \([\d.]{{1,10}} m?s.{{0,60}}\))?\s{{0,2}}$"
)
_BULLET = re.compile(r"\s{0,4}●\s{1,2}(?P<title>\S.*)$")
_NO_TEST = re.compile(
    r"(?:Console|Validation Warning:?|Deprecation Warning:?|Multiple configurations found:?|LOGGING RETRY ERRORS.*"
    r"|Cannot log after tests are done.*|Obsolete .*|Warning:?)$"
)
_CONSOLE = re.compile(
    r"\s{2,4}console\.(?:log|error|warn|info|debug|trace|dir|assert|count|time|group)\w{0,10}\b.{0,200}$"
)
_COVERAGE = re.compile(
    r"Jest: (?P<message>(?:\"[^\"]{1,300}\"|\S{1,300}) coverage threshold for \w{1,20} .*"
    r"|Coverage data for .* was not found\.)$"
)
_NONE = re.compile(r"(?P<message>No tests found(?:, exiting with code 1| related to files).*)$")
_HANDLES = re.compile(r"Jest has detected the following \d{1,6} open handles?")
_END = re.compile(r"\s{0,2}\"?(?:Test Suites:|Snapshot Summary|Tests: |-{5,}|summary\": )")
_KEPT = 400


class _Reader:
    """Reads blocks, which belong to the file in the `FAIL` line above; a test that fails twice is reported once."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._file: str | None = None
        self._handles = False
        self._block: JestBlock | None = None
        self._printed: JestBlock | None = None
        self._open: dict[str, Finding] = {}
        self._seen: set[tuple[str | None, str]] = set()

    @property
    def busy(self) -> bool:
        return self._block is not None or self._printed is not None

    def read(self, line: Line) -> Iterable[Finding]:
        block = self._block or self._printed
        if block is not None and _inside(block, line):
            return ()
        return (*self._finish(), *self._read_outside(line))

    def close(self) -> Iterable[Finding]:
        return (*self._finish(), *self._flush())

    def _read_outside(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if "●" in text and (bullet := _BULLET.match(text)):
            if not _NO_TEST.match(bullet["title"]):
                self._block = JestBlock(bullet["title"].rstrip(), self._file, self._handles, line.number)
            return ()
        if ("FAIL" in text or "PASS" in text) and (head := _HEAD.match(text)):
            done = self._flush()
            self._file, self._handles = (head["file"] if head["kind"] == "FAIL" else None), False
            return done
        if _END.match(text):
            self._file = None
            return self._flush()
        if _CONSOLE.match(text):
            self._printed = JestBlock("", None, False, line.number)
            return ()
        self._handles = self._handles or bool(_HANDLES.match(text))
        return _setup(line)

    def _finish(self) -> Iterable[Finding]:
        """Adds the block that ended to the failures of its file; returns a finding without a message for test
        output."""
        block, self._block = self._block, None
        printed, self._printed = self._printed, None
        if printed is not None:
            span = (printed.first, max(printed.first, printed.last))
            return (
                Finding(
                    tool="jest", category=Category.TEST, message="", log_line=printed.first, span=span, repeats=True
                ),
            )
        finding = finding_of(block, self._paths) if block else None
        if block is None or finding is None or (block.file, block.title) in self._seen:
            return ()
        first = self._open.get(block.title)
        self._open[block.title] = _joined(first, finding) if first else finding
        return ()

    def _flush(self) -> Iterable[Finding]:
        done, self._open = list(self._open.values()), {}
        self._seen.update((self._file, finding.test or "") for finding in done)
        return done


def _inside(block: JestBlock, line: Line) -> bool:
    if len(block.lines) >= _KEPT or (line.text.strip() and not line.text.startswith(block.indent)):
        return False
    block.lines.append(line.text)
    if line.text.strip():
        block.last = line.number
    return True


def _joined(first: Finding, again: Finding) -> Finding:
    """The first finding, with a second error of the same test (a hook, a rejection) as a related note."""
    note = Related(file=again.file, line=again.line, column=again.column, message=again.message)
    span = (first.log_line, again.span[1]) if again.span else first.span
    return replace(first, related=(*first.related, note), span=span)


def _setup(line: Line) -> Iterable[Finding]:
    match = _COVERAGE.match(line.text) or _NONE.match(line.text)
    if match is None:
        return ()
    category = Category.TEST if match.re is _COVERAGE else Category.CONFIG
    return (
        Finding(
            tool="jest",
            code="coverage" if match.re is _COVERAGE else "no-tests",
            category=category,
            severity=Severity.ERROR,
            message=match["message"],
            log_line=line.number,
            excerpt=line.text,
        ),
    )


FORMAT = Format(
    "jest",
    (
        "FAIL ",
        "FAIL  ",
        "  ● ",
        "  ●  ",
        "● Validation",
        "  console.",
        "Test Suites:",
        "Jest: ",
        "No tests found",
        "Jest has detected",
    ),
    _Reader,
    before=0,
    later=("PASS ",),
)
