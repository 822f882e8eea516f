"""Tree-sitter's grammars, each loaded when the first file of its language is read, and what is asked of a tree."""

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
LARGEST = 1_000_000  # bytes; what is longer is generated, and only its beginning is read
BEGINNING = 100_000
SECONDS = 2.0  # of one file; a person's takes hundredths, but a few thousand brackets that never close take hours
CHUNK = 1 << 16
LONGEST = 4_000  # bytes of a name or path that is looked at


def parse(grammar: str, data: bytes) -> "Tree":
    """The tree of a source; also of a broken one, with error nodes in it. Of a very long one, of its beginning; of what
    takes too long, an empty one."""
    from tree_sitter import Parser

    data = data if len(data) <= LARGEST else data[:BEGINNING]
    end = time.monotonic() + SECONDS
    # A parser of its own for each call: they are cheap to make, and not to be shared between threads.
    try:
        found = Parser(_language(grammar)).parse(
            lambda at, _: data[at : at + CHUNK], progress_callback=lambda *_: time.monotonic() > end
        )
    except ValueError:  # it was stopped
        return Parser(_language(grammar)).parse(b"")
    # Only bytes are parsed without an end, and only of bytes nodes know their text: what is parsed already is kept.
    return Parser(_language(grammar)).parse(data, old_tree=found)


def captures(grammar: str, query: str, data: bytes) -> dict[str, list["Node"]]:
    """The nodes that `query` finds in a source, by the names it gives them, each in the order of the source."""
    from tree_sitter import QueryCursor

    root = parse(grammar, data).root_node
    found = QueryCursor(_query(grammar, query)).captures(root)
    return {name: sorted(nodes, key=_start) for name, nodes in found.items()}


def text(node: "Node | None") -> str:
    """The source of a node; empty where there is none or where it is very long."""
    if node is None or node.end_byte - node.start_byte > LONGEST:
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
