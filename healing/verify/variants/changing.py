"""Ways to change the values of a Python test, both in its arguments and in what it expects."""

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from types import EllipsisType

from healing.verify.variants.softly import with_all_results
from healing.verify.variants.values import NUMBERS, TEXTS, Number

# Calls whose arguments are not values of the product: names, formats, paths, the test runner's messages.
NO_VALUES = re.compile(
    r"(?:raises|warns|mark|param|fixture|importorskip|skip|skipif|xfail|open|Path|getattr|setattr|hasattr|delattr|setenv|delenv|"
    r"patch|strftime|strptime|encode|decode|import_module|fail|compile|match|search|fullmatch|sub|findall)\Z"
)
DEFINED = ast.FunctionDef | ast.AsyncFunctionDef
SET_UP = frozenset({"setUp", "setUpClass", "asyncSetUp", "setup_method", "setup_class"})
DATES = frozenset({"date", "datetime"})
EXTRA = "extra_key"
TEST = re.compile(r"test", re.I)
Make = Callable[[], "_Changed"]
Value = str | bytes | bool | int | float | complex | EllipsisType | None


@dataclass(frozen=True)
class ValueChange:
    """One way to change values. `words` describes it to people; `numbers`: it changes numbers; `crashes`: it changes
    order or length, which correct results depend on too, so it only shows whether the same exception ends the test."""

    words: str
    make: Make
    numbers: bool = False
    crashes: bool = False
    compared: bool = False  # meaningful only beside code that is known to be right: results don't follow the values


