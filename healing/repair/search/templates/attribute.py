"""An attribute of `self` that no class of the file has, with one near name that it may have been."""

import ast
from collections.abc import Iterator

from healing.graph.names import attributes_of, near
from healing.repair.search.source import Change, Source


def attribute(source: Source, lines: frozenset[int]) -> Iterator[Change]:
    """Where the error tells it plainly a fixer has fixed it; here it is what a `getattr` or a fallback hid."""
    classes = [node for node in ast.walk(source.tree) if isinstance(node, ast.ClassDef)]
    known = frozenset[str]().union(*(attributes_of(node) for node in classes))
    for node in source.nodes(lines, ast.Attribute):
        own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
        meant = near(node.attr, known) if own and node.attr not in known else None
        if meant:
            text = f"{source.text(node.value)}.{meant}"
            yield source.replaced(node, text, f"`{meant}` for `{node.attr}`")
