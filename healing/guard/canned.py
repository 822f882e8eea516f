"""Rule: an answer is computed, not copied from the test that asks for it.

Seen are: a function that computed and now only holds the value that the test expects, a special case for the test's own
argument, and a handler that answers with the expected value where something failed.
"""

import ast
from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from healing.graph.syntax import parse
from healing.guard.tests import is_test_file
from healing.model import CIError

Literal = str  # a constant as Python writes it: 1 and True stay apart
Functions = ast.FunctionDef | ast.AsyncFunctionDef


def refusals(
    changes: Mapping[str, tuple[bytes | None, bytes | None]],
    errors: tuple[CIError, ...],
    read: Callable[[str], bytes | None],
) -> list[str]:
    """One sentence for each file that holds an expected value where it computed one; `read` gives the files before."""
    places = {path for e in errors for path in ((e.test or "").partition("::")[0], e.file or "") if is_test_file(path)}
    expected = {literal for path in places for literal in _literals(parse(read(path) or b""))}
    found = []
    for path, (old, new) in sorted(changes.items()):
        before, after = parse(old or b""), parse(new or b"")
        if not path.endswith(".py") or is_test_file(path) or before is None or after is None:
            continue
        canned = _turned(before, after, expected) or (_answers(after, expected) - _answers(before, expected))
        if canned:
            shown = ", ".join(sorted(canned))[:80]
            found.append(f"{path}: holds the value that the test expects ({shown}) instead of computing it")
    return found


def _literals(tree: ast.AST | None) -> set[Literal]:
    """Every constant that says something: not None, a truth value, a number next to 0, or hardly a text."""
    if tree is None:
        return set()
    values = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    return {repr(value) for value in values if _says_something(value)}


def _says_something(value: object) -> bool:
    if isinstance(value, str | bytes):
        return len(value) > 1
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) > 1


def _is_literal(node: ast.expr | None) -> bool:
    """Whether an expression is nothing but a value; a bare `return` is too."""
    try:
        ast.literal_eval(node or ast.Constant(None))
    except (ValueError, TypeError, SyntaxError):
        return False
    return True


def _known(node: ast.expr | None, expected: set[Literal]) -> set[Literal]:
    """The constants of an expression that is nothing but a value, where the test holds them all."""
    found = _literals(node) if _is_literal(node) else set()
    return found if found <= expected else set()


def _turned(before: ast.AST, after: ast.AST, expected: set[Literal]) -> set[Literal]:
    """What functions give back that computed before and now only hold expected values."""
    computed = {f.name for f in _functions(before) if not all(map(_is_literal, _returned(f)))}
    turned = [_returned(f) for f in _functions(after) if f.name in computed and all(map(_is_literal, _returned(f)))]
    return {literal for values in turned for value in values for literal in _known(value, expected)}


def _answers(tree: ast.AST, expected: set[Literal]) -> Counter[Literal]:
    """Expected values that are given back for one of the test's own arguments, or where something failed."""
    found: Counter[Literal] = Counter()
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and _special(node.test, expected):
            found.update(_last(node.body, expected))
        elif isinstance(node, ast.IfExp) and _special(node.test, expected):
            found.update(_known(node.body, expected))
        elif isinstance(node, ast.ExceptHandler):
            found.update(_last(node.body, expected))
    return found


def _special(test: ast.expr, expected: set[Literal]) -> bool:
    """Whether a condition asks for a value that stands in the test."""
    return isinstance(test, ast.Compare) and any(_known(side, expected) for side in (test.left, *test.comparators))


def _last(body: list[ast.stmt], expected: set[Literal]) -> set[Literal]:
    return _known(body[-1].value, expected) if isinstance(body[-1], ast.Return) else set()


def _functions(tree: ast.AST) -> Iterator[Functions]:
    return (node for node in ast.walk(tree) if isinstance(node, Functions))


def _returned(function: Functions) -> list[ast.expr | None]:
    return [node.value for node in ast.walk(function) if isinstance(node, ast.Return)]
