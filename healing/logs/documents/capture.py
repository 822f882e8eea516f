"""Finds documents in a log while it is read, and collects each to its end."""

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence

from healing.logs.documents.document import CUT, Document, DocumentReader, JsonReading, XmlReading
from healing.logs.documents.node import Node
from healing.logs.lines import Block

MAX_BATCH = 2_000  # objects, one per line, that are read together
# After that many documents in a row without a finding, JSON is no longer searched for; after twice as many, nothing.
MAX_IDLE = 5_000

_ROOTS = (
    "testsuite", "testsuites", "testrun", "test-run", "testresult", "testresults", "test-result", "test-results",
    "testng-results", "assembly", "assemblies", "checkstyle", "pmd", "pmd-cpd", "cpd", "BugCollection", "results",
    "issues", "report", "mutations", "duplicates", "DuplicatesReport", "valgrindoutput", "jslint", "lint", "robot",
    "TestLog", "TestCase",
)  # fmt: skip
_JSON = r'(?:\{[ \t]{0,8}(?:"|$)|\[[ \t]{0,8}(?:[\[{]|$))'
_XML_OPENING = re.compile(rf"<(?:\?xml |(?:{'|'.join(_ROOTS)})(?:[ \t>]|$))")
_OPENING = re.compile(rf"{_JSON}|{_XML_OPENING.pattern}")
_FIRST_OPENING = re.compile(rf"{_JSON}|<(?:\?xml |!--|!DOCTYPE |[A-Za-z][\w.:-]{{0,80}}(?:[ \t/>]|$))", re.ASCII)
# Every line that may open a document begins with one of these.
HINTS = (
    *(f"\n{{{after}" for after in ' \t\n"'),
    *(f"\n[{after}" for after in " \t\n{["),
    "\n<?xml ",
    *(f"\n<{root}" for root in _ROOTS),
)
# Written line by line by `cargo --message-format=json` and `go test -json`; the formats of those tools read it.
_LEFT_TO_FORMATS = re.compile(
    r'\{"(?:reason":"(?:compiler-|build-|test-)|type":"(?:suite|test|bench)","event":'
    r'|(?:Time|Action|ImportPath)":"[^"]{1,200}","(?:Action|Output|Test|Package|Elapsed))'
)


class Capture:
    """Reads a log block by block, and passes each document to `found`, which returns whether it has any finding."""

    def __init__(self, found: Callable[[Document], bool]) -> None:
        self._found = found
        self._reading: DocumentReader | None = None
        self._begun = 0  # the line in which it began
        self._empty = True  # only blank lines so far
        self._batch: list[Document] = []
        self._idle = 0  # weighted count of documents in a row without a finding

    @property
    def has_given_up(self) -> bool:
        """Whether the search for documents has been given up."""
        return self._idle >= 2 * MAX_IDLE

    def take(self, block: Block, openings: Sequence[int]) -> None:
        """Reads the next block; `openings` are the ascending indices of its lines that contain one of HINTS."""
        at = self._skip_blanks(block) if self._empty else 0
        while at < block.count:
            at = self._next(block, openings, at) if self._reading is None else self._feed(block, at)

    def close(self) -> None:
        """Ends the log."""
        self._end(CUT)
        self._flush()

    def _skip_blanks(self, block: Block) -> int:
        """Skips leading blank lines; returns the index of the next line. It may open a document in more ways than later
        lines, since a log may be just a document."""
        texts = enumerate(block.lines)
        at, text = next(((at, text) for at, text in texts if text.strip()), (block.count, ""))
        self._empty = not text
        if match := _FIRST_OPENING.match(text.lstrip()):
            self._begin(match, block.first + at)
        return at

    def _next(self, block: Block, openings: Sequence[int], at: int) -> int:
        """Begins a document at the next line from `at` on that opens one; returns its index, or the block's end."""
        opening = _OPENING if self._idle < MAX_IDLE else _XML_OPENING
        for index in openings[bisect_left(openings, at) :]:
            if not self.has_given_up and (match := opening.match(block.lines[index])):
                self._begin(match, block.first + index)
                return index
        return block.count

    def _begin(self, match: re.Match[str], number: int) -> None:
        self._begun = number
        self._reading = (XmlReading if match[0].startswith("<") else JsonReading)(number)

    def _feed(self, block: Block, at: int) -> int:
        """Feeds the line at `at` to the open document; returns the index of the next line to read."""
        number, line = block.first + at, block.lines[at]
        first = self._begun == number
        ended = self._reading is None or self._reading.take(line)
        if ended is None:
            unended = block.open and at == block.count - 1
            self._end(CUT if unended else f"it breaks off in line {number}")
            if not first:
                return at  # the line may open another document
        if ended and first and self._skips(line):
            self._reading = None
        elif ended:
            self._end("")
        return at + 1

    def _skips(self, line: str) -> bool:
        """Whether the line is an object that a format reads; there may be a million of them."""
        return line.startswith("{") and _LEFT_TO_FORMATS.match(line) is not None

    def _end(self, problem: str) -> None:
        if self._reading is None:
            return
        document, self._reading = self._reading.document(problem), None
        if not isinstance(document.root, Node) or document.root.tag or document.first != document.last:
            self._flush()
            self._count(self._found(document), 1 if document.root is None else 4)
            return
        if self._batch and self._batch[-1].last + 1 != document.first:
            self._flush()
        self._batch.append(document)
        if len(self._batch) >= MAX_BATCH:
            self._flush()

    def _flush(self) -> None:
        """Passes on the objects in consecutive lines as one document: a list."""
        batch, self._batch = self._batch, []
        if not batch:
            return
        roots = [document.root for document in batch]
        problem = next((document.problem for document in batch if document.problem), "")
        root = roots if len(roots) > 1 else roots[0]
        self._count(self._found(Document(root, batch[0].first, batch[-1].last, problem)), len(batch))

    def _count(self, reported: bool, documents: int) -> None:
        self._idle = 0 if reported else self._idle + documents
