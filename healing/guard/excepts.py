"""Rule: failures are not swallowed: no new bare or broad `except`, no early exit, no patched equality."""

import ast
import re
from collections.abc import Mapping

from healing.graph.syntax import parse
from healing.model import CIError

EXITS = {"exit", "_exit", "abort", "quit"}
BROAD = {"Exception", "BaseException"}
IN_WORDS = re.compile(
    rb"\bexcept\s*(?:(?:Base)?Exception\b[^:\n]*)?:|\b(?:_?exit|abort|quit)\s*\(|\bdef\s+__(?:eq|ne|bool|hash)__\b"
)


def refusals(changes: Mapping[str, tuple[bytes | None, bytes | None]], errors: tuple[CIError, ...]) -> list[str]:
    """One sentence for each Python file that swallows more than before."""
    return [
        f"{path}: swallows failures (a broad `except`, an exit, a new equality) instead of repairing"
        for path, (old, new) in sorted(changes.items())
        if path.endswith(".py") and _swallows_more(old or b"", new or b"")
    ]


def _swallows_more(old: bytes, new: bytes) -> bool:
    """By the syntax tree; where one of them has none, by its words: the repair of a typo brings no new ones."""
    before, after = _swallows(old), _swallows(new)
    if before is None or after is None:
        return len(IN_WORDS.findall(new)) > len(IN_WORDS.findall(old))
    return after > before


def _swallows(data: bytes) -> int | None:
    tree = parse(data)
    return (
        None
        if tree is None
        else sum(_is_broad(node) or _is_exit(node) or _is_equality(node) for node in ast.walk(tree))
    )


def _is_broad(node: ast.AST) -> bool:
    if not isinstance(node, ast.ExceptHandler):
        return False
    return node.type is None or (isinstance(node.type, ast.Name) and node.type.id in BROAD)


def _is_exit(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return name in EXITS


def _is_equality(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef) and node.name in ("__eq__", "__ne__", "__bool__", "__hash__")
