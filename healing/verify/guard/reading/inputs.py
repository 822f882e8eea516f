"""Finds the inputs of each function of a file, and which of them it reads."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from healing.graph.python.syntax import parse
from healing.verify.guard.reading.inputs_in_words import in_words
from healing.verify.guard.reading.text import PYTHON, language_of, plain

if TYPE_CHECKING:
    from tree_sitter import Node

Functions = ast.FunctionDef | ast.AsyncFunctionDef
HOLDERS = {"class_declaration", "class", "abstract_class_declaration", "impl_item", "trait_item", "mod_item"}
FUNCTIONS = {
    "function_declaration",
    "generator_function_declaration",
    "function_expression",
    "arrow_function",
    "method_definition",
    "method_declaration",
    "function_item",
}
READ = {"identifier", "shorthand_property_identifier", "this", "self"}
GIVEN = {"identifier", "shorthand_property_identifier_pattern", "self"}
TYPES = re.compile(r"type|default|mutable_specifier|attribute")
CAPTURED = re.compile(r"\{([A-Za-z_]\w{0,60})")  # in a Rust format string
MAX_DEPTH = 200


class Inputs(NamedTuple):
    """The parameters of one function in order, and the names that its body reads."""

    given: tuple[str, ...]
    read: frozenset[str]


def inputs(path: str, data: bytes) -> dict[str, Inputs]:
    """The inputs of each function and method of a file by name; a repeated name gets a number. Empty if the file can't
    be parsed. Raises ValueError and RecursionError if it is nested too deeply."""
    language = language_of(path)
    if language == PYTHON:
        tree = parse(data)
        functions = _of_python(tree, "") if tree else iter(())
    elif language:
        from healing.verify.guard.reading import trees

        root = trees.parse(language, data)
        functions = _of_tree(root) if root else iter(())
    else:
        functions = ((name, Inputs(*both)) for name, both in in_words(path, plain(data)))
    counts, by_name = Counter[str](), dict[str, Inputs]()
    for name, function in functions:
        counts[name] += 1
        by_name[name if counts[name] == 1 else f"{name} {counts[name]}"] = function
    return by_name


def _of_python(node: ast.AST, within: str) -> Iterator[tuple[str, Inputs]]:
    for child in ast.iter_child_nodes(node):
        name = f"{within}{child.name}" if isinstance(child, Functions | ast.ClassDef) else ""
        if isinstance(child, Functions):
            yield name, Inputs(tuple(_parameters(child.args)), frozenset(_names(child.body)))
        yield from _of_python(child, f"{name}." if name else within)


def _parameters(args: ast.arguments) -> Iterator[str]:
    every = (*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg)
    return (parameter.arg for parameter in every if parameter)


def _names(body: list[ast.stmt]) -> Iterator[str]:
    """The names that are read; a value that is a statement by itself, or assigned to `_`, doesn't count."""
    nodes = [node for statement in body for node in ast.walk(statement)]
    idle = {id(node.value) for node in nodes if isinstance(node, ast.Expr | ast.Assign) and _is_idle(node)}
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in idle:
            yield "self" if node.id == "super" else node.id


def _is_idle(node: ast.Expr | ast.Assign) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else []
    return all(isinstance(target, ast.Name) and target.id == "_" for target in targets)


def _of_tree(root: "Node") -> Iterator[tuple[str, Inputs]]:
    """Functions with a name, or assigned to one; anonymous arguments are covered by the function that passes them."""
    stack = [(root, "", "", 0)]
    while stack:
        node, within, name, depth = stack.pop()
        if depth > MAX_DEPTH:
            raise ValueError("nested too deeply")
        own_name = _text(node.child_by_field_name("name")) or name
        if node.type in FUNCTIONS and own_name:
            receiver = node.child_by_field_name("receiver")
            of = (
                receiver.named_children[0].child_by_field_name("type") if receiver and receiver.named_children else None
            )
            yield f"{within}{_text(of)}{own_name}", _inputs(node)
        if node.type in HOLDERS or (node.type in FUNCTIONS and own_name):
            within = f"{within}{own_name or _text(node.child_by_field_name('type'))}."
        for child in reversed(node.children):
            given_to = _given_to(node) if child.type in FUNCTIONS else ""
            stack.append((child, within, given_to, depth + 1))


def _given_to(node: "Node") -> str:
    """The name or target that a function is assigned to."""
    return next(
        filter(None, (_text(node.child_by_field_name(name)) for name in ("name", "key", "left", "property"))), ""
    )


def _inputs(function: "Node") -> Inputs:
    from healing.verify.guard.reading.trees import walk

    heads = [function.child_by_field_name(name) for name in ("receiver", "parameters", "parameter")]
    body = function.child_by_field_name("body")
    read = set[str]()
    for node in walk(body) if body else ():
        if node.type in READ:
            read.add(_text(node))
        elif node.type == "string_content":
            read.update(CAPTURED.findall(_text(node)))
    return Inputs(tuple(name for head in heads if head for name in _bound(head)), frozenset(read))


def _bound(head: "Node") -> Iterator[str]:
    """The names that a parameter list binds, without types and default values."""
    if head.type in GIVEN:
        yield _text(head)
    for index, child in enumerate(head.children):
        kind = head.field_name_for_child(index) or ""
        if not TYPES.search(kind) and not TYPES.search(child.type) and kind not in {"right", "value"}:
            yield from _bound(child)


def _text(node: "Node | None") -> str:
    from healing.verify.guard.reading.trees import text

    return text(node)
