"""Finds documents in the bytes of a log as they go by, and keeps each until its end."""

import re
from collections.abc import Callable, Iterable, Iterator

from healing.logs.documents.document import CUT, MAX_BYTES, Document, JsonReading, Reading, XmlReading
from healing.logs.documents.node import Node
from healing.logs.lines import BLOCK_BYTES, clean

MAX_BATCH = 2_000  # objects, one a line, that are looked at together
MAX_IDLE = 5_000  # after that many in a row that told nothing, JSON is no more looked for; after twice as many nothing

# What may stand before a document in its line: byte order mark, the runner's timestamp, colours (not the 36;1 of an
# echoed script).
_BEFORE = rb"\n(?:\xef\xbb\xbf)?(?:\d{4}-\d\d-\d\dT[\d:.]{8,20}Z ?)?(?:\x1b\[(?!36;1m)[\d;]{0,12}m){0,4}"
_JSON = rb'(?:\{[ \t]{0,8}(?:"|[\r\n\x1b])|\[[ \t]{0,8}[\[{\r\n\x1b])'
_ROOTS = (
    rb"testsuites?|test-?run|test-?results?|testng-results|assembl(?:y|ies)|checkstyle|pmd(?:-cpd)?|cpd|BugCollection"
    rb"|results|issues|report|mutations|duplicates|DuplicatesReport|valgrindoutput|jslint|lint|robot|TestLog|TestCase"
)
_OPENING = re.compile(_BEFORE + rb"(?:" + _JSON + rb"|<\?xml |<(?:" + _ROOTS + rb")[ \t>\r\n])")
_XML_OPENING = re.compile(_BEFORE + rb"(?:<\?xml |<(?:" + _ROOTS + rb")[ \t>\r\n])")
_FIRST_OPENING = re.compile(
    _BEFORE + rb"(?:" + _JSON + rb"|<(?:\?xml |!--|!DOCTYPE |[A-Za-z][\w.:-]{0,80}[ \t/>\r\n]))"
)
# Written line by line by `cargo --message-format=json` and `go test -json`: their formats read that.
_LEFT_TO_FORMATS = re.compile(
    r'\{"(?:reason":"(?:compiler-|build-|test-)|type":"(?:suite|test|bench)","event":'
    r'|(?:Time|Action|ImportPath)":"[^"]{1,200}","(?:Action|Output|Test|Package|Elapsed))'
)


class Capture:
    """Watches a log's bytes go by and hands each document to `found`, which says whether it told anything."""

    def __init__(self, found: Callable[[Document], bool]) -> None:
        self._found = found
        self._reading: Reading | None = None
        self._begun = 0  # the line in which it began
        self._line = 0  # lines that are over
        self._empty = True  # nothing but blanks so far
        self._batch: list[Document] = []
        self._idle = 0  # documents in a row that told nothing
        self._parts: list[bytes] = []
        self._held = 0
        self._unended = False  # the log's last line has no end

    def watch(self, log: Iterable[bytes]) -> Iterator[bytes]:
        """The same bytes. Of a line longer than MAX_BYTES the rest is not looked at."""
        for piece in log:
            yield piece
            for start in range(0, len(piece), BLOCK_BYTES):
                self._take(piece[start : start + BLOCK_BYTES])
        if rest := b"".join(self._parts):
            self._unended = True
            self._lines(rest + b"\n")
        self._end(CUT)
        self._flush()

    def _take(self, piece: bytes) -> None:
        end = piece.rfind(b"\n") + 1
        if end:
            self._lines(b"".join((*self._parts, piece[:end])))
            self._parts, self._held = [], 0
        if self._held < MAX_BYTES:
            self._parts.append(piece[end:])
            self._held += len(piece) - end

    def _lines(self, whole: bytes) -> None:
        """`whole` are lines, each with its end."""
        block = b"\n" + whole  # every line comes after a newline: `at` is always that of the next line
        at = 0
        if self._empty and (body := block.lstrip(b"\n\r\t \xef\xbb\xbf")):
            self._line += block.count(b"\n", 0, len(block) - len(body)) - 1
            block, self._empty = b"\n" + body, False
            self._begin(_FIRST_OPENING.match(block))
        first = self._line
        texts: list[str] = []
        while at < len(block) - 1:
            if self._reading is None:
                opening = _OPENING if self._idle < MAX_IDLE else _XML_OPENING
                match = opening.search(block, at) if self._idle < 2 * MAX_IDLE else None
                start = match.start() if match else len(block) - 1
                self._line += block.count(b"\n", at, start)
                at = start
                self._begin(match)
            else:
                texts = texts or clean(block[1:-1]).split("\n")
                at = self._feed(block, at, texts[self._line - first])

    def _begin(self, match: re.Match[bytes] | None) -> None:
        if match:
            self._begun = self._line + 1
            self._reading = (XmlReading if b"<" in match[0] else JsonReading)(self._begun)

    def _feed(self, block: bytes, at: int, line: str) -> int:
        """Hands one line on; answers where the next one is to be looked for."""
        first = self._begun == self._line + 1
        ended = self._reading is None or self._reading.take(line)
        if ended is None:
            self._end(CUT if self._unended else f"it breaks off in line {self._line + 1}")
            if not first:
                return at  # the line may open another one
        self._line += 1
        if ended and first and self._skips(line):
            self._reading = None
        elif ended:
            self._end("")
        return block.index(b"\n", at + 1)

    def _skips(self, line: str) -> bool:
        """Objects that are one line each may be a million."""
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
        """Objects on lines in a row are one document: a list."""
        batch, self._batch = self._batch, []
        if not batch:
            return
        roots = [document.root for document in batch]
        problem = next((document.problem for document in batch if document.problem), "")
        root = roots if len(roots) > 1 else roots[0]
        self._count(self._found(Document(root, batch[0].first, batch[-1].last, problem)), len(batch))

    def _count(self, told: bool, documents: int) -> None:
        self._idle = 0 if told else self._idle + documents
