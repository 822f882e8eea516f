"""JavaScript and TypeScript test files with other values: all texts and numbers but names, titles and modules."""

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

# What these are called with is no value of the product's: modules, titles, what belongs to the runner.
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
    """The file as it stands and with other values. Raises ValueError where it can't be read."""
    root = parse(language_of(path) or "", source)
    if root is None:
        raise ValueError("it does not parse")
    found = [node for node in walk(root) if node.type in (TEXT, NUMBER) and not _is_no_value(node)]
    titles = [node for node in walk(root) if node.type == TEXT and _is_title(node)]
    number, first = 0, {node.start_byte: partial(_marked, 0) for node in titles}
    yield Variant("", changed(source, titles, first), failing)
    for words, kinds, change in ways((TEXT,), (NUMBER,)):
        nodes = [node for node in found if node.type in kinds]
        if any(change(text(node)) != text(node) for node in nodes):
            number += 1
            changes = {node.start_byte: change for node in nodes}
            changes |= {node.start_byte: partial(_marked, number) for node in titles}
            yield Variant(words, changed(source, [*nodes, *titles], changes), failing, compared=True)


def ways(
    texts: tuple[str, ...], numbers: tuple[str, ...], left_out: frozenset[str] = frozenset()
) -> Iterator[tuple[str, tuple[str, ...], Callable[[str], str]]]:
    """Each way to change literals, but those `left_out`: its words, the kinds of nodes that it is about, and what it
    makes of their source."""
    yield from ((one.words, texts, one.change) for one in TEXTS if one.words not in left_out)
    yield from ((one.words, numbers, partial(number_with, one.change)) for one in NUMBERS if one.words not in left_out)


def as_one(path: str, made: Iterable[Variant]) -> bytes:
    """All variants as one file, each in a block of its own: a runner starts a process for each file. Raises ValueError
    where one can't be read."""
    first, blocks = list[bytes](), list[bytes]()
    for one in made:
        root = parse(language_of(path) or "", one.source)
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
    """A part of the source with these nodes, none of which holds another, changed by what begins at their first
    byte."""
    made = bytearray()
    for node in sorted(nodes, key=lambda node: node.start_byte):
        made += source[start : node.start_byte] + changes[node.start_byte](text(node)).encode()
        start = node.end_byte
    return bytes(made + source[start:end])


def _marked(number: int, title: str) -> str:
    return f"{title}{MARK}{number}"


def number_of(title: str) -> tuple[int, str]:
    """Which variant, from 0 on, a test of such a title is of, and its title in the file as it stands; -1 of none."""
    name, mark, number = title.rpartition(MARK)
    return (int(number), name) if mark and number.isdecimal() else (-1, title)


def number_with(change: Callable[[Number], Number | None], literal: str) -> str:
    """A number's source changed; as it is where it is no plain number."""
    found = WHOLE.match(literal)
    if not found:
        return literal
    new = change(float(found[1]) if "." in found[1] else int(found[1]))
    return literal if new is None else f"{new}{found[2] or ''}"


def _is_title(node: "Node") -> bool:
    call = next(within(node, "call_expression", *FUNCTIONS), None)
    called = call.child_by_field_name("function") if call else None
    return called is not None and bool(TITLED.match(text(called)))


def _is_no_value(node: "Node") -> bool:
    """Whether a literal names a module, a test or something of the runner's."""
    for above in within(node, *HOLDERS):
        if above.type in FUNCTIONS:
            return False
        called = above.child_by_field_name("function")
        if called is None:
            return True
        if called.type == "call_expression" and node.start_byte > called.end_byte:  # the title after `test.each([…])`
            return True
        if NO_VALUES.match(text(called).rpartition(".")[2]):
            return True
    return False
