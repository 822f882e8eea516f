"""Counts the uses of `<`, `<=`, `>` and `>=` in a file's code, without those in comments and texts."""

import ast
import re
from collections import Counter
from collections.abc import Iterator

from healing.graph.python.syntax import parse
from healing.verify.guard.reading.text import PYTHON, language_of, plain

ORDERS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
_IN_WORDS = re.compile(r"(?<![<>=-])(?:[<>]=?)(?![<>=])")


def comparison_counts(path: str, data: bytes) -> Counter[str]:
    """The comparisons of a file by their operator; for a language without a parser, or a file that can't be parsed, all
    such signs in its text."""
    try:
        signs = _of_code(path, data)
    except (RecursionError, ValueError, MemoryError):
        signs = None
    return Counter(_IN_WORDS.findall(plain(data)) if signs is None else signs)


def _of_code(path: str, data: bytes) -> Iterator[str] | None:
    language = language_of(path)
    if language == PYTHON:
        tree = parse(data)
        return None if tree is None else _of_python(tree)
    if language is None:
        return None
    from healing.verify.guard.reading import trees

    root = trees.parse(language, data)
    if root is None:
        return None
    binary = (node for node in trees.walk(root) if node.type == "binary_expression")
    return iter([sign for node in binary if (sign := trees.field(node, "operator")) in ORDERS.values()])


def _of_python(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            yield from (ORDERS[type(sign)] for sign in node.ops if type(sign) in ORDERS)
