"""JavaScript and TypeScript test files with other values: all texts and numbers except names, titles and modules."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

from healing.verify.guard.reading.text import language_of
from healing.verify.guard.reading.trees import parse, text, walk, within
from healing.verify.variants.changing import Variant
from healing.verify.variants.values import NUMBERS, TEXTS, Number

if TYPE_CHECKING:
    from tree_sitter import Node

# Calls whose arguments are not values of the product: modules, titles, the test runner's own.
NO_VALUES = re.compile(
    r"(?:test|it|describe|suite|context|specify|todo|only|skip|require|import|mock|doMock|spyOn|readFileSync|readFile|join|"
    r"resolve|setTimeout|on|once|addEventListener|RegExp|querySelector\w{0,9}|getBy\w{1,20})\Z"
)
WHOLE = re.compile(r"(\d{1,12}(?:\.\d{1,9})?)(_?[iuf](?:8|16|32|64|128|size))?\Z")
TITLED = re.compile(r"(?:t\.)?(?:test|it|specify)(?:\.(?:only|skip|concurrent))?\Z")
MARK = " variant "
TEXT, NUMBER = "string_fragment", "number"
FUNCTIONS = ("arrow_function", "function_expression", "function_declaration")
HOLDERS = ("import_statement", "call_expression", *FUNCTIONS)


def script_variants(path: str, source: bytes, failing: frozenset[str]) -> Iterator[Variant]:
    """The file unchanged except for marked titles, then with other values. Raises ValueError if it can't be parsed."""
    root = parse(language_of(path) or "", source)
    if root is None:
        raise ValueError("it does not parse")
    literals = [node for node in walk(root) if node.type in (TEXT, NUMBER) and not _is_no_value(node)]
    titles = [node for node in walk(root) if node.type == TEXT and _is_title(node)]
    number, first = 0, {node.start_byte: partial(_marked, 0) for node in titles}
    yield Variant("", changed(source, titles, first), failing)
    for words, kinds, change in literal_changes((TEXT,), (NUMBER,)):
        nodes = [node for node in literals if node.type in kinds]
        if any(change(text(node)) != text(node) for node in nodes):
            number += 1
            changes = {node.start_byte: change for node in nodes}
            changes |= {node.start_byte: partial(_marked, number) for node in titles}
            yield Variant(words, changed(source, [*nodes, *titles], changes), failing, compared=True)


def literal_changes(
    texts: tuple[str, ...], numbers: tuple[str, ...], left_out: frozenset[str] = frozenset()
) -> Iterator[tuple[str, tuple[str, ...], Callable[[str], str]]]:
    """Each way to change literals, except those in `left_out`: its description, the kinds of nodes it applies to, and
    the function that changes their source."""
    yield from ((way.words, texts, way.change) for way in TEXTS if way.words not in left_out)
    yield from ((way.words, numbers, partial(number_with, way.change)) for way in NUMBERS if way.words not in left_out)


def as_one_file(path: str, made: Iterable[Variant]) -> bytes:
    """All variants as one file, each in its own block, since a runner starts a process for each file. Raises ValueError
    if one can't be parsed."""
    first, blocks = list[bytes](), list[bytes]()
    for variant in made:
        root = parse(language_of(path) or "", variant.source)
        if root is None:
            raise ValueError("it does not parse")
        parts: dict[bool, list[bytes]] = {True: [], False: []}
        for node in root.children:
            parts[node.type == "import_statement" or text(node).strip("'\";") == "use strict"].append(node.text or b"")
        first = first or parts[True]
        blocks.append(b"{\n" + b"\n".join(parts[False]) + b"\n}\n")
    return b"\n".join([*first, *blocks])


def changed(
    source: bytes,
    nodes: Iterable["Node"],
    changes: Mapping[int, Callable[[str], str]],
    start: int = 0,
    end: int | None = None,
) -> bytes:
    """A part of the source in which these nodes, none inside another, are changed by the functions at their start
    bytes."""
    result = bytearray()
    for node in sorted(nodes, key=lambda node: node.start_byte):
        result += source[start : node.start_byte] + changes[node.start_byte](text(node)).encode()
        start = node.end_byte
    return bytes(result + source[start:end])


def _marked(number: int, title: str) -> str:
    return f"{title}{MARK}{number}"


def number_of(title: str) -> tuple[int, str]:
    """The number of the variant that a test with this title belongs to, from 0, and its original title; -1 if it has no
    mark."""
    name, mark, number = title.rpartition(MARK)
    return (int(number), name) if mark and number.isdecimal() else (-1, title)


def number_with(change: Callable[[Number], Number | None], literal: str) -> str:
    """A number literal with its value changed; returned as it is if it is not a plain number."""
    match = WHOLE.match(literal)
    if not match:
        return literal
    new = change(float(match[1]) if "." in match[1] else int(match[1]))
    return literal if new is None else f"{new}{match[2] or ''}"


def _is_title(node: "Node") -> bool:
    call = next(within(node, "call_expression", *FUNCTIONS), None)
    function = call.child_by_field_name("function") if call else None
    return function is not None and bool(TITLED.match(text(function)))


def _is_no_value(node: "Node") -> bool:
    """Whether a literal names a module, a test or something of the test runner."""
    for ancestor in within(node, *HOLDERS):
        if ancestor.type in FUNCTIONS:
            return False
        called = ancestor.child_by_field_name("function")
        if called is None:
            return True
        if called.type == "call_expression" and node.start_byte > called.end_byte:  # the title after `test.each([…])`
            return True
        if NO_VALUES.match(text(called).rpartition(".")[2]):
            return True
    return False
