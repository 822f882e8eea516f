"""Ways to change the values of a test, in its arguments and in what it expects alike."""

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from types import EllipsisType

LETTER = re.compile(r"[A-Za-z]")
WORD = re.compile(r"[A-Za-z]+")
DIGITS = re.compile(r"\d+")
# What these are called with is no value of the product's: names, formats, paths, messages of the runner.
NO_VALUES = re.compile(
    r"(?:raises|warns|mark|param|fixture|importorskip|skip|skipif|xfail|open|Path|getattr|setattr|hasattr|delattr|setenv|delenv|"
    r"patch|strftime|strptime|encode|decode|import_module|fail|compile|match|search|fullmatch|sub|findall)\Z"
)
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
    def __init__(self, change: Callable[[int | float], int | float | None]) -> None:
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


def _next_letter(found: re.Match[str]) -> str:
    letter = found.group()
    return {"z": "a", "Z": "A"}.get(letter) or chr(ord(letter) + 1)


def _half(number: int | float) -> int | float | None:
    if isinstance(number, float):
        return number / 2
    return number // 2 if number % 2 == 0 else None


WAYS = (
    Way("with other letters", lambda: _Texts(lambda text: LETTER.sub(_next_letter, text))),
    Way(
        "with longer words",
        lambda: _Texts(lambda text: WORD.sub(lambda m: m.group() + 2 * m.group()[-1], text)),
        crashes=True,
    ),
    Way(
        "with longer numbers in its texts",
        lambda: _Texts(lambda text: DIGITS.sub(lambda m: "1" + m.group(), text)),
        crashes=True,
    ),
    Way("with each number one higher", lambda: _Numbers(lambda number: number + 1), True),
    Way("with each number seven higher", lambda: _Numbers(lambda number: number + 7), True),
    Way("with doubled numbers", lambda: _Numbers(lambda number: number * 2), True),
    Way("with halved numbers", lambda: _Numbers(_half), True),
    Way("a week later", lambda: _Dates(7)),
    Way("a year later", lambda: _Dates(364)),
    Way("with its lists turned around", lambda: _Lists(lambda parts: parts[::-1]), crashes=True),
    Way("with its lists repeated", lambda: _Lists(lambda parts: [*parts, *parts]), crashes=True),
    Way("with one more entry in its dictionaries", _Longer),
)


@dataclass(frozen=True)
class Variant:
    """A test file with changed values. `changed` are its tests in which something changed; `crashes` as of its way."""

    words: str
    source: bytes
    changed: frozenset[str]
    crashes: bool = False


def variants(source: bytes, failing: frozenset[str], passing: frozenset[str]) -> Iterator[Variant]:
    """The file with its tests changed in each way that changes a failing and a passing one; first as it stands, which
    says whether it can be run as a copy. Raises SyntaxError, ValueError and RecursionError where it can't be read."""
    yield Variant("", ast.unparse(ast.parse(source)).encode(), failing | passing)
    for way in WAYS:
        tree = ast.parse(source)
        changed = set[str]()
        for name, node in functions(tree):
            if name in failing | passing and not (way.numbers and len(_numbers(node)) < 2):
                maker = way.make()
                maker.generic_visit(node)
                if maker.count and not maker.impossible:
                    changed.add(name)
        if changed & failing and changed & passing:
            text = ast.unparse(ast.fix_missing_locations(tree)).encode()
            yield Variant(way.words, text, frozenset(changed), way.crashes)


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


def _called(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
