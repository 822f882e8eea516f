"""Rust: the modules that a file declares, and the paths by which it uses others."""

import re
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from healing.graph.facts import Facts, Import
from healing.graph.grammars import captures, text
from healing.graph.language import Tree
from healing.graph.rust.modules import Crates, Mod

if TYPE_CHECKING:
    from tree_sitter import Node

ITEMS = """[
  (function_item name: (_) @name) (struct_item name: (_) @name) (enum_item name: (_) @name) (union_item name: (_) @name)
  (trait_item name: (_) @name) (type_item name: (_) @name) (const_item name: (_) @name) (static_item name: (_) @name)
  (macro_definition name: (_) @name)
]"""
QUERY = f"""
(use_declaration argument: (_) @use)
(extern_crate_declaration name: (identifier) @extern)
(mod_item name: (identifier) body: (declaration_list)) @inline
(mod_item name: (identifier) !body) @declared
(scoped_identifier) @path (scoped_type_identifier) @path
(source_file {ITEMS}) (mod_item body: (declaration_list {ITEMS}))
"""
PATH_ATTRIBUTE = re.compile(r'\bpath\s*=\s*"([^"\n]{1,500})"')
IN_MACROS = re.compile(rb"\bcrate(?:::\w++)++")
MAX_DEPTH = 30  # nested lists of one `use`
MAX_INLINE = 200  # inline modules of a file that are distinguished


@dataclass(frozen=True)
class RustFacts(Facts):
    """The facts of a Rust file. `modules`: the modules that it declares in other files."""

    modules: tuple[Mod, ...] = ()

    @property
    def offer(self) -> Hashable:
        return self.modules


def read_facts(data: bytes, _suffix: str) -> RustFacts:
    """The facts of a Rust file; of a broken one those that can be read. Never raises."""
    captured = captures("rust", QUERY, data)
    inline = [(node.start_byte, node.end_byte, _name(node)) for node in captured.get("inline", ())][:MAX_INLINE]
    paths: dict[str, None] = {}
    for use in captured.get("use", ()):
        inside = _inside(use, inline)
        paths |= dict.fromkeys(normal(path, inside) for path in _expanded(use, (), 0))
    longest = {node.start_byte: node for node in sorted(captured.get("path", ()), key=lambda node: node.end_byte)}
    for node in longest.values():
        paths[normal(tuple(re.sub(r"<.*|\s", "", text(node)).split("::")), _inside(node, inline))] = None
    paths |= dict.fromkeys(text(node) for node in captured.get("extern", ()))
    paths |= dict.fromkeys(path.decode("utf-8", "replace") for path in IN_MACROS.findall(data))
    return RustFacts(
        imports=tuple(Import(0, path) for path in paths if path),
        definitions=frozenset(text(node) for node in captured.get("name", ())),
        modules=tuple(Mod(_name(node), _path_of(node), _inside(node, inline)) for node in captured.get("declared", ())),
    )


def resolver(tree: Tree) -> Crates:
    """The resolver for `tree`."""
    return Crates(tree)


def normal(path: tuple[str, ...], inside: tuple[str, ...]) -> str:
    """A path used `inside` inline modules, as it would be written in the file's own module."""
    if path[:1] == ("self",):
        path = ("self", *inside, *path[1:])
    ups = next((at for at, part in enumerate(path) if part != "super"), len(path))
    if ups and inside:
        left = inside[: max(len(inside) - ups, 0)]
        path = ("self", *left, *path[ups:]) if ups <= len(inside) else (*path[: ups - len(inside)], *path[ups:])
    return "::".join(path)


def _expanded(node: "Node", before: tuple[str, ...], depth: int) -> Iterator[tuple[str, ...]]:
    """Every path in a use tree, without aliases and wildcards."""
    if depth > MAX_DEPTH:
        return
    if node.type in ("use_list", "use_wildcard"):
        for child in node.named_children:
            yield from _expanded(child, before, depth + 1)
    elif node.type == "scoped_use_list":
        path, listed = node.child_by_field_name("path"), node.child_by_field_name("list")
        if listed is not None:
            yield from _expanded(listed, (*before, *_parts(path)), depth + 1)
    elif node.type == "use_as_clause":
        yield (*before, *_parts(node.child_by_field_name("path")))
    elif node.type == "self" and before:
        yield before
    elif "comment" not in node.type:
        yield (*before, *_parts(node))


def _parts(node: "Node | None") -> tuple[str, ...]:
    return tuple(part.strip().removeprefix("r#") for part in text(node).split("::") if part.strip())


def _inside(node: "Node", inline: list[tuple[int, int, str]]) -> tuple[str, ...]:
    return tuple(name for start, end, name in inline if start < node.start_byte and node.end_byte <= end)


def _name(node: "Node") -> str:
    return text(node.child_by_field_name("name")).removeprefix("r#")


def _path_of(node: "Node") -> str:
    """The path in `#[path = "…"]` above a module; empty if there is none."""
    before = node.prev_named_sibling
    while before is not None and before.type in ("attribute_item", "line_comment"):
        match = PATH_ATTRIBUTE.search(text(before)) if before.type == "attribute_item" else None
        if match:
            return match.group(1)
        before = before.prev_named_sibling
    return ""
