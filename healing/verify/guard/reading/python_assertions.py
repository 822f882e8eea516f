"""Python's assertions by strength: `assert`, unittest's methods, pytest's `raises` and `approx`."""

import ast
from collections.abc import Iterator
from types import NoneType

from healing.verify.guard.reading.marks import EXACT, NEAR, PARTIAL, TRIVIAL, TRUTHY, Assertion

TOLERANCES = {"rel", "abs", "places", "delta", "rtol", "atol", "rel_tol", "abs_tol", "decimal", "significant"}
NEARLY = {"approx", "isclose", "allclose", "assertAlmostEqual", "assert_allclose", "assert_almost_equal"}
OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}
MIRRORED = {"Gt": "Lt", "GtE": "LtE", "Lt": "Gt", "LtE": "GtE"}
METHODS = {
    "assertEqual": ast.Eq,
    "assertEquals": ast.Eq,
    "assertNotEqual": ast.NotEq,
    "assertNotEquals": ast.NotEq,
    "assertIs": ast.Is,
    "assertIsNot": ast.IsNot,
    "assertIn": ast.In,
    "assertNotIn": ast.NotIn,
    "assertGreater": ast.Gt,
    "assertGreaterEqual": ast.GtE,
    "assertLess": ast.Lt,
    "assertLessEqual": ast.LtE,
    "assertListEqual": ast.Eq,
    "assertDictEqual": ast.Eq,
    "assertTupleEqual": ast.Eq,
    "assertSetEqual": ast.Eq,
    "assertSequenceEqual": ast.Eq,
    "assertMultiLineEqual": ast.Eq,
    "assertCountEqual": ast.Eq,
}
CALLED = {"assert_called": TRUTHY, "assert_called_once": PARTIAL, "assert_any_call": PARTIAL}


def assertions(node: ast.AST) -> Iterator[Assertion]:
    """The assertions of one node; `assert a and b` counts as two, so that splitting it in two changes nothing."""
    if isinstance(node, ast.Assert):
        yield from _stated(node.test)
    elif isinstance(node, ast.Raise) and "AssertionError" in ast.unparse(node)[:40]:
        yield Assertion("fail", "constant", EXACT)
    elif isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in ("raises", "warns") or name.startswith(("assertRaises", "assertWarns")):
            yield _raising(node)
        elif name.startswith("assert") or (name == "fail" and isinstance(node.func, ast.Attribute)):
            yield from _called(node, name)


def _called(node: ast.Call, name: str) -> Iterator[Assertion]:
    arguments = node.args
    if name in METHODS and len(arguments) >= 2:
        yield _compared(arguments[0], METHODS[name](), arguments[1])
    elif name in ("assertTrue", "assert_") and arguments:
        yield from _stated(arguments[0])
    elif name == "assertFalse" and arguments:
        yield from _stated(ast.UnaryOp(ast.Not(), arguments[0]))
    elif name in ("assertIsNone", "assertIsNotNone") and arguments:
        operator = ast.Is() if name == "assertIsNone" else ast.IsNot()
        yield _compared(arguments[0], operator, ast.Constant(None))
    elif name == "fail":
        yield Assertion("fail", "constant", EXACT)
    elif name in NEARLY:
        yield _assertion_of(node, "near", NEAR)
    else:
        yield _assertion_of(node, name, CALLED.get(name, PARTIAL if "In" in name or "Regex" in name else EXACT))


def _stated(test: ast.expr) -> Iterator[Assertion]:
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        for value in test.values:
            yield from _stated(value)
    elif isinstance(test, ast.BoolOp):
        parts = [part for value in test.values for part in _stated(value)]
        strength = min(part.strength for part in parts)
        yield _assertion_of(test, "or", max(min(strength - 1, PARTIAL), TRIVIAL))
    elif isinstance(test, ast.Compare) and len(test.ops) == 1:
        yield _compared(test.left, test.ops[0], test.comparators[0])
    elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _negated(test)
    elif isinstance(test, ast.Compare):
        yield _assertion_of(test, "chain", PARTIAL)
    else:
        yield _truth(test)


