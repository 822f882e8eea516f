"""Reads one document of a log line by line, and the result."""

from dataclasses import dataclass
from typing import Protocol

from healing.logs.documents.json_text import JsonLines, TooDeepError, parse
from healing.logs.documents.node import Value
from healing.logs.documents.xml_text import HostileXmlError, XmlLines

MAX_BYTES = 16 << 20  # a longer document is read up to this size
CUT = "the log ends inside it"
MAX_NODES = 200_000  # and one with more objects or elements up to about this number


@dataclass(frozen=True, slots=True)
class Document:
    """Nodes (None if nothing could be read), first and last line, and why it is incomplete ("" if it isn't)."""

    root: Value
    first: int
    last: int
    problem: str = ""


class DocumentReader(Protocol):
    """Reads one document line by line. Never raises."""

    def take(self, line: str) -> bool | None:
        """Adds a line. True: the document ends in it. None: the line is no longer part of the document."""

    def document(self, problem: str) -> Document:
        """The document as read so far; `problem` is why it ended early, "" if it did not."""


class JsonReading:
    """Reads JSON: collects its lines to the end, then parses them at once."""

    def __init__(self, first: int) -> None:
        self._first = first
        self._lines: list[str] = []
        self._size = 0
        self._room = MAX_NODES
        self._follows = JsonLines()
        self._problem = ""
        self._strange = False  # whether the last line is not JSON

    def take(self, line: str) -> bool | None:
        """See DocumentReader."""
        room, objects = MAX_BYTES - self._size, line.count("{")
        if objects > self._room:
            room = min(room, len(line) * self._room // objects)
        self._lines.append(line[: max(room, 0)])
        self._size += len(line) + 1
        self._room -= objects
        if len(line) > room:
            self._problem = "too large"
            return None
        try:
            ended = self._follows.take(line)
        except TooDeepError:
            self._problem = "too deeply nested"
            return True
        self._strange = ended is None
        return ended

    def document(self, problem: str) -> Document:
        """See DocumentReader."""
        last = self._first + max(len(self._lines) - 1, 0)
        root, whole = self._parsed(self._lines)
        if self._strange and not whole and problem != CUT and len(self._lines) > 1:
            root, last = self._parsed(self._lines[:-1])[0], last - 1  # the last line isn't part of it
        return Document(root, self._first, last, "" if whole else self._problem or problem or "not readable to its end")

    def _parsed(self, lines: list[str]) -> tuple[Value, bool]:
        try:
            return parse("\n".join(lines), self._first)
        except (ValueError, RecursionError):
            return None, False


class XmlReading:
    """Reads XML, parsing it line by line."""

    def __init__(self, first: int) -> None:
        self._first = first
        self._count = 0
        self._size = 0
        self._room = 3 * MAX_NODES  # most elements have two tags
        self._xml = XmlLines(first)
        self._problem = ""

    def take(self, line: str) -> bool | None:
        """See DocumentReader."""
        self._size += len(line) + 1
        self._room -= line.count("<")
        self._count += 1
        if self._size > MAX_BYTES or self._room < 0:
            self._problem = "too large"
            return None
        try:
            return self._xml.take(line)
        except HostileXmlError as refusal:
            self._problem = f"refused: {refusal}"
            return True

    def document(self, problem: str) -> Document:
        """See DocumentReader."""
        whole = self._xml.ended
        self._xml.close()
        why = self._problem or ("" if whole else problem or "not readable to its end")
        return Document(self._xml.root, self._first, self._first + max(self._count - 1, 0), why)
