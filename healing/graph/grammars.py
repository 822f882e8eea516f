"""Tree-sitter grammars, each loaded with the first file of its language, and helpers for parsing and queries."""

import importlib
import time
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Query, Tree

GRAMMARS = {
    "javascript": ("tree_sitter_javascript", "language"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "go": ("tree_sitter_go", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "java": ("tree_sitter_java", "language"),
    "kotlin": ("tree_sitter_kotlin", "language"),
}
MAX_SIZE = 1_000_000  # bytes; a longer file is generated, and only its beginning is read
BEGINNING = 100_000
SECONDS = 2.0  # per file; hand-written ones take hundredths, but a few thousand unclosed brackets take hours
CHUNK = 1 << 16
MAX_LENGTH = 4_000  # bytes of a node whose text is read


def parse(grammar: str, data: bytes) -> "Tree":
    """The tree of a source; a broken source gives one with error nodes, a very long one the tree of its beginning, and
    one that takes more than SECONDS an empty tree."""
    from tree_sitter import Parser

    data = data if len(data) <= MAX_SIZE else data[:BEGINNING]
    end = time.monotonic() + SECONDS
    # A new parser for each call: parsers are cheap to create and must not be shared between threads.
    try:
        tree = Parser(_language(grammar)).parse(
            lambda at, _: data[at : at + CHUNK], progress_callback=lambda *_: time.monotonic() > end
        )
    except ValueError:  # stopped by the callback
        return Parser(_language(grammar)).parse(b"")
    # Nodes have a text only if bytes were parsed, where no time limit is possible. With the old tree this is quick.
    return Parser(_language(grammar)).parse(data, old_tree=tree)


def captures(grammar: str, query: str, data: bytes) -> dict[str, list["Node"]]:
    """The nodes that `query` captures in a source by capture name, in source order."""
    from tree_sitter import QueryCursor

    root = parse(grammar, data).root_node
    captured = QueryCursor(_query(grammar, query)).captures(root)
    return {name: sorted(nodes, key=_start) for name, nodes in captured.items()}


def text(node: "Node | None") -> str:
    """The source of a node; empty if there is no node or it is over MAX_LENGTH bytes."""
    if node is None or node.end_byte - node.start_byte > MAX_LENGTH:
        return ""
    return (node.text or b"").decode("utf-8", "replace")


@lru_cache(maxsize=16)
def _language(grammar: str) -> "Language":
    from tree_sitter import Language

    module, function = GRAMMARS[grammar]
    return Language(getattr(importlib.import_module(module), function)())


@lru_cache(maxsize=32)
def _query(grammar: str, query: str) -> "Query":
    from tree_sitter import Query

    return Query(_language(grammar), query)


def _start(node: "Node") -> int:
    return node.start_byte
