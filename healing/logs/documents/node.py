"""One type for JSON objects and XML elements: fields, a tag for elements, and the line they begin in."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, TypeAlias

Value: TypeAlias = Any  # str, int, float, bool, None, Node or a list of these

MAX_DEPTH = 100  # deeper documents are refused: no report is that deep, and reading is recursive
TEXT = "#text"


class Node(dict[str, Value]):
    """Fields by their name as written; an element's attributes and children are both fields, its text is `#text`.

    Not `whole`: the document ends inside the node, so its content may be incomplete.
    """

    __slots__ = ("_words", "line", "tag", "whole")

    def __init__(self, line: int, tag: str = "") -> None:
        super().__init__()
        self.line = line
        self.tag = tag
        self.whole = True
        self._words: dict[str, Value] | None = None

    @property
    def words(self) -> dict[str, Value]:
        """The fields by `word(name)`, so that `file_name`, `fileName` and `FileName` are the same; the first counts."""
        if self._words is None:
            self._words = {}
            for key, value in self.items():
                self._words.setdefault(word(key), value)
        return self._words

    def add(self, key: str, value: Value) -> None:
        """Adds a child; several of the same name become a list."""
        if key not in self:
            self[key] = value
        elif isinstance(present := self[key], list):
            present.append(value)
        else:
            self[key] = [present, value]


Roles: TypeAlias = dict[str, int]


def roles(*names: str) -> Roles:
    """Words with the same meaning, by rank; the most reliable first."""
    return {name: rank for rank, name in reversed(list(enumerate(names)))}


def ranked(words: dict[str, Value], wanted: Roles) -> list[str]:
    """The wanted words of a node, the most reliable first. Most nodes have few words, most roles many."""
    names = [name for name in words if name in wanted]
    if len(names) > 1:
        names.sort(key=wanted.__getitem__)
    return names


def vocabulary(found_text: str) -> frozenset[str]:
    """The words of a text as a set; makes tables easier to read."""
    return frozenset(found_text.split())


@lru_cache(8192)
def word(key: str) -> str:
    """A field's name in lower case, without punctuation."""
    return "".join(filter(str.isalnum, key[:200])).lower()


def nodes(value: Value) -> Iterator[Node]:
    """The node itself, or the nodes in a list; nothing for scalars."""
    if isinstance(value, Node):
        yield value
    elif isinstance(value, list):
        yield from (item for item in value if isinstance(item, Node))


def children(node: Node) -> Iterator[tuple[str, Node]]:
    """Every node directly below, with its field's name; also those in nested lists."""
    for key, value in node.items():
        for child in _flat(value):
            yield key, child


def _flat(value: Value) -> Iterator[Node]:
    if isinstance(value, Node):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _flat(item)


def text(value: Value) -> str:
    """A field as text: a stripped string, the text inside a node, the joined texts of a list; else ""."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, Node):
        inside = value.words
        return next((content for key in _TEXTS if (content := text(inside.get(key)))), "")
    if isinstance(value, list):
        return " ".join(filter(None, map(text, value[:20])))
    return ""


_TEXTS = ("text", "message", "value", "markdown", "body", "content", "descr", "description", "raw", "string", "content")


def number(value: Value) -> int | None:
    """A line or column number; None if missing, zero, negative or invalid."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 < value < 1 << 31 else None
