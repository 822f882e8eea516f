"""The classes of the variables in a Java or Kotlin file, as far as the file itself declares them."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from healing.graph.grammars import text

if TYPE_CHECKING:
    from tree_sitter import Node

CLASS = re.compile(r"\s*(?:[\w`]+\s*\.\s*){0,20}`?(\w{1,200})")
KOTLIN_TYPES = ("user_type", "nullable_type")
KOTLIN_NAMED = ("parameter", "class_parameter", "variable_declaration")
TYPED = ("formal_parameter", "enhanced_for_statement", "resource", "catch_formal_parameter")


def variables(root: "Node", most: int) -> Iterator[tuple[int, str, str]]:
    """(line, name, class) of each variable, parameter and field among the first `most` nodes."""
    waiting = [root]
    for _ in range(most):
        if not waiting:
            return
        node = waiting.pop()
        yield from _declared(node)
        waiting += reversed(node.children)


def class_of(kind: str) -> str:
    """The class in a type: `Basket` of `shop.Basket<Item>?`; empty for `var` and anything that isn't a class."""
    match = CLASS.match(kind)
    return match[1] if match and match[1][:1].isupper() else ""


def plain(node: "Node | None") -> str:
    """The source of a name, without the backticks that Kotlin allows."""
    return text(node).strip("`")


def _declared(node: "Node") -> Iterator[tuple[int, str, str]]:
    row = node.start_point[0] + 1
    if node.type in ("field_declaration", "local_variable_declaration"):
        kind = class_of(text(node.child_by_field_name("type")))
        for declarator in node.children_by_field_name("declarator"):
            value = declarator.child_by_field_name("value")
            created = value is not None and value.type == "object_creation_expression"
            own = class_of(text(value.child_by_field_name("type"))) if created and value is not None else ""
            if class_name := own or kind:
                yield row, plain(declarator.child_by_field_name("name")), class_name
    elif node.type in TYPED:
        if class_name := class_of(text(node.child_by_field_name("type"))):
            yield row, plain(node.child_by_field_name("name")), class_name
    elif node.type == "property_declaration":
        yield from _of_property(node, row)
    elif node.type in KOTLIN_NAMED:
        name = next((child for child in node.named_children if child.type == "identifier"), None)
        kind = next((class_of(text(child)) for child in node.named_children if child.type in KOTLIN_TYPES), "")
        if name is not None and kind:
            yield row, plain(name), kind


def _of_property(node: "Node", row: int) -> Iterator[tuple[int, str, str]]:
    """The variable of `val basket = Basket(7)`. Where the type is written, the nested declaration has it instead."""
    named = next((child for child in node.named_children if child.type == "variable_declaration"), None)
    value = next((child for child in node.named_children if child.type == "call_expression"), None)
    called = next(iter(value.named_children), None) if value is not None else None
    if named is not None and called is not None and (kind := class_of(text(called))):
        yield row, plain(next(iter(named.named_children), None)), kind