def _truth(test: ast.expr) -> Assertion:
    if isinstance(test, ast.Constant | ast.Tuple | ast.List | ast.Dict | ast.JoinedStr | ast.Lambda):
        value = test.value if isinstance(test, ast.Constant) else True
        return Assertion(ast.unparse(test) if value else "fail", "constant", TRIVIAL if value else EXACT)
    if isinstance(test, ast.Call):
        name = ast.unparse(test.func)
        if name.rpartition(".")[2] in NEARLY:
            return _assertion_of(test, "near", NEAR)
        if name == "isinstance" and len(test.args) == 2:
            return _assertion_of(test, name, TRIVIAL if ast.unparse(test.args[1]) == "object" else PARTIAL)
        if name in ("all", "any", "hasattr", "callable"):
            return _assertion_of(test, name, PARTIAL if name == "all" else TRUTHY)
    return _assertion_of(test, "true", TRUTHY)


def _negated(test: ast.UnaryOp) -> Iterator[Assertion]:
    inner = test.operand
    if isinstance(inner, ast.Compare) and len(inner.ops) == 1 and type(inner.ops[0]) in OPPOSITE:
        yield _compared(inner.left, OPPOSITE[type(inner.ops[0])](), inner.comparators[0])
    else:
        yield _assertion_of(test, "false", TRIVIAL if isinstance(inner, ast.Constant) else TRUTHY)


def _compared(left: ast.expr, operator: ast.cmpop, right: ast.expr) -> Assertion:
    """A comparison in a normal form: `1 == x` is `x == 1`, `x == None` is `x is None`; `len(x) == 0` and `x == True`
    only test for truth."""
    whole = ast.Compare(left, [operator], [right])
    sense = {"Is": "Eq", "IsNot": "NotEq"}.get(type(operator).__name__, type(operator).__name__)
    if isinstance(left, ast.Constant) and not isinstance(right, ast.Constant):
        left, right, sense = right, left, MIRRORED.get(sense, sense)
    if ast.dump(left) == ast.dump(right):
        return _assertion_of(whole, "same", TRIVIAL)
    if isinstance(right, ast.Constant) and (right.value is None or isinstance(right.value, bool)):
        agrees = sense == "Eq"
        strength = PARTIAL if right.value is None and agrees else TRUTHY
        senses = (
            ("None", "not None") if right.value is None else ("true", "false") if right.value else ("false", "true")
        )
        return Assertion(ast.unparse(whole), senses[0] if agrees else senses[1], strength)
    counted = ast.unparse(left).startswith("len(")
    if counted and isinstance(right, ast.Constant) and right.value == 0:
        truth = "false" if sense in ("Eq", "LtE") else "true"
        return Assertion(ast.unparse(whole), truth, TRIVIAL if sense == "GtE" else TRUTHY)
    near = any(isinstance(n, ast.Call) and ast.unparse(n.func).rpartition(".")[2] in NEARLY for n in ast.walk(whole))
    strength = EXACT if sense == "Eq" else PARTIAL
    return _assertion_of(whole, sense, min(strength, NEAR) if near else strength)


def _raising(node: ast.Call) -> Assertion:
    """The assertion of `raises` and the like. The broadest exceptions are left out of its literals: naming a narrower
    one asserts more."""
    kinds = {ast.unparse(argument) for argument in node.args[:1]} - {"Exception", "BaseException"}
    match = {ast.unparse(k.value) for k in node.keywords if k.arg == "match"}
    return Assertion(ast.unparse(node), "raises", EXACT if kinds else PARTIAL, frozenset(kinds | match))


def _assertion_of(node: ast.expr, sense: str, strength: int) -> Assertion:
    keywords = [n for n in ast.walk(node) if isinstance(n, ast.keyword) and n.arg in TOLERANCES]
    tolerance = tuple(sorted(f"{k.arg}={ast.unparse(k.value)}" for k in keywords))
    left_out = {id(k.value) for k in keywords}
    literals = {
        repr(n.value)
        for n in ast.walk(node)
        if isinstance(n, ast.Constant) and id(n) not in left_out and not isinstance(n.value, NoneType | bool)
    }
    return Assertion(ast.unparse(node), sense, strength, frozenset(literals), tolerance)
