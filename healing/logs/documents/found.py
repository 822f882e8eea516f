"""The entry point of this package: the findings of the documents inside a log, beside those of its text."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace

from healing.logs.documents import advisories, flow, generic, repeats, sarif, tests
from healing.logs.documents.capture import Capture
from healing.logs.documents.dialects import SOURCES, UNKNOWN, dialect, signature
from healing.logs.documents.document import CUT, Document
from healing.logs.documents.node import Node, Value, text, vocabulary
from healing.logs.documents.tests import MAX_FINDINGS
from healing.logs.format import Finding
from healing.logs.lines import Block, clean
from healing.logs.paths import Paths

_ADVISORY = vocabulary(
    "vulnerabilityid packagename vulnerabilities vulnerability advisories advisory vulns vuln matches findings issue "
    "osv unpatchedgem"
)
_REPEATS = frozenset(("duplication", "duplicate", "duplicates", "pmdcpd", "simian"))


class Documents:
    """Reads a log block by block; after `close` it has the findings of the documents in it. Never raises."""

    def __init__(self, paths: Paths) -> None:
        self.problem = ""
        self.findings: list[Finding] = []
        self._paths = paths
        self._spans: list[tuple[int, int]] = []
        self._capture = Capture(self._read)

    @property
    def has_given_up(self) -> bool:
        """Whether the search for documents has been given up."""
        return self._capture.has_given_up

    def take(self, block: Block, openings: Sequence[int]) -> None:
        """Reads the next block; `openings` are the ascending indices of its lines that contain one of capture's
        HINTS."""
        self._capture.take(block, openings)

    def close(self) -> None:
        """Ends the log."""
        self._capture.close()

    def settle(self, reported: list[tuple[int, Finding]]) -> list[tuple[int, Finding]]:
        """The findings of the text (rank, finding) that are neither inside a document nor reported by one too, and the
        documents' findings."""
        if not self._spans:
            return reported
        places = {key for finding in self.findings for key in _keys(finding)}
        kept = [item for item in reported if not self._covers(item[1].log_line) and places.isdisjoint(_keys(item[1]))]
        return [*kept, *((2, finding) for finding in self.findings)]

    def _covers(self, line: int) -> bool:
        index = bisect_right(self._spans, (line, 1 << 60)) - 1
        return index >= 0 and self._spans[index][1] >= line

    def _read(self, document: Document) -> bool:
        known, findings = _findings(document.root, self._paths)
        before = len(self.findings)
        for finding in findings:
            if len(self.findings) >= MAX_FINDINGS:
                self._report_problem(document, f"more than {MAX_FINDINGS} findings")
                break
            self.findings.append(_clean(_signed(finding)))
        reported = len(self.findings) > before
        if reported or known or _is_data(document):
            self._spans.append((document.first, document.last))
        if document.problem and (reported or known or document.first == 1 or document.problem == CUT):
            self._report_problem(document, document.problem)
        return reported

    def _report_problem(self, document: Document, what: str) -> None:
        self.problem = self.problem or f"partly read: the document in line {document.first}: {what}"


def _is_data(document: Document) -> bool:
    """Whether the document is plain data, so that its lines need not be read for tools' output."""
    root = document.root
    failed = isinstance(root, Node) and not {"error", "errors"}.isdisjoint(root.words)
    return root is not None and document.first != document.last and not failed


def _findings(root: Value, paths: Paths) -> tuple[bool, Iterable[Finding]]:
    """Whether the document is a known report, and its findings."""
    results = sarif.read(root)
    if results is not None:
        return True, results
    words = signature(root)
    runner = tests.report(words)
    if runner:
        return True, tests.read(root, runner, paths)
    row = dialect(root)
    known = row is not UNKNOWN
    if words & _REPEATS and (repeated := list(repeats.read(root, row.tool))):
        return True, repeated
    if "flowversion" in words:
        return True, flow.read(root)
    if words & _ADVISORY and (weak := advisories.read(root, row.tool)):
        reported = {finding.log_line for finding in weak} | {finding.code for finding in weak}
        return True, [
            *weak,
            *(f for f in generic.read(root, row) if f.line and reported.isdisjoint((f.log_line, f.code))),
        ]
    if row.tool == "reviewdog" and isinstance(root, Node) and isinstance(source := root.get("source"), Node):
        row = replace(row, tool=text(source.get("name")) or row.tool)
    return known, generic.read(root, row)


def _signed(finding: Finding) -> Finding:
    """The finding, with the tool whose rule it is where another tool wrote Checkstyle's XML."""
    source = finding.code or ""
    hits = [(start, tool) for start, tool in SOURCES if finding.tool == "checkstyle" and source.startswith(start)]
    if not hits:
        return finding
    start, tool = hits[0]
    bare = source.removeprefix(start) if start.endswith(".") and start[0].islower() else source
    return replace(finding, tool=tool, code=bare or source)


def _keys(finding: Finding) -> set[tuple[object, ...]]:
    """The keys by which two findings are the same: the rule at a place, or the test."""
    keys: set[tuple[object, ...]] = set()
    if finding.file and finding.line and finding.code:
        keys.add((finding.file.rpartition("/")[2], finding.line, finding.code))
    if finding.test:
        keys.add((finding.test.replace("::", ".").rpartition(".")[2], finding.line))
    return keys


def _clean(finding: Finding) -> Finding:
    """The finding without colours, control characters and halves of characters, which can't be shown or stored."""
    texts = ("message", "excerpt", "file", "code", "test", "suggestion")
    changed = {name: _text(value) for name in texts if isinstance(value := getattr(finding, name), str)}
    related = tuple(
        item.model_copy(update={"message": _text(item.message), "file": _text(item.file) if item.file else None})
        for item in finding.related
    )
    return replace(finding, **changed, related=related)  # type: ignore[arg-type] # all of these are texts


def _text(value: str) -> str:
    return clean(value[:100_000].encode("utf-8", "replace")).strip()
