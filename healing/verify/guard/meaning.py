"""Whether a file still means the same after a change: only its layout changed, or unused imports were removed."""

import ast
import re

from healing.graph.python.syntax import parse
from healing.verify.guard.reading.text import PYTHON, is_prose, language_of, plain

WORD = re.compile(r"\w+|[^\w\s]")
LAYOUT = re.compile(r"[,;()'\"`]")


def has_same_meaning(path: str, old: bytes | None, new: bytes | None) -> bool:
    """Whether a file means the same as before; False if that isn't certain."""
    if old is None or new is None:
        return False
    if is_prose(path):
        return True
    try:
        return _python(old, new) if language_of(path) == PYTHON else _words(old) == _words(new)
    except RecursionError:
        return False


def only_layout_changed(path: str, old: bytes | None, new: bytes | None) -> bool:
    """Whether only the layout of code or the order of its imports changed. False if that isn't certain: where
    indentation or line ends carry a meaning that isn't parsed here (YAML, Makefiles)."""
    if old is None or new is None or language_of(path) is None:
        return False
    if language_of(path) != PYTHON:
        return has_same_meaning(path, old, new)
    before, after = parse(old), parse(new)
    if before is None or after is None:
        return False
    return _imports(before) == _imports(after) and has_same_meaning(path, old, new)


def _python(old: bytes, new: bytes) -> bool:
    before, after = parse(old), parse(new)
    if before is None or after is None:
        return False
    imports, kept = _imports(before), _imports(after)
    return kept <= imports and _without_imports(before) == _without_imports(after)


def _imports(tree: ast.AST) -> set[str]:
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))
    return {
        f"{getattr(node, 'module', '')}.{getattr(node, 'level', 0)}.{alias.name} as {alias.asname}"
        for node in nodes
        for alias in node.names
    }


def _without_imports(tree: ast.Module) -> str:
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            if isinstance(body, list):
                setattr(node, name, [n for n in body if not isinstance(n, ast.Import | ast.ImportFrom)])
    return ast.dump(tree)


def _words(data: bytes) -> list[str]:
    """Words and signs without those that a formatter adds or removes; the words of strings stay."""
    return [word for word in WORD.findall(plain(data)) if not LAYOUT.fullmatch(word)]
