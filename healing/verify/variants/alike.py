"""Finds the tests of a file that resemble a failing one: they use the same parts of the product."""

import ast
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from healing.verify.variants.changing import functions

RUNNERS = frozenset({"pytest", "hypothesis", "mock", "unittest"})
# Methods of these types don't show what a test uses of the product.
PLAIN = frozenset(name for one in (str, bytes, list, dict, set, int, float, Path, datetime) for name in dir(one))
RUNNER = frozenset({"raises", "approx", "fixture", "parametrize", "warns", "param"})
LIMIT = 6  # tests that may show which changes a test allows


def similar_tests(source: bytes, failing: frozenset[str]) -> frozenset[str]:
    """Other tests that use everything that the failing ones use of the product. Raises what `ast.parse` raises."""
    tree = ast.parse(source)
    product = set(_imported(tree))
    used = {name: (_names(node) & product) | _methods(node) for name, node in functions(tree)}
    wanted = set[str]().union(*(used.get(name, set()) for name in failing))
    if not wanted & product:
        return frozenset()
    # A test that only expects an exception passes with most values: it doesn't show which results may be expected.
    comparing = {name for name, node in functions(tree) if _compares(node)}
    others = comparing if failing & comparing else used.keys()
    return frozenset([name for name in used if name in others - failing and wanted <= used[name]][:LIMIT])


def _imported(tree: ast.Module) -> Iterator[str]:
    """Names imported from anywhere but the standard library and the test runner. The name of a whole module stands for
    everything used from it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            if node.level or not _foreign(node.module or ""):
                yield from (alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (
                (alias.asname or alias.name).partition(".")[0] for alias in node.names if not _foreign(alias.name)
            )


def _foreign(module: str) -> bool:
    first = module.partition(".")[0]
    return first in sys.stdlib_module_names or first in RUNNERS


def _names(node: ast.AST) -> set[str]:
    plain = {child.id for child in ast.walk(node) if isinstance(child, ast.Name)}
    dotted = {child.attr for child in ast.walk(node) if isinstance(child, ast.Attribute)}
    return plain | dotted


def _methods(node: ast.AST) -> set[str]:
    calls = (child.func for child in ast.walk(node) if isinstance(child, ast.Call))
    return {func.attr for func in calls if isinstance(func, ast.Attribute) and func.attr not in PLAIN | RUNNER}


def _compares(node: ast.AST) -> bool:
    return any(isinstance(child, ast.Assert) for child in ast.walk(node)) or any(
        isinstance(child, ast.Attribute) and child.attr.startswith("assert") for child in ast.walk(node)
    )
