"""Python source that strangers wrote, parsed without surprises."""

import ast
import warnings


def parse(data: bytes | str) -> ast.Module | None:
    """The tree of Python source; None where it is none (broken, too deep, binary). Never raises or warns."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def syntax_error(data: bytes) -> SyntaxError | None:
    """What the compiler has against this source; None where it parses or where that can't be said."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(data)
    except SyntaxError as error:
        return error
    except (ValueError, RecursionError, MemoryError):
        return None
    return None


def enclosing(tree: ast.Module, line: int) -> str:
    """Dotted name of the innermost function or class around `line`; empty at the top level."""
    names: list[str] = []
    body: list[ast.stmt] = tree.body
    while True:
        around = next((n for n in _statements(body) if _covers(n, line)), None)
        if around is None:
            return ".".join(names)
        names.append(around.name)
        body = around.body


Named = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def _covers(node: Named, line: int) -> bool:
    first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
    return first <= line <= (node.end_lineno or node.lineno)


def _statements(body: list[ast.stmt]) -> list[Named]:
    """Definitions in `body`, also below its `if`, `try`, `with` and loops."""
    found: list[Named] = []
    todo: list[ast.AST] = list(body)
    while todo:
        node = todo.pop()
        if isinstance(node, Named):
            found.append(node)
        elif isinstance(node, ast.stmt | ast.excepthandler | ast.match_case):
            todo += ast.iter_child_nodes(node)
    return sorted(found, key=lambda n: n.lineno)
