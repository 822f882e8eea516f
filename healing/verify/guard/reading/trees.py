"""Reads JavaScript, TypeScript, Go and Rust with tree-sitter's grammars, which are loaded when a file of that language
is judged."""

import importlib
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol, cast

from healing.verify.guard.paths import is_test_file
from healing.verify.guard.reading.comments import silencers
from healing.verify.guard.reading.marks import Assertion, FileMarks, Mark, MarkedTest
from healing.verify.guard.reading.text import GO, JAVASCRIPT, RUST, TSX, TYPESCRIPT

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

GRAMMARS = {
    JAVASCRIPT: ("tree_sitter_javascript", "language"),
    TYPESCRIPT: ("tree_sitter_typescript", "language_typescript"),
    TSX: ("tree_sitter_typescript", "language_tsx"),
    GO: ("tree_sitter_go", "language"),
    RUST: ("tree_sitter_rust", "language"),
}
READERS = {
    JAVASCRIPT: "healing.verify.guard.reading.javascript",
    TYPESCRIPT: "healing.verify.guard.reading.javascript",
    TSX: "healing.verify.guard.reading.javascript",
    GO: "healing.verify.guard.reading.go",
    RUST: "healing.verify.guard.reading.rust",
}
# A parent is found by walking down from the root: these bound what a hostile file can cost.
MAX_DEPTH = 200  # levels of a tree; deeper ones are read by words
ABOVE = 40  # levels above a node that are searched for what contains it
MAX_LENGTH = 20_000  # bytes of a node whose source is read


class TreeLanguage(Protocol):
    """The interface of a language's module."""

    def marks(self, node: "Node", in_tests: bool) -> Iterator[Mark]:
        """The marks of one node."""

    def tests(self, root: "Node", in_tests: bool) -> Iterator[MarkedTest]:
        """The tests of a file."""

    def loose(self, root: "Node", in_tests: bool) -> Iterator[Assertion]:
        """The assertions outside its tests."""


def read(language: str, path: str, data: bytes) -> FileMarks | None:
    """The marks and tests of a file; None if it doesn't parse."""
    root = parse(language, data)
    if root is None:
        return None
    grammar = cast("TreeLanguage", importlib.import_module(READERS[language]))
    in_tests = is_test_file(path)
    reading = FileMarks()
    for node in walk(root):
        reading.add(grammar.marks(node, in_tests))
        if "comment" in node.type:
            reading.add(silencers(text(node)))
    reading.tests = list(grammar.tests(root, in_tests))
    reading.loose = tuple(grammar.loose(root, in_tests))
    return reading


def parse(language: str, data: bytes) -> "Node | None":
    """The root of the syntax tree; None if the source doesn't parse."""
    root = _parser(language).parse(data).root_node
    return None if root.has_error else root


@lru_cache(maxsize=8)
def _parser(language: str) -> "Parser":
    from tree_sitter import Language as Grammar
    from tree_sitter import Parser

    module, function = GRAMMARS[language]
    return Parser(Grammar(getattr(importlib.import_module(module), function)()))


def walk(node: "Node") -> Iterator["Node"]:
    """A node and all nodes below it, in source order. Raises ValueError if they are nested too deeply."""
    stack = [(node, 0)]
    while stack:
        node, depth = stack.pop()
        if depth > MAX_DEPTH:
            raise ValueError("nested too deeply")
        yield node
        stack += [(child, depth + 1) for child in reversed(node.children)]


def text(node: "Node | None") -> str:
    """The source of a node; empty if it is very long."""
    if node is None or node.end_byte - node.start_byte > MAX_LENGTH:
        return ""
    return (node.text or b"").decode("utf-8", "replace")


def field(node: "Node", name: str) -> str:
    """The source of one of a node's fields; empty if it has none."""
    return text(node.child_by_field_name(name))


def flat(node: "Node | None") -> str:
    """A node's tokens without formatting: no comments, one kind of quotes, no commas or semicolons."""
    if node is None:
        return ""
    words: list[str] = []
    skipped_until = -1
    for part in walk(node):
        if part.start_byte < skipped_until or part.child_count or "comment" in part.type:
            continue
        word = text(part).strip()
        skipped_until = part.end_byte
        words.append('"' if word == "'" else word)
    return " ".join(word for word in words if word and word not in (";", ","))


def within(node: "Node", *kinds: str) -> Iterator["Node"]:
    """The ancestors of a node that have one of these kinds, innermost first."""
    ancestor = node.parent
    for _ in range(ABOVE):
        if ancestor is None:
            return
        if ancestor.type in kinds:
            yield ancestor
        ancestor = ancestor.parent


def arguments(call: "Node") -> list["Node"]:
    """The arguments of a call."""
    node = call.child_by_field_name("arguments")
    return [n for n in node.named_children if "comment" not in n.type] if node else []