class _Changed(ast.NodeTransformer):
    """Changes constants in place, except texts that are not values; counts the changes. `impossible`: there is a value
    that can't be changed this way."""

    def __init__(self) -> None:
        self.count = 0
        self.impossible = False

    def of(self, value: Value) -> Value:
        """Returns the changed constant, or the same one."""
        return value

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        new = self.of(node.value)
        if new is node.value:
            return node
        self.count += 1
        return ast.copy_location(ast.Constant(new), node)

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        return node if isinstance(node.value, ast.Constant) else self.generic_visit(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        node.value = self.visit(node.value)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = _called(node.func)
        if name == "parametrize":
            node.args[1:] = [self.visit(arg) for arg in node.args[1:]]
            return node
        if name in DATES or NO_VALUES.match(name):
            return node
        return self.generic_visit(node)


class _Texts(_Changed):
    def __init__(self, change: Callable[[str], str]) -> None:
        super().__init__()
        self.change = change

    def of(self, value: Value) -> Value:
        if not isinstance(value, str):
            return value
        new = self.change(value)
        return value if new == value else new


class _Numbers(_Changed):
    def __init__(self, change: Callable[[Number], Number | None]) -> None:
        super().__init__()
        self.change = change

    def of(self, value: Value) -> Value:
        if type(value) not in (int, float) or abs(value) > 10**12:  # type: ignore[arg-type]
            return value
        new = self.change(value)  # type: ignore[arg-type]
        self.impossible |= new is None
        return value if new is None or new == value else new


class _Dates(_Changed):
    def __init__(self, days: int) -> None:
        super().__init__()
        self.days = timedelta(days=days)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if _called(node.func) not in DATES:
            return super().visit_Call(node)
        parts = [arg.value for arg in node.args[:3] if isinstance(arg, ast.Constant) and type(arg.value) is int]
        if len(parts) == 3:
            try:
                new = date(*parts) + self.days
            except (ValueError, OverflowError):
                return node
            node.args[:3] = [ast.Constant(part) for part in (new.year, new.month, new.day)]
            self.count += 1
        return node


class _Lists(_Changed):
    """Changes lists among the arguments of calls; what a test expects stays."""

    def __init__(self, change: Callable[[list[ast.expr]], list[ast.expr]]) -> None:
        super().__init__()
        self.change = change

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        for side in (node.left, *node.comparators):
            if not isinstance(side, ast.List | ast.Tuple):
                self.visit(side)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        for arg in node.args:
            if isinstance(arg, ast.List) and _called(node.func) != "parametrize":
                before = list(map(ast.dump, arg.elts))
                arg.elts = self.change(arg.elts)
                self.count += list(map(ast.dump, arg.elts)) != before
        return super().visit_Call(node)


class _Longer(_Changed):
    """Adds an entry to each dictionary that is not inside another."""

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        if node.keys and all(isinstance(key, ast.Constant) and isinstance(key.value, str) for key in node.keys):
            node.keys.append(ast.Constant(EXTRA))
            node.values.append(ast.Constant(0))
            self.count += 1
        return node


WAYS = (
    *(ValueChange(one.words, partial(_Texts, one.change), False, one.crashes, one.compared) for one in TEXTS),
    *(ValueChange(one.words, partial(_Numbers, one.change), True, False, one.compared) for one in NUMBERS),
    ValueChange("a week later", lambda: _Dates(7)),
    ValueChange("a year later", lambda: _Dates(364)),
    ValueChange("with its lists turned around", lambda: _Lists(lambda parts: parts[::-1]), crashes=True),
    ValueChange("with its lists repeated", lambda: _Lists(lambda parts: [*parts, *parts]), crashes=True),
    ValueChange("with one more entry in its dictionaries", _Longer),
)


@dataclass(frozen=True)
class Variant:
    """A test file with changed values. `changed` are the tests in which something changed; `crashes` and `compared`
    come from its way."""

    words: str
    source: bytes
    changed: frozenset[str]
    crashes: bool = False
    compared: bool = False
    whole: bool = True  # every value that this way applies to was changed, and so were the arguments of calls


def variants(
    source: bytes, failing: frozenset[str], passing: frozenset[str], support: bytes = b"", compared: bool = False
) -> Iterator[Variant]:
    """The file with its tests and fixtures changed in each way that changes a failing and a passing test; with
    `compared`, in each way that changes a failing one. The first variant is unchanged, and shows whether the file can
    be run as a copy. `support` is the conftest.py beside it, whose fixtures are added. Raises SyntaxError, ValueError
    and RecursionError if one can't be parsed."""
    first = _with_support(source, support)
    with_all_results(first, failing)
    yield Variant("", ast.unparse(first).encode(), failing | passing)
    for way in WAYS:
        if way.compared and not compared:
            continue
        tree = _with_support(source, support)
        shared = _change_shared(tree, way)
        changed, impossible, called = set[str](), False, True
        for name, node in functions(tree):
            if name in failing | passing and (shared or not way.numbers or len(_numbers(node)) >= 2):
                maker, calls = way.make(), _calls(node)
                maker.generic_visit(node)
                called &= name not in failing or shared or calls != _calls(node)
                if (maker.count or shared) and (compared or not maker.impossible):
                    changed.add(name)
                    impossible |= maker.impossible
        if changed & failing and (compared or changed & passing):
            with_all_results(tree, failing & changed)
            text = ast.unparse(ast.fix_missing_locations(tree)).encode()
            yield Variant(
                way.words, text, frozenset(changed), way.crashes, way.compared or impossible, called and not impossible
            )


def _with_support(source: bytes, support: bytes) -> ast.Module:
    """A test file with the imports, fixtures and helpers of its conftest.py before its own."""
    tree = ast.parse(source)
    more = [
        node for node in ast.parse(support).body if not (isinstance(node, DEFINED) and node.name.startswith("pytest_"))
    ]
    first = sum(isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in tree.body)
    start = first + (bool(tree.body) and isinstance(tree.body[0], ast.Expr))
    tree.body[start:start] = [
        node for node in more if not (isinstance(node, ast.ImportFrom) and node.module == "__future__")
    ]
    return tree


def _change_shared(tree: ast.Module, way: ValueChange) -> bool:
    """Changes values that tests share: fixtures, `setUp`, tables of the module. Returns whether there were any."""
    count = 0
    for node in tree.body:
        inner = node.body if isinstance(node, ast.ClassDef) else [node]
        for child in inner:
            if (isinstance(child, DEFINED) and _prepares(child)) or isinstance(child, ast.Assign | ast.AnnAssign):
                maker = way.make()
                maker.generic_visit(child)
                count += maker.count
    return count > 0


def _prepares(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    decorated = (decorator.func if isinstance(decorator, ast.Call) else decorator for decorator in node.decorator_list)
    return node.name in SET_UP or any(_called(decorator) == "fixture" for decorator in decorated)


def functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """The tests of a file, by the id that the test runner gives them."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef) and TEST.match(inner.name):
                    yield f"{node.name}::{inner.name}", inner
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and TEST.match(node.name):
            yield node.name, node


def _numbers(node: ast.AST) -> set[int | float]:
    constants = (child.value for child in ast.walk(node) if isinstance(child, ast.Constant))
    return {value for value in constants if type(value) in (int, float)}  # type: ignore[misc]


def _calls(node: ast.AST) -> list[str]:
    """The calls of a test except assertions: the inputs, not what is expected."""
    calls = (call for call in ast.walk(node) if isinstance(call, ast.Call))
    return [ast.dump(call) for call in calls if not _called(call.func).startswith("assert")]


def _called(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
