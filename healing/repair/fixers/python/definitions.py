"""What a file defines: functions, classes and values at its top level; of its classes methods, fields, attributes."""

import ast
from dataclasses import dataclass

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class PythonDefinition:
    """`place` says the name, `whole` is all of it. `kind` tells functions, classes, values and attributes apart."""

    kind: str
    place: ast.AST
    whole: ast.AST


Definitions = dict[tuple[str, str], PythonDefinition]  # (class or empty, name)


def definitions_of(tree: ast.Module) -> Definitions:
    """At the top level and one level into classes."""
    found: Definitions = {}
    for node in tree.body:
        found |= {("", name): one for name, one in _of_statement(node).items()}
        if isinstance(node, ast.ClassDef):
            for inner in (*_attributes(node), *(_of_statement(statement) for statement in node.body)):
                found |= {(node.name, name): one for name, one in inner.items()}
    return found


def _of_statement(node: ast.stmt) -> dict[str, PythonDefinition]:
    if isinstance(node, Function | ast.ClassDef):
        return {node.name: PythonDefinition(type(node).__name__, node, node)}
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return {target.id: PythonDefinition("value", target, node) for target in targets if isinstance(target, ast.Name)}


def _attributes(node: ast.ClassDef) -> list[dict[str, PythonDefinition]]:
    """What is first assigned on `self` in each method."""
    stored = [
        inner
        for inner in ast.walk(node)
        if isinstance(inner, ast.Attribute)
        and isinstance(inner.ctx, ast.Store)
        and isinstance(inner.value, ast.Name)
        and inner.value.id == "self"
    ]
    stored.sort(key=lambda one: (one.lineno, one.col_offset), reverse=True)
    return [{one.attr: PythonDefinition("attribute", one, one)} for one in stored]
