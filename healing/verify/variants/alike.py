"""Which tests of a file are like a failing one: they use the same parts of the product."""

import ast
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from healing.verify.variants.changing import functions

RUNNERS = frozenset({"pytest", "hypothesis", "mock", "unittest"})
# Methods of these say nothing of what a test uses of the product.
PLAIN = frozenset(name for one in (str, bytes, list, dict, set, int, float, Path, datetime) for name in dir(one))
RUNNER = frozenset({"raises", "approx", "fixture", "parametrize", "warns", "param"})
MOST = 6  # tests that are asked what changes a test allows


def alike(source: bytes, failing: frozenset[str]) -> frozenset[str]:
    """Other tests that use all that the failing ones use of the product. Raises what `ast.parse` raises."""
    tree = ast.parse(source)
    product = set(_imported(tree))
    used = {name: (_names(node) & product) | _methods(node) for name, node in functions(tree)}
    wanted = set[str]().union(*(used.get(name, set()) for name in failing))
    if not wanted & product:
        return frozenset()
    # What only has to raise, does so with most values: it doesn't say which results a test may ask for.
    comparing = {name for name, node in functions(tree) if _compares(node)}
    others = comparing if failing & comparing else used.keys()
    return frozenset([name for name in used if name in others - failing and wanted <= used[name]][:MOST])


def _imported(tree: ast.Module) -> Iterator[str]:
    """Names that the file has from elsewhere than the standard library and the runner. Those of modules as a whole
    stand for what is taken from them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            if node.level or not _foreign(node.module or ""):
                yield from (one.asname or one.name for one in node.names)
        elif isinstance(node, ast.Import):
            yield from ((one.asname or one.name).partition(".")[0] for one in node.names if not _foreign(one.name))


def _foreign(module: str) -> bool:
    first = module.partition(".")[0]
    return first in sys.stdlib_module_names or first in RUNNERS


def _names(node: ast.AST) -> set[str]:
    found = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    dotted = {one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute)}
    return found | dotted


def _methods(node: ast.AST) -> set[str]:
    calls = (one.func for one in ast.walk(node) if isinstance(one, ast.Call))
    return {func.attr for func in calls if isinstance(func, ast.Attribute) and func.attr not in PLAIN | RUNNER}


def _compares(node: ast.AST) -> bool:
    return any(isinstance(one, ast.Assert) for one in ast.walk(node)) or any(
        isinstance(one, ast.Attribute) and one.attr.startswith("assert") for one in ast.walk(node)
    )
