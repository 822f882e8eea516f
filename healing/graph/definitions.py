"""Finds where a name is defined in a file, in every language of the graph."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from healing.graph.grammars import parse, text
from healing.graph.language import suffix_of
from healing.graph.outlines import GRAMMARS, NAMED
from healing.graph.python.syntax import parse as parse_python

if TYPE_CHECKING:
    from tree_sitter import Node

PYTHON = (".py", ".pyi")
VALUES = {"const_item", "static_item", "const_spec", "var_spec", "macro_definition", "union_item", "type_item"}
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def has_definitions(path: str) -> bool:
    """Whether `definitions` supports a file of this name."""
    return path.endswith(PYTHON) or suffix_of(path) in GRAMMARS


def definitions(path: str, data: bytes, name: Sequence[str]) -> list[tuple[int, int]]:
    """First and last line of each definition of the name; empty where the file can't be parsed. The earlier parts of
    `name` are what it is defined inside, such as a class."""
    if path.endswith(PYTHON):
        tree = parse_python(data)
        defined = _python(tree.body, ()) if tree else iter(())
    else:
        defined = _parsed(parse(GRAMMARS[suffix_of(path)], data).root_node)
    return [lines for full, lines in defined if full[-len(name) :] == tuple(name)]


def _python(body: Iterable[ast.stmt], outer: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], tuple[int, int]]]:
    for node in body:
        if isinstance(node, SCOPES):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            yield (*outer, node.name), (first, node.end_lineno or node.lineno)
            yield from _python(node.body, (*outer, node.name))
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [target.id for target in targets if isinstance(target, ast.Name)]
            yield from (((*outer, name), (node.lineno, node.end_lineno or node.lineno)) for name in names)
        elif isinstance(node, ast.If | ast.Try | ast.With | ast.For | ast.While):
            inside = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)]
            handlers = [statement for h in getattr(node, "handlers", ()) for statement in h.body]
            yield from _python([*inside, *handlers], outer)


def _parsed(root: "Node") -> Iterator[tuple[tuple[str, ...], tuple[int, int]]]:
    waiting: list[tuple[Node, tuple[str, ...]]] = [(root, ())]
    while waiting:
        node, outer = waiting.pop()
        inside = outer
        if node.type in NAMED or node.type in VALUES:
            named = text(node.child_by_field_name("name") or node.child_by_field_name("type")).partition("<")[0]
            if named:
                inside = (*outer, named)
                yield inside, (node.start_point[0] + 1, node.end_point[0] + 1)
        waiting += [(child, inside) for child in reversed(node.children)]
