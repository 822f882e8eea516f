"""Finds the tests of a Python file, with their assertions and the cases of parametrized ones."""

import ast
from collections.abc import Iterator

from healing.verify.guard.reading.marks import Assertion, MarkedTest
from healing.verify.guard.reading.python_assertions import assertions

Function = ast.FunctionDef | ast.AsyncFunctionDef


def tests(tree: ast.Module) -> Iterator[MarkedTest]:
    """Every test that pytest or unittest would collect; tests inside an `if` don't count, since they may not be
    collected."""
    yield from _tests(tree.body, "")


def _tests(body: list[ast.stmt], prefix: str) -> Iterator[MarkedTest]:
    for node in body:
        if isinstance(node, ast.ClassDef) and _is_collected(node):
            yield from _tests(node.body, f"{prefix}{node.name}.")
        elif isinstance(node, Function) and _is_test(node):
            text = "\n".join(ast.unparse(n) for n in _without_docstring(node))
            text = f"async: {text}" if isinstance(node, ast.AsyncFunctionDef) else text
            yield MarkedTest(prefix + node.name, text, tuple(_asserted(node)), tuple(_cases(node)))


def _is_collected(node: ast.ClassDef) -> bool:
    return node.name.startswith("Test") or bool(node.bases)


def _is_test(node: Function) -> bool:
    fixture = any("fixture" in ast.unparse(d)[:80] for d in node.decorator_list)
    return node.name.startswith("test") and not fixture


def _without_docstring(node: Function) -> list[ast.stmt]:
    match node.body[0]:
        case ast.Expr(value=ast.Constant(value=str())):
            return node.body[1:]
    return node.body


def _asserted(node: ast.AST) -> Iterator[Assertion]:
    """Assertions in source order, without those that are never reached: after a `return` in the test's own body, in `if
    False`, in a loop over nothing."""
    match node:
        case ast.If(test=ast.Constant(value=value)) | ast.While(test=ast.Constant(value=value)) if not value:
            return
        case ast.For(iter=ast.List(elts=[]) | ast.Tuple(elts=[])):
            return
    for child in ast.iter_child_nodes(node):
        yield from assertions(child)
        yield from _asserted(child)
        if isinstance(node, Function) and isinstance(child, ast.Return | ast.Raise):
            return


def loose_assertions(tree: ast.Module) -> Iterator[Assertion]:
    """The assertions outside tests: in their helpers."""
    for node in ast.walk(tree):
        if isinstance(node, Function) and not _is_test(node):
            yield from (assertion for child in ast.walk(node) for assertion in assertions(child))


def _cases(node: Function) -> Iterator[str]:
    """One text for each row of `parametrize` and similar decorators."""
    for decorator in node.decorator_list:
        if not isinstance(decorator, ast.Call) or "param" not in ast.unparse(decorator.func):
            continue
        for argument in (*decorator.args, *(k.value for k in decorator.keywords)):
            if isinstance(argument, ast.List | ast.Tuple | ast.Set):
                yield from (ast.unparse(row) for row in argument.elts)


def bound_names(tree: ast.Module) -> frozenset[str]:
    """Names that the file imports."""
    names = {a.asname or a.name for n in ast.walk(tree) if isinstance(n, ast.ImportFrom | ast.Import) for a in n.names}
    return frozenset(names)


def defined_names(tree: ast.Module) -> frozenset[str]:
    """Names that the file defines at its top level."""
    names = {n.name for n in tree.body if isinstance(n, Function | ast.ClassDef)}
    targets = [t for n in tree.body if isinstance(n, ast.Assign) for t in n.targets]
    return frozenset(names | {t.id for t in targets if isinstance(t, ast.Name)})
