"""Rule: failures are not swallowed: no new bare or broad `except`, no early exit, no patched equality."""

import ast
from collections.abc import Mapping

from healing.model import CIError

EXITS = {"exit", "_exit", "abort", "quit"}
BROAD = {"Exception", "BaseException"}


def refusals(changes: Mapping[str, tuple[bytes | None, bytes | None]], errors: tuple[CIError, ...]) -> list[str]:
    """One sentence for each Python file that swallows more than before."""
    return [
        f"{path}: swallows failures (a broad `except`, an exit, a new equality) instead of repairing"
        for path, (old, new) in sorted(changes.items())
        if path.endswith(".py") and _swallows(new) > _swallows(old)
    ]


def _swallows(data: bytes | None) -> int:
    try:
        tree = ast.parse(data or b"")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return 0
    return sum(_is_broad(node) or _is_exit(node) or _is_equality(node) for node in ast.walk(tree))


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
