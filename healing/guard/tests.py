"""Rule: a test may change only where it is itself the error, and never so that less is asserted."""

import ast
import re
from collections.abc import Mapping

from healing.graph.syntax import parse
from healing.model import CIError

TEST_FILE = re.compile(
    r"(^|/)(tests?|testing|spec|__tests__)/|(^|/)(test_[^/]*|[^/]*_test|tests?)\.[a-z]+$|\.(test|spec)\.[jt]sx?$"
)
SKIPS = re.compile(rb"\b(skip|skipif|xfail|skipTest|importorskip|unittest\.skip\w*|pytest\.skip)\b")


def is_test_file(path: str) -> bool:
    """Whether a path is a test by the usual conventions."""
    return bool(TEST_FILE.search(path))


def refusals(changes: Mapping[str, tuple[bytes | None, bytes | None]], errors: tuple[CIError, ...]) -> list[str]:
    """Sentences for deleted, skipped or weakened tests, and for tests that are not the error themselves."""
    own = {e.file for e in errors if e.file and e.category != "test"}
    found: list[str] = []
    for path in sorted(changes):
        old, new = changes[path]
        if not is_test_file(path):
            continue
        if new is None:
            found.append(f"{path}: a test file may not be deleted")
        elif path not in own:
            found.append(f"{path}: is a test; the code that it tests is what has to be repaired")
        elif old is not None:
            found += [f"{path}: {why}" for why in _weaker(old, new)]
    return found


def _weaker(old: bytes, new: bytes) -> list[str]:
    before, after = _strength(old), _strength(new)
    if before is None or after is None:
        return []
    found = []
    if after[0] < before[0]:
        found.append("has fewer tests than before")
    if after[1] < before[1]:
        found.append("asserts less than before")
    if len(SKIPS.findall(new)) > len(SKIPS.findall(old)):
        found.append("skips more than before")
    return found


def _strength(data: bytes) -> tuple[int, int] | None:
    """(tests, assertions) of a Python file; None where it can't be parsed."""
    tree = parse(data)
    if tree is None:
        return None
    nodes = list(ast.walk(tree))
    tests = sum(isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef) and n.name.startswith("test") for n in nodes)
    asserts = sum(isinstance(n, ast.Assert) or _is_assert_call(n) for n in nodes)
    return tests, asserts


def _is_assert_call(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and (node.func.attr.startswith("assert") or node.func.attr in ("raises", "warns"))
    )
