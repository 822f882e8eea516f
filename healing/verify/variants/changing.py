"""Ways to change the values of a test, in its arguments and in what it expects alike."""

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from types import EllipsisType

from healing.verify.variants.softly import with_all_results
from healing.verify.variants.values import NUMBERS, TEXTS, Number

# What these are called with is no value of the product's: names, formats, paths, messages of the runner.
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
class Way:
    """One way to change values. `words` say it to people; `numbers`: it changes numbers; `crashes`: order or length
    change, on which honest results depend too, so that it shows only whether the same exception ends the test."""

    words: str
    make: Make
    numbers: bool = False
    crashes: bool = False
    compared: bool = False  # it says something only beside code that is known to be right: results change unlike values


class _Changed(ast.NodeTransformer):
    """Changes constants in place, but for texts that are no values; counts what it changed. `impossible`: there is a
    value that can't be changed in this way."""

    def __init__(self) -> None:
        self.count = 0
        self.impossible = False

    def of(self, value: Value) -> Value:
        """The changed constant, or the same."""
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
            node.args[1:] = [self.visit(one) for one in node.args[1:]]
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
        parts = [one.value for one in node.args[:3] if isinstance(one, ast.Constant) and type(one.value) is int]
        if len(parts) == 3:
            try:
                new = date(*parts) + self.days
            except (ValueError, OverflowError):
                return node
            node.args[:3] = [ast.Constant(one) for one in (new.year, new.month, new.day)]
            self.count += 1
        return node


class _Lists(_Changed):
    """Lists among the arguments of calls; what a test expects stays."""

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
        for one in node.args:
            if isinstance(one, ast.List) and _called(node.func) != "parametrize":
                before = list(map(ast.dump, one.elts))
                one.elts = self.change(one.elts)
                self.count += list(map(ast.dump, one.elts)) != before
        return super().visit_Call(node)


class _Longer(_Changed):
    """One more entry in each dictionary that is not in another."""

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        if node.keys and all(isinstance(key, ast.Constant) and isinstance(key.value, str) for key in node.keys):
            node.keys.append(ast.Constant(EXTRA))
            node.values.append(ast.Constant(0))
            self.count += 1
        return node


WAYS = (
    *(Way(one.words, partial(_Texts, one.change), False, one.crashes, one.compared) for one in TEXTS),
    *(Way(one.words, partial(_Numbers, one.change), True, False, one.compared) for one in NUMBERS),
    Way("a week later", lambda: _Dates(7)),
    Way("a year later", lambda: _Dates(364)),
    Way("with its lists turned around", lambda: _Lists(lambda parts: parts[::-1]), crashes=True),
    Way("with its lists repeated", lambda: _Lists(lambda parts: [*parts, *parts]), crashes=True),
    Way("with one more entry in its dictionaries", _Longer),
)


@dataclass(frozen=True)
class Variant:
    """A test file with changed values. `changed` are its tests in which something changed; `crashes` and `compared` as
    of its way."""

    words: str
    source: bytes
    changed: frozenset[str]
    crashes: bool = False
    compared: bool = False
    whole: bool = True  # each value that can be changed in this way was, and what is called with them with it


def variants(
    source: bytes, failing: frozenset[str], passing: frozenset[str], support: bytes = b"", compared: bool = False
) -> Iterator[Variant]:
    """The file with its tests, and what prepares them, changed in each way that changes a failing and a passing one;
    `compared`: in each that changes a failing one. First as it stands, which says whether it can be run as a copy.
    `support` is the conftest.py beside it, whose fixtures it gets. Raises SyntaxError, ValueError and RecursionError
    where one can't be read."""
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
    more = [one for one in ast.parse(support).body if not (isinstance(one, DEFINED) and one.name.startswith("pytest_"))]
    first = sum(isinstance(one, ast.ImportFrom) and one.module == "__future__" for one in tree.body)
    at = first + (bool(tree.body) and isinstance(tree.body[0], ast.Expr))
    tree.body[at:at] = [one for one in more if not (isinstance(one, ast.ImportFrom) and one.module == "__future__")]
    return tree


def _change_shared(tree: ast.Module, way: Way) -> bool:
    """Changes values of what tests share: fixtures, `setUp`, tables of the module. Whether there were any."""
    count = 0
    for node in tree.body:
        inner = node.body if isinstance(node, ast.ClassDef) else [node]
        for one in inner:
            if (isinstance(one, DEFINED) and _prepares(one)) or isinstance(one, ast.Assign | ast.AnnAssign):
                maker = way.make()
                maker.generic_visit(one)
                count += maker.count
    return count > 0


def _prepares(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    decorated = (one.func if isinstance(one, ast.Call) else one for one in node.decorator_list)
    return node.name in SET_UP or any(_called(one) == "fixture" for one in decorated)


def functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """The tests of a file, by the id that the runner gives them."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef) and TEST.match(inner.name):
                    yield f"{node.name}::{inner.name}", inner
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and TEST.match(node.name):
            yield node.name, node


def _numbers(node: ast.AST) -> set[int | float]:
    found = (one.value for one in ast.walk(node) if isinstance(one, ast.Constant))
    return {value for value in found if type(value) in (int, float)}  # type: ignore[misc]


def _calls(node: ast.AST) -> list[str]:
    """The calls of a test but assertions: what is asked for, not what is expected."""
    calls = (one for one in ast.walk(node) if isinstance(one, ast.Call))
    return [ast.dump(one) for one in calls if not _called(one.func).startswith("assert")]


def _called(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
