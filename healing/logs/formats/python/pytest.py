"""pytest: one error for each failing test or broken collection, whatever the verbosity and traceback style."""

import re
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from healing.logs.format import Finding, Format
from healing.logs.formats.python._blocks import NO_MESSAGE, PytestBlock, PytestFailure, failure
from healing.logs.formats.python._printed import PrintedOutput, Span, silent_findings
from healing.logs.formats.python._traces import category
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category

_SECTION = re.compile(r"=+ (?P<title>\S.{0,200}?) =+$")
_TITLE = re.compile(r"_+ (?P<title>\S.{0,2000}) _+$")
_RUBRIC = re.compile(r"(?P<what>ERROR collecting|ERROR at setup of|ERROR at teardown of) (?P<name>.+)$")
_ENTRY = re.compile(
    r"(?P<kind>FAILED|ERROR|SUBFAIL(?:ED)?(?:[\[(].{0,200}?[\])])?) (?:\[\d{1,6}\.\d{1,6}s\] )?(?P<rest>\S.*)$"
)
_PROGRESS = re.compile(
    r"(?:(?P<node>[^\s:]\S*\.(?:pyi?|txt|rst|md)::\S.{0,1000}?) (?P<kind>FAILED|ERROR)(?:\s+\[ *\d{1,3}%\])?"
    r"|\[gw\d{1,4}\] \[ *\d{1,3}%\] (?P<xkind>FAILED|ERROR) (?P<xnode>\S.*?))\s*$"
)
_TOTAL = re.compile(r"(?:=+ )?(?:\d+ [a-z]+(?:, |(?= in )| ?=*$)){1,12}(?: ?in [\d.]+s.*)?$")
_BY_LINE = re.compile(r"(?P<file>(?:[A-Za-z]:[\\/])?[^\s:][^:]{0,500}):(?P<line>\d{1,9}): (?P<message>\S.*)$")
_LOADING = re.compile(
    r"\w{0,40}Error while loading (?:conftest '(?P<conftest>[^']{1,500})'|plugin \"(?P<plugin>[^\"]{1,200})\"\.$)"
)
_USAGE = re.compile(
    r"(?:ERROR: (?P<missing>(?:file or directory not found|not found): .*)"
    r"|(?:\S.{0,60}?)?(?:pytest(?:\.exe)?|__main__\.py): error: (?P<usage>.*))$"
)
_KINDS = {"ERROR collecting": "collect", "ERROR at setup of": "setup", "ERROR at teardown of": "teardown"}
UNTITLED = "test session"  # pytest's title for the block of an item without a place, such as those of linter plugins
_LIMIT = 5_000


@dataclass(frozen=True, slots=True)
class _Entry:
    """One line of the summary or the progress: its kind, the test's id, the message, the log line."""

    kind: str
    node: str
    words: str
    number: int


