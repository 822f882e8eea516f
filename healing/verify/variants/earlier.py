"""Code as it was before a change, for tests that came with the change: what is only there since then stays."""

import ast
from collections.abc import Iterable

Function = ast.FunctionDef | ast.AsyncFunctionDef
Import = ast.Import | ast.ImportFrom


def earlier(path: str, before: bytes, now: bytes) -> bytes:
    """The file as it was, with the functions, methods, classes and names that it has only now: tests may import them.
    What can't be read as Python is given as it was."""
    if not path.endswith(".py"):
        return before
    try:
        old, new = ast.parse(before), ast.parse(now)
        old.body = _merged(old.body, new.body)
        return ast.unparse(ast.fix_missing_locations(old)).encode()
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return before


def _merged(old: list[ast.stmt], new: list[ast.stmt]) -> list[ast.stmt]:
    """The old statements with those new ones, at the end, that define what is not there; new imports come first."""
    there = {name for one in old for name in _defined(one)}
    later = {one.name: one for one in new if isinstance(one, ast.ClassDef)}
    for one in old:
        if isinstance(one, ast.ClassDef) and one.name in later:
            one.body = _merged(one.body, later[one.name].body)
    added = [one for one in new if (names := set(_defined(one))) and not names & there]
    imports = [one for one in added if isinstance(one, Import)]
    at = sum(isinstance(one, ast.ImportFrom) and one.module == "__future__" for one in old)
    at += bool(old) and isinstance(old[0], ast.Expr) and isinstance(old[0].value, ast.Constant)
    return [*old[:at], *imports, *old[at:], *(one for one in added if not isinstance(one, Import))]


def _defined(node: ast.stmt) -> Iterable[str]:
    if isinstance(node, Function | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.ImportFrom) and node.module == "__future__":
        return []
    if isinstance(node, Import):
        return [(one.asname or one.name).partition(".")[0] for one in node.names]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [name.id for one in targets for name in ast.walk(one) if isinstance(name, ast.Name)]
