"""The definitions in a file: functions, classes and values at its top level; methods, fields and attributes of its
classes."""

import ast
from dataclasses import dataclass

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class PythonDefinition:
    """`place` is the node with the name, `whole` the entire definition. `kind` distinguishes functions, classes, values
    and attributes."""

    kind: str
    place: ast.AST
    whole: ast.AST


Definitions = dict[tuple[str, str], PythonDefinition]  # (class or empty, name)


def definitions_of(tree: ast.Module) -> Definitions:
    """The definitions at the top level and one level into classes."""
    definitions: Definitions = {}
    for node in tree.body:
        definitions |= {("", name): definition for name, definition in _of_statement(node).items()}
        if isinstance(node, ast.ClassDef):
            for inner in (*_attributes(node), *(_of_statement(statement) for statement in node.body)):
                definitions |= {(node.name, name): definition for name, definition in inner.items()}
    return definitions


def _of_statement(node: ast.stmt) -> dict[str, PythonDefinition]:
    if isinstance(node, Function | ast.ClassDef):
        return {node.name: PythonDefinition(type(node).__name__, node, node)}
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return {target.id: PythonDefinition("value", target, node) for target in targets if isinstance(target, ast.Name)}


def _attributes(node: ast.ClassDef) -> list[dict[str, PythonDefinition]]:
    """The attributes assigned on `self` anywhere in the class, in reverse order, so that the first assignment wins."""
    stored = [
        inner
        for inner in ast.walk(node)
        if isinstance(inner, ast.Attribute)
        and isinstance(inner.ctx, ast.Store)
        and isinstance(inner.value, ast.Name)
        and inner.value.id == "self"
    ]
    stored.sort(key=lambda one: (one.lineno, one.col_offset), reverse=True)
    return [{target.attr: PythonDefinition("attribute", target, target)} for target in stored]
