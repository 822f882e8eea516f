"""The cheapest check of a fix: changed files still parse. Python, JSON and TOML use their own parsers, others
tree-sitter."""

import json
import tomllib
from collections.abc import Mapping
from typing import TYPE_CHECKING

from healing.graph.python.syntax import syntax_error

if TYPE_CHECKING:
    from tree_sitter import Node

GRAMMARS = {
    ".js": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".jsx": "javascript",
    ".ts": "typescript",
    ".mts": "typescript",
    ".cts": "typescript",
    ".tsx": "tsx",
    ".go": "go",
    ".rs": "rust",
    ".java": "java",
    ".kt": "kotlin",
}
MAX_SIZE = 1_000_000  # bytes; longer files are generated


def syntax_problems(changes: Mapping[str, tuple[bytes | None, bytes | None]]) -> list[str]:
    """A sentence for each changed file that parsed before (or is new) and does not parse now."""
    return [
        f"{path}: no longer parses: {now}"
        for path, (old, new) in sorted(changes.items())
        if new is not None and (now := problem(path, new)) and (old is None or not problem(path, old) or old == new)
    ]


def problem(path: str, data: bytes) -> str | None:
    """Why `data` does not parse as the file type of its name; None if it does, or if there is no parser for it."""
    ending = path[path.rfind(".") :] if "." in path else ""
    try:
        if ending in (".py", ".pyi"):
            return _python_problem(data)
        if ending in GRAMMARS:
            return _tree_problem(GRAMMARS[ending], data)
        if ending == ".json":
            json.loads(data)
        elif ending == ".toml":
            tomllib.loads(data.decode())
    except (ValueError, RecursionError) as error:
        return str(error)[:200] or type(error).__name__
    return None


def _python_problem(data: bytes) -> str | None:
    error = syntax_error(data)
    return f"{error.msg} (line {error.lineno})" if error else None


def _tree_problem(grammar: str, data: bytes) -> str | None:
    from healing.graph.grammars import parse

    root = parse(grammar, data).root_node if len(data) <= MAX_SIZE else None
    return _problem(_first_error(root)) if root is not None and root.has_error else None


def _first_error(node: "Node") -> "Node":
    """The first and deepest node that is wrong."""
    while True:
        inner = next((child for child in node.children if child.has_error or child.is_missing), None)
        if inner is None:
            return node
        node = inner


def _problem(node: "Node") -> str:
    what = f"{node.type!r} is missing" if node.is_missing else "invalid syntax"
    return f"{what} (line {node.start_point[0] + 1})"
