"""The constants of Python code, including those computed only from constants, and whether something is compared with
them."""

import ast
import operator
from collections.abc import Callable, Iterator

from healing.graph.python.syntax import parse

SUMS: dict[type[ast.operator], Callable[[int | float, int | float], int | float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
    ast.BitXor: lambda a, b: int(a) ^ int(b),
}
CALLS: dict[str, Callable[..., object]] = {
    "sum": sum, "int": int, "float": float, "len": len, "chr": chr, "ord": ord, "abs": abs, "max": max,
    "min": min, "str": str,
}  # fmt: skip
LIMIT = 10**12
MAX_LENGTH = 2_000
LOOK_UPS = {"get", "startswith", "endswith", "index", "count", "pop", "setdefault", "match", "fullmatch", "__eq__"}


def constants(data: bytes) -> list[tuple[str, bool]] | None:
    """Each constant, with whether something is compared with it or looked up by it; None if the code doesn't parse.
    Raises RecursionError."""
    tree = parse(data)
    return None if tree is None else list(_constants(tree, False))


def shape(data: bytes) -> str:
    """The code without its constants: the same if only values were replaced."""
    tree = parse(data)
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Constant):
            node.value, node.kind = None, None
    return ast.dump(tree) if tree else ""


def _constants(node: ast.AST, asks: bool) -> Iterator[tuple[str, bool]]:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return  # a docstring
    value = _value(node) if isinstance(node, ast.expr) else None
    if value is not None:
        yield _text(value), asks
    for child in ast.iter_child_nodes(node):
        yield from _constants(child, asks or _asks(node, child))


def _asks(node: ast.AST, child: ast.AST) -> bool:
    match node:
        case ast.Compare() | ast.MatchValue():
            return True
        case ast.Dict(keys=keys):
            return child in keys
        case ast.Subscript(slice=index):
            return child is index
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in LOOK_UPS and child is not node.func
    return False


def _value(node: ast.expr) -> object:
    """The value of an expression of constants; None if it isn't one or can't be computed cheaply."""
    try:
        value = _folded(node)
    except (ValueError, TypeError, ArithmeticError, IndexError, OverflowError):
        return None
    if isinstance(value, bool) or not isinstance(value, int | float | str | bytes):
        return None
    return None if isinstance(value, str | bytes) and not 1 < len(value) < MAX_LENGTH else value


def _folded(node: ast.expr) -> object:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            operand = _folded(inner)
            return -operand if isinstance(operand, int | float) else None
        case ast.BinOp(left=left, op=op, right=right):
            return _sum(_folded(left), op, _folded(right))
        case ast.List(elts=items) | ast.Tuple(elts=items):
            folded = tuple(_folded(item) for item in items[:100])
            return None if None in folded else folded
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in CALLS and args:
            values = [_folded(arg) for arg in args]
            return None if None in values else CALLS[name](*values)
        case ast.Call(func=ast.Attribute(value=glue, attr="join"), args=[items], keywords=[]):
            return _joined(_folded(glue), _folded(items))
    return None


def _joined(glue: object, parts: object) -> str | None:
    texts = [part for part in parts if isinstance(part, str)] if isinstance(parts, tuple) else []
    return glue.join(texts) if isinstance(glue, str) and texts else None


def _sum(left: object, op: ast.operator, right: object) -> object:
    if isinstance(left, str) and isinstance(right, str) and isinstance(op, ast.Add):
        return left + right
    numbers = isinstance(left, int | float) and isinstance(right, int | float) and max(abs(left), abs(right)) < LIMIT
    return SUMS[type(op)](left, right) if numbers and type(op) in SUMS else None  # type: ignore[arg-type]


def _text(value: object) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)
