"""Finds results that Python code holds instead of computing them."""

import ast
from collections import Counter
from collections.abc import Iterable, Iterator

from healing.graph.python.syntax import parse

Literal = str  # a constant's repr, which distinguishes 1 and True
Functions = ast.FunctionDef | ast.AsyncFunctionDef
ASKS = {"startswith", "endswith", "match", "__eq__"}


def canned(old: bytes, new: bytes, tests: Iterable[bytes]) -> set[Literal]:
    """Values of the tests that the code now returns, where it computed before or had no special case."""
    before, after = parse(old), parse(new)
    if before is None or after is None:
        return set()
    expected = {literal for test in tests for literal in _literals(parse(test))}
    return _hard_coded(before, after, expected) | set(_answers(after, expected) - _answers(before, expected))


def _literals(tree: ast.AST | None) -> set[Literal]:
    """Every distinctive constant: not None, a truth value, a number from -1 to 1, or a text shorter than two
    characters."""
    if tree is None:
        return set()
    values = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    return {repr(value) for value in values if _is_distinctive(value)}


def _is_distinctive(value: object) -> bool:
    if isinstance(value, str | bytes):
        return len(value) > 1
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) > 1


def _is_literal(node: ast.expr | None) -> bool:
    """Whether an expression is only a value; a bare `return` counts too."""
    try:
        ast.literal_eval(node or ast.Constant(None))
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return False
    return True


def _known(node: ast.expr | None, expected: set[Literal]) -> set[Literal]:
    """The constants of an expression that is only a value, if the test holds all of them."""
    literals = _literals(node) if _is_literal(node) else set()
    return literals if literals <= expected else set()


def _hard_coded(before: ast.AST, after: ast.AST, expected: set[Literal]) -> set[Literal]:
    """The values returned by functions that computed before and now only return expected values."""
    computed = {f.name for f in _functions(before) if not all(map(_is_literal, _returned(f)))}
    returned = [_returned(f) for f in _functions(after) if f.name in computed and all(map(_is_literal, _returned(f)))]
    return {literal for values in returned for value in values for literal in _known(value, expected)}


def _answers(tree: ast.AST, expected: set[Literal]) -> Counter[Literal]:
    """Expected values that are returned for one of the test's own arguments, or where something failed."""
    answers: Counter[Literal] = Counter()
    for node in ast.walk(tree):
        match node:
            case ast.If() if _special(node.test, expected):
                answers.update(_last(node.body, expected))
            case ast.IfExp() if _special(node.test, expected):
                answers.update(_known(node.body, expected))
            case ast.match_case(pattern=ast.MatchValue(value=value)) if _known(value, expected):
                answers.update(_last(node.body, expected))
            case ast.ExceptHandler():
                answers.update(_last(node.body, expected))
            case ast.Call(func=ast.Attribute(value=ast.Dict() as table)) | ast.Subscript(value=ast.Dict() as table):
                answers.update(_looked_up(table, expected))
    return answers


def _looked_up(table: ast.Dict, expected: set[Literal]) -> set[Literal]:
    """Values of a dict that is looked up immediately, where the test holds the value and at least part of its key."""
    pairs = [
        (_is_literal(key) and _literals(key) & expected, _known(value, expected))
        for key, value in zip(table.keys, table.values, strict=True)
    ]
    return {literal for key, value in pairs if key for literal in value}


def _special(test: ast.expr, expected: set[Literal]) -> bool:
    """Whether a condition checks for a value from the test."""
    for node in ast.walk(test):
        match node:
            case ast.Compare() if any(_known(side, expected) for side in (node.left, *node.comparators)):
                return True
            case ast.Call(func=ast.Attribute(attr=name), args=[first, *_]) if name in ASKS and _known(first, expected):
                return True
    return False


def _last(body: list[ast.stmt], expected: set[Literal]) -> set[Literal]:
    return _known(body[-1].value, expected) if isinstance(body[-1], ast.Return | ast.Assign) else set()


def _functions(tree: ast.AST) -> Iterator[Functions]:
    return (node for node in ast.walk(tree) if isinstance(node, Functions))


def _returned(function: Functions) -> list[ast.expr | None]:
    return [node.value for node in ast.walk(function) if isinstance(node, ast.Return)]
