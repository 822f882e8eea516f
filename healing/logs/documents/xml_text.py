"""Parses XML line by line to nodes with line numbers. Entities are never expanded and nothing is ever fetched."""

import re
from xml.parsers import expat

from healing.logs.documents.node import MAX_DEPTH, TEXT, Node

MAX_TEXT = 1 << 16  # characters of one element's text; traces are shorter, captured output may be longer
_DECLARATION = re.compile(r"^\s*<\?xml\b[^<>]{0,200}\?>")
_FORBIDDEN = re.compile(
    r"&#(?:[xX]0{0,6}(?:[0-8bBcCeEfF]|1[0-9a-fA-F]|[fF]{3}[eEfF])|0{0,6}(?:[0-8]|1[124-9]|2\d|3[01]));"
)


class HostileXmlError(ValueError):
    """The XML has something that no report needs and only an attack has."""


class XmlLines:
    """Parses XML line by line; `root` is the document read so far, complete or not."""

    def __init__(self, first: int) -> None:
        self.root: Node | None = None
        self.ended = False
        self._stack: list[Node] = []
        self._texts: list[list[str]] = []
        self._sizes: list[int] = []
        self._before = first - 1
        self._begun = False
        self._parser = expat.ParserCreate("utf-8")
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.EntityDeclHandler = _refuse
        self._parser.ExternalEntityRefHandler = _refuse

    def take(self, line: str) -> bool | None:
        """Whether the document ends in this line; None if the line isn't XML any more. Raises HostileXmlError."""
        if not self._begun:
            # Its version and encoding don't apply to the text that we pass on.
            line, self._begun = _DECLARATION.sub("", line, count=1), bool(line.strip())
        try:
            self._parser.Parse(_FORBIDDEN.sub("", line).encode("utf-8", "replace") + b"\n", False)
        except expat.ExpatError:
            if not self.ended:
                return None
        return self.ended

    def close(self) -> None:
        """Closes the open elements, and marks them as incomplete."""
        while self._stack:
            self._stack[-1].whole = False
            self._end("")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if self.ended:
            return
        if len(self._stack) >= MAX_DEPTH:
            raise HostileXmlError("it nests too deeply")
        node = Node(self._before + self._parser.CurrentLineNumber, tag.rpartition(":")[2])
        node.update(attributes)
        if self.root is None:
            self.root = node
        self._stack.append(node)
        self._texts.append([])
        self._sizes.append(0)

    def _text(self, data: str) -> None:
        if self._stack and self._sizes[-1] < MAX_TEXT:
            self._texts[-1].append(data[: MAX_TEXT - self._sizes[-1]])
            self._sizes[-1] += len(data)

    def _end(self, _tag: str) -> None:
        if not self._stack:
            return
        node = self._stack.pop()
        content = "".join(self._texts.pop()).strip()
        self._sizes.pop()
        if content:
            node[TEXT] = content
        if not self._stack:
            self.ended = True
        elif node and (len(node) > 1 or TEXT not in node):
            self._stack[-1].add(node.tag, node)
        else:
            self._stack[-1].add(node.tag, content)


def _refuse(*_what: object) -> int:
    raise HostileXmlError("it declares entities")
