"""Duplicated code: reports of CPD, dupFinder, Simian and similar tools, with two or more places per finding."""

from collections.abc import Iterator

from healing.logs.documents.node import Node, Value, children, nodes, word
from healing.logs.documents.places import Place, place
from healing.logs.format import Finding
from healing.model import Category, Related, Severity

_GROUPS = ("duplication", "duplicate", "duplicates", "clone", "set")
_PARTS = ("file", "fragment", "block", "firstfile", "secondfile", "source", "firstfileloc", "codeblock")


def read(root: Value, tool: str) -> Iterator[Finding]:
    """One finding for each place of each group of duplicates, with the other places as related."""
    for node in nodes(root):
        yield from _walk(node, tool)


def _walk(node: Node, tool: str) -> Iterator[Finding]:
    for key, child in children(node):
        parts = [(part, place(part)) for name, part in children(child) if word(name) in _PARTS]
        spots = [(part, spot) for part, spot in parts if spot.file and spot.line]
        if word(key) in _GROUPS and child.whole and len(spots) > 1:
            yield from _group(child, spots, tool)
        else:
            yield from _walk(child, tool)


def _group(node: Node, spots: list[tuple[Node, Place]], tool: str) -> Iterator[Finding]:
    size = node.words.get("lines") or node.words.get("linecount")
    for part, spot in spots[:50]:
        others = [other for _, other in spots[:50] if other is not spot]
        words = f"{f'{size} lines' if size else 'code'} repeated: also in {others[0].file}, line {others[0].line}"
        yield Finding(
            tool=tool, category=Category.LINT, message=words, log_line=part.line, file=spot.file, line=spot.line,
            end_line=spot.end_line, code="duplicate-code", severity=Severity.WARNING, excerpt=words,
            related=tuple(Related(file=o.file, line=o.line, message="the same code") for o in others),
        )  # fmt: skip
