"""An attribute of `self` that no class of the file has, with one similar name that it may have been."""

import ast
from collections.abc import Iterator

from healing.graph.names import attributes_of, closest_name
from healing.repair.search.source import Change, Source


def attribute(source: Source, lines: frozenset[int]) -> Iterator[Change]:
    """Replaces it with that name. Where the error names the attribute, a fixer handles it; here a `getattr` or a
    fallback hid it."""
    classes = [node for node in ast.walk(source.tree) if isinstance(node, ast.ClassDef)]
    known = frozenset[str]().union(*(attributes_of(node) for node in classes))
    for node in source.nodes(lines, ast.Attribute):
        own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
        meant = closest_name(node.attr, known) if own and node.attr not in known else None
        if meant:
            text = f"{source.text(node.value)}.{meant}"
            yield source.replaced(node, text, f"`{meant}` for `{node.attr}`")