class _Reader:
    """Reads the failure blocks, then the summary: blocks have place and reason, only the summary has full test ids."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._state = ""  # "", blocks, between, summary, loading
        self._block: PytestBlock | None = None
        self._failures: list[PytestFailure] = []
        self._printed = PrintedOutput()
        self._summary: list[_Entry] = []
        self._progress: deque[_Entry] = deque(maxlen=_LIMIT)
        self._by_line: deque[tuple[re.Match[str], int]] = deque(maxlen=_LIMIT)

    @property
    def busy(self) -> bool:
        return self._state != ""

    def read(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if text.startswith("=") and (section := _SECTION.match(text)):
            return self._section(section["title"], line)
        self._printed.read(line)
        if self._state == "blocks":
            self._in_blocks(line)
            if self._block is None and _TOTAL.match(text):
                return self._flush()
            return ()
        if self._state == "summary":
            return self._in_summary(line)
        if self._state == "loading" and self._block is not None:
            if not text or text.startswith(("E ", " ", "<")) or re.match(r"\S.{0,500}:\d+: in ", text):
                self._block.add(line)
                return ()
            return (*self._flush(), *self._idle(line))
        return self._idle(line)

    def close(self) -> Iterable[Finding]:
        return self._flush()

    def _section(self, title: str, line: Line) -> Iterable[Finding]:
        self._end_block()
        if title in ("FAILURES", "ERRORS"):
            again = self._state == "summary" or (title == "ERRORS" and bool(self._failures))
            done = self._flush() if again else ()
            self._state = "blocks"
            self._printed.section(title, line)
            return done
        self._printed.section(title, line)
        if title == "short test summary info":
            self._state = "summary"
        elif title == "test session starts" or _TOTAL.match(line.text):
            done = self._flush()
            self._printed.section(title, line)
            return done
        elif self._state == "blocks":
            self._state = "between"
        return ()

    def _idle(self, line: Line) -> Iterable[Finding]:
        text = line.text
        if ("FAILED" in text or "ERROR" in text) and (match := _PROGRESS.match(text)):
            kind, node = match["kind"] or match["xkind"], match["node"] or match["xnode"]
            self._progress.append(_Entry(kind, node.strip(), "", line.number))
        if "Error while loading " in text and (match := _LOADING.match(text)):
            kind = match.lastgroup or ""
            self._state, self._block = "loading", PytestBlock(match[kind], kind, line.number)
        elif ("ERROR: " in text or ": error: " in text) and (match := _USAGE.match(text)):
            return (_usage(match, line),)
        elif self._state == "between" and _TOTAL.match(text):
            return self._flush()
        return ()

    def _in_blocks(self, line: Line) -> None:
        text = line.text
        if text.startswith("_") and (title := _TITLE.match(text)) and title["title"].strip("_ "):
            self._end_block()
            rubric = _RUBRIC.match(title["title"])
            kind, name = (_KINDS[rubric["what"]], rubric["name"]) if rubric else ("test", title["title"])
            self._block = PytestBlock(name, kind, line.number)
        elif self._block is not None:
            self._block.add(line)
            if _TOTAL.match(text) and text.endswith("s") and " in " in text:  # -q without a summary
                self._end_block()
        elif match := _BY_LINE.match(text):
            self._by_line.append((match, line.number))

    def _in_summary(self, line: Line) -> Iterable[Finding]:
        if (match := _ENTRY.match(line.text)) and len(self._summary) < _LIMIT:
            node, words = _split(match["rest"])
            self._summary.append(_Entry(match["kind"], node[:2_000], words[:2_000], line.number))
        elif _TOTAL.match(line.text) and " in " in line.text:
            return self._flush()
        return ()

    def _end_block(self) -> None:
        block, self._block = self._block, None
        if block is not None and len(self._failures) < _LIMIT:
            self._failures.append(failure(block, self._paths))

    def _flush(self) -> Iterable[Finding]:
        self._end_block()
        failures, self._failures, self._state = self._failures, [], ""
        named = {entry.node for entry in self._summary}
        entries = [*self._summary, *(e for e in self._progress if e.node not in named)]
        by_line, self._by_line, self._summary = self._by_line, deque(maxlen=_LIMIT), []
        self._progress.clear()
        findings = list(_paired(failures, entries, by_line, self._paths))
        plugins: list[Span] = [item.span for item in failures if item.message == NO_MESSAGE]
        summarized, printed = any(finding.message != NO_MESSAGE for finding in findings), self._printed.close()
        return (*findings, *silent_findings(printed if summarized else (), plugins))


def _paired(
    failures: list[PytestFailure], entries: list[_Entry], by_line: deque[tuple[re.Match[str], int]], paths: Paths
) -> Iterator[Finding]:
    """The findings of each block with its entry, in order; then of entries without a block (--tb=line, --tb=no)."""
    waiting: dict[tuple[str, str], deque[_Entry]] = defaultdict(deque)
    for entry in entries:
        waiting[_kind(entry), _block_name(entry.node)].append(entry)
    titles = {item.name for item in failures}
    untitled = deque(entry for entry in entries if _block_name(entry.node) not in titles)
    used = set()
    for item in failures:
        kind = "FAILED" if item.kind == "test" else "ERROR"
        same_name = waiting[kind, item.name.removeprefix("[doctest] ")] if item.name != UNTITLED else untitled
        at_home = [e for e in same_name if item.home and e.node.startswith(item.home)]
        entry_of_block = next(iter(at_home or same_name), None)
        if entry_of_block is not None:
            same_name.remove(entry_of_block)
            used.add(entry_of_block)
        yield _of_block(item, entry_of_block)
    for entry in entries:
        if entry in used:
            continue
        match, number = by_line.popleft() if by_line and _kind(entry) == "FAILED" else (None, entry.number)
        yield _of_entry(entry, match if match and paths.inside(match["file"]) else None, number)


def _of_block(item: PytestFailure, entry: _Entry | None) -> Finding:
    exception = item.exception or ""
    collected = item.kind in ("collect", "conftest", "plugin")
    where = item.name if item.kind in ("collect", "conftest") else _file_of(entry)
    return Finding(
        tool="pytest",
        code=item.exception,
        category=category(exception, Category.RUNTIME) if collected else Category.TEST,
        message=item.message if item.message != NO_MESSAGE or entry is None else entry.words or NO_MESSAGE,
        file=item.spot.file if item.spot else where,
        line=item.spot.line if item.spot else None,
        test=entry.node if entry else _guessed_id(item),
        related=item.related,
        expected=item.expected,
        actual=item.actual,
        log_line=item.reported_at,
        span=item.span,
        excerpt=item.excerpt,
        repeats=item.message != NO_MESSAGE,
    )


def _of_entry(entry: _Entry, match: re.Match[str] | None, number: int) -> Finding:
    message = (match["message"] if match else "") or entry.words or NO_MESSAGE
    exception = re.match(r"(?:[\w.]{0,200}\.)?(\w{0,80}(?:Error|Exception|Warning|Failed))\b", message)
    code = exception[1] if exception else None
    collected = "::" not in entry.node
    return Finding(
        tool="pytest",
        code=code,
        category=category(code or "", Category.RUNTIME) if collected else Category.TEST,
        message=message,
        file=match["file"] if match else _file_of(entry),
        line=int(match["line"]) if match else None,
        test=entry.node,
        log_line=number,
        excerpt=f"{match.string}\n{entry.node}" if match else f"{entry.kind} {entry.node} - {entry.words}",
    )


def _usage(match: re.Match[str], line: Line) -> Finding:
    return Finding(
        tool="pytest",
        category=Category.CONFIG,
        message=match["missing"] or match["usage"],
        log_line=line.number,
        excerpt=line.text,
    )


def _split(rest: str) -> tuple[str, str]:
    """Splits `nodeid - message`; a parameter in the id's brackets may contain the dash too."""
    at = rest.find(" - ")
    while at >= 0:
        node = rest[:at]
        if "[" not in node or node.endswith("]"):
            return node, rest[at + 3 :]
        at = rest.find(" - ", at + 3)
    return rest, ""


def _kind(entry: _Entry) -> str:
    return "ERROR" if entry.kind == "ERROR" else "FAILED"


def _block_name(node: str) -> str:
    """The block title for a node id: `T.test_x[a::b]` for `tests/test_a.py::T::test_x[a::b]`; a file keeps its path."""
    _, sep, name = node.partition("::")
    if not sep:
        return node
    plain, bracket, parameters = name.partition("[")
    return plain.replace("::", ".") + bracket + parameters


def _file_of(entry: _Entry | None) -> str | None:
    return entry.node.partition("::")[0] if entry else None


def _guessed_id(item: PytestFailure) -> str | None:
    """The test id if there is no summary, from the file of the first frame and the block's name."""
    if item.kind in ("conftest", "plugin"):
        return None
    if item.kind == "collect" or item.home is None:
        return item.name
    plain, bracket, parameters = item.name.partition("[")
    return f"{item.home}::{plain.replace('.', '::')}{bracket}{parameters}"


FORMAT = Format(
    "pytest",
    (
        "test session starts",
        " FAILURES =",
        " ERRORS =",
        "short test summary",
        "FAILED",
        "ERROR ",
        "ERROR:",
        "Error while loading ",
        ": error: ",
    ),
    _Reader,
    later=(" ===",),
)
