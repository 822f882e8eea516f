"""Of which classes the variables of a Java or Kotlin file are, as far as it says so itself."""

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
    """(line, name, class) of each variable, parameter and field; of `most` nodes."""
    waiting = [root]
    for _ in range(most):
        if not waiting:
            return
        node = waiting.pop()
        yield from _declared(node)
        waiting += reversed(node.children)


def class_of(kind: str) -> str:
    """`Basket` of `shop.Basket<Item>?`; empty of `var` and of what is no class."""
    found = CLASS.match(kind)
    return found[1] if found and found[1][:1].isupper() else ""


def plain(node: "Node | None") -> str:
    """The source of a name, without the quotes that Kotlin allows."""
    return text(node).strip("`")


def _declared(node: "Node") -> Iterator[tuple[int, str, str]]:
    row = node.start_point[0] + 1
    if node.type in ("field_declaration", "local_variable_declaration"):
        kind = class_of(text(node.child_by_field_name("type")))
        for one in node.children_by_field_name("declarator"):
            value = one.child_by_field_name("value")
            made = value is not None and value.type == "object_creation_expression"
            own = class_of(text(value.child_by_field_name("type"))) if made and value is not None else ""
            if found := own or kind:
                yield row, plain(one.child_by_field_name("name")), found
    elif node.type in TYPED:
        if found := class_of(text(node.child_by_field_name("type"))):
            yield row, plain(node.child_by_field_name("name")), found
    elif node.type == "property_declaration":
        yield from _of_property(node, row)
    elif node.type in KOTLIN_NAMED:
        name = next((one for one in node.named_children if one.type == "identifier"), None)
        kind = next((class_of(text(one)) for one in node.named_children if one.type in KOTLIN_TYPES), "")
        if name is not None and kind:
            yield row, plain(name), kind


def _of_property(node: "Node", row: int) -> Iterator[tuple[int, str, str]]:
    """`val basket = Basket(7)`; where the type is written, the declaration inside tells it."""
    named = next((one for one in node.named_children if one.type == "variable_declaration"), None)
    value = next((one for one in node.named_children if one.type == "call_expression"), None)
    called = next(iter(value.named_children), None) if value is not None else None
    if named is not None and called is not None and (kind := class_of(text(called))):
        yield row, plain(next(iter(named.named_children), None)), kind
