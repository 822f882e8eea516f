"""Finds the function around a line, in every language of the graph, reading no more than needed."""

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from healing.graph.grammars import parse, text
from healing.graph.language import suffix_of
from healing.graph.python.syntax import Outline
from healing.graph.python.syntax import parse as parse_python
from healing.view import TreeView

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

GRAMMARS = {
    ".ts": "typescript", ".mts": "typescript", ".cts": "typescript", ".tsx": "tsx",
    ".js": "javascript", ".jsx": "javascript", ".mjs": "javascript", ".cjs": "javascript",
    ".go": "go", ".rs": "rust", ".java": "java", ".kt": "kotlin", ".kts": "kotlin",
}  # fmt: skip
NAMED = {
    "function_declaration", "generator_function_declaration", "method_definition", "class_declaration",
    "abstract_class_declaration", "interface_declaration", "enum_declaration", "variable_declarator",
    "public_field_definition", "internal_module", "method_declaration", "function_item", "impl_item", "trait_item",
    "mod_item", "struct_item", "enum_item", "constructor_declaration", "record_declaration", "object_declaration",
    "type_spec", "type_alias_declaration",
}  # fmt: skip
WITH_BODY = {"arrow_function", "function_expression", "object", "class", "call_expression"}
FUNCTIONS = {
    "function_declaration", "generator_function_declaration", "function_expression", "arrow_function",
    "method_definition", "method_declaration", "func_literal", "function_item", "closure_expression",
}  # fmt: skip
PYTHON_FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef
ABOVE = 200  # levels of a tree that are climbed; no hand-written source is deeper


@dataclass
class Outlines:
    """Finds functions and classes around lines. Each file is read once, on first use."""

    view: TreeView
    _python: dict[str, Outline] = field(default_factory=dict, init=False)
    _trees: dict[str, "Tree"] = field(default_factory=dict, init=False)

    def around(self, path: str, line: int) -> str:
        """The dotted name of the innermost function or class around the 1-based `line`; empty at the top level."""
        if path.endswith((".py", ".pyi")):
            if path not in self._python:
                self._python[path] = Outline(self.view.read(path) or b"")
            return self._python[path].around(line)
        grammar = GRAMMARS.get(suffix_of(path))
        if grammar is None or line < 1:
            return ""
        if path not in self._trees:
            self._trees[path] = parse(grammar, self.view.read(path) or b"")
        return _around(self._trees[path].root_node, line - 1)


def _around(root: "Node", row: int) -> str:
    node = root.descendant_for_point_range((row, 0), (row, 10_000))
    names: list[str] = []
    for _ in range(ABOVE):
        if node is None:
            break
        if node.type in NAMED and (name := _name(node)):
            names.append(name)
        node = node.parent
    return ".".join(reversed(names))


def _name(node: "Node") -> str:
    if node.type in ("variable_declarator", "public_field_definition"):
        value = node.child_by_field_name("value")
        if value is None or value.type not in WITH_BODY:
            return ""
    return text(node.child_by_field_name("name") or node.child_by_field_name("type")).partition("<")[0]


def function_rows(path: str, data: bytes, line: int) -> tuple[int, int] | None:
    """The first and the last 0-based row of the innermost function that has the 1-based `line`; None for none."""
    spans: list[tuple[int, int]] = []
    if path.endswith((".py", ".pyi")):
        found = [n for n in ast.walk(parse_python(data) or ast.Module([], [])) if isinstance(n, PYTHON_FUNCTION)]
        spans = [(n.lineno - 1, (n.end_lineno or n.lineno) - 1) for n in found]
    elif grammar := GRAMMARS.get(suffix_of(path)):
        nodes = [parse(grammar, data).root_node]
        while nodes:
            node = nodes.pop()
            spans += [(node.start_point[0], node.end_point[0])] if node.type in FUNCTIONS else []
            nodes += [n for n in node.children if n.start_point[0] < line <= n.end_point[0] + 1]
    around = [(first, last) for first, last in spans if first < line <= last + 1]
    return min(around, key=lambda span: span[1] - span[0], default=None)
