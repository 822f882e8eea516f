"""Finds documents in the bytes of a log as they go by, and keeps each until its end."""

import re
from collections.abc import Callable, Iterable, Iterator

from healing.logs.documents.document import MAX_BYTES, Document, JsonReading, Reading, XmlReading
from healing.logs.documents.node import Node
from healing.logs.lines import clean

MAX_BATCH = 2_000  # objects, one a line, that are looked at together
MAX_IDLE = 20_000  # objects, one a line, that told nothing: it is an application's log, and the rest of it too

# What may stand before a document in its line: byte order mark, the runner's timestamp, colours (not the 36;1 of an
# echoed script).
_BEFORE = rb"\n(?:\xef\xbb\xbf)?(?:\d{4}-\d\d-\d\dT[\d:.]{8,20}Z ?)?(?:\x1b\[(?!36;1m)[\d;]{0,12}m){0,4}"
_JSON = rb'(?:\{[ \t]{0,8}(?:"|[\r\n\x1b])|\[[ \t]{0,8}[\[{\r\n\x1b])'
_ROOTS = (
    rb"testsuites?|test-?run|test-?results?|testng-results|assembl(?:y|ies)|checkstyle|pmd(?:-cpd)?|cpd|BugCollection"
    rb"|results|issues|report|mutations|duplicates|DuplicatesReport|valgrindoutput|jslint|lint|robot|TestLog|TestCase"
)
_OPENING = re.compile(_BEFORE + rb"(?:" + _JSON + rb"|<\?xml |<(?:" + _ROOTS + rb")[ \t>\r\n])")
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
        self._idle = 0

    def watch(self, log: Iterable[bytes]) -> Iterator[bytes]:
        """The same bytes. Of a line longer than MAX_BYTES the rest is not looked at."""
        parts: list[bytes] = []
        held = 0
        for piece in log:
            yield piece
            end = piece.rfind(b"\n") + 1
            if end:
                self._lines(b"".join((*parts, piece[:end])))
                parts, held = [], 0
            if held < MAX_BYTES:
                parts.append(piece[end:])
                held += len(piece) - end
        if rest := b"".join(parts):
            self._lines(rest + b"\n")
        self._end("the log ends inside it")
        self._flush()

    def _lines(self, whole: bytes) -> None:
        """`whole` are lines, each with its end."""
        block = b"\n" + whole  # every line comes after a newline: `at` is always that of the next line
        at = 0
        if self._empty and (body := block.lstrip(b"\n\r\t \xef\xbb\xbf")):
            self._line += block.count(b"\n", 0, len(block) - len(body)) - 1
            block, self._empty = b"\n" + body, False
            self._begin(_FIRST_OPENING.match(block))
        while at < len(block) - 1:
            if self._reading is None:
                match = _OPENING.search(block, at)
                start = match.start() if match else len(block) - 1
                self._line += block.count(b"\n", at, start)
                at = start
                self._begin(match)
            else:
                at = self._feed(block, at)

    def _begin(self, match: re.Match[bytes] | None) -> None:
        if match:
            self._begun = self._line + 1
            self._reading = (XmlReading if b"<" in match[0] else JsonReading)(self._begun)

    def _feed(self, block: bytes, at: int) -> int:
        """Hands one line on; answers where the next one is to be looked for."""
        stop = block.index(b"\n", at + 1)
        line = clean(block[at + 1 : stop])
        first = self._begun == self._line + 1
        ended = self._reading is None or self._reading.take(line)
        if ended is None:
            self._end(f"it breaks off in line {self._line + 1}")
            if not first:
                return at  # the line may open another one
        self._line += 1
        if ended and first and self._skips(line):
            self._reading = None
        elif ended:
            self._end("")
        return stop

    def _skips(self, line: str) -> bool:
        """Objects that are one line each may be a million."""
        return line.startswith("{") and (self._idle > MAX_IDLE or _LEFT_TO_FORMATS.match(line) is not None)

    def _end(self, problem: str) -> None:
        if self._reading is None:
            return
        document, self._reading = self._reading.document(problem), None
        if not isinstance(document.root, Node) or document.root.tag or document.first != document.last:
            self._flush()
            self._found(document)
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
        told = self._found(Document(root, batch[0].first, batch[-1].last, problem))
        self._idle = 0 if told else self._idle + len(batch)
