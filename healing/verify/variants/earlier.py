"""Restores code as it was before a change, for tests that came with the change: definitions added since then stay."""

import ast
from collections.abc import Iterable

Function = ast.FunctionDef | ast.AsyncFunctionDef
Import = ast.Import | ast.ImportFrom


def earlier(path: str, before: bytes, now: bytes) -> bytes:
    """The file as it was, plus the functions, methods, classes and names that only the new version has: tests may
    import them. What can't be parsed as Python is returned as it was."""
    if not path.endswith(".py"):
        return before
    try:
        old, new = ast.parse(before), ast.parse(now)
        old.body = _merged(old.body, new.body)
        return ast.unparse(ast.fix_missing_locations(old)).encode()
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return before


def _merged(old: list[ast.stmt], new: list[ast.stmt]) -> list[ast.stmt]:
    """The old statements, with the new ones that define missing names at the end; new imports come first."""
    present = {name for node in old for name in _defined(node)}
    new_classes = {node.name: node for node in new if isinstance(node, ast.ClassDef)}
    for node in old:
        if isinstance(node, ast.ClassDef) and node.name in new_classes:
            node.body = _merged(node.body, new_classes[node.name].body)
    added = [node for node in new if (names := set(_defined(node))) and not names & present]
    imports = [node for node in added if isinstance(node, Import)]
    start = sum(isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in old)
    start += bool(old) and isinstance(old[0], ast.Expr) and isinstance(old[0].value, ast.Constant)
    return [*old[:start], *imports, *old[start:], *(node for node in added if not isinstance(node, Import))]


def _defined(node: ast.stmt) -> Iterable[str]:
    if isinstance(node, Function | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.ImportFrom) and node.module == "__future__":
        return []
    if isinstance(node, Import):
        return [(item.asname or item.name).partition(".")[0] for item in node.names]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [name.id for item in targets for name in ast.walk(item) if isinstance(name, ast.Name)]
