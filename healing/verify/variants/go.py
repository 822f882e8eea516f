"""Go tests with other values: copies of the failing functions, appended to their file."""

import re
from functools import partial
from typing import TYPE_CHECKING

from healing.verify.guard.reading.text import GO
from healing.verify.guard.reading.trees import field, parse, text, walk, within
from healing.verify.variants.changing import Variant
from healing.verify.variants.literals import changed, literal_changes

if TYPE_CHECKING:
    from tree_sitter import Node

TEXTS = ("interpreted_string_literal_content", "raw_string_literal_content")
NUMBERS = ("int_literal", "float_literal")
# Calls whose arguments are not values of the product: messages, names, formats, files.
NO_VALUES = re.compile(
    r"(?:(?:Error|Fatal|Log|Skip|Print|Sprint|Fprint)(?:f|ln)?|Run|Helper|New|Open|ReadFile|WriteFile|Join|Setenv|Getenv|"
    r"MustCompile|Compile|MatchString|Parse|Format|Duration|Sleep|make)\Z"
)
HOLDERS = ("call_expression", "func_literal", "index_expression", "slice_expression", "array_type")
TAKES_T = re.compile(r"\bfunc\b[^{}\n]{0,200}\(([a-z]\w{0,40}) \*testing\.T\)[^{}\n]{0,80}\{")
STOPS = re.compile(r"\.Fatal(f?)\(")
# A panic in one copy must not end the others.
GOES_ON = 'defer func() { if r := recover(); r != nil { %s.Errorf("panic: %%v", r) } }();'
MARK = "_varied_"
NUMBER = re.compile(rf"(?P<name>\w{{1,200}}){MARK}(?P<number>\d{{1,4}})(?:/.{{0,400}})?\Z")


def go_copies(
    source: bytes, failing: frozenset[str], left_out: frozenset[str] = frozenset()
) -> tuple[bytes, tuple[Variant, ...]]:
    """The file with copies of the failing tests, and the variants; the first variant is the tests unchanged. `left_out`
    are the descriptions of changes that are not tried. Raises ValueError if the file can't be parsed."""
    root = parse(GO, source)
    if root is None:
        raise ValueError("it does not parse")
    tests = [node for node in root.children if node.type == "function_declaration" and field(node, "name") in failing]
    variants = [Variant("", b"", frozenset(field(node, "name") for node in tests))]
    copies = list[bytes]()
    for words, kinds, change in literal_changes(TEXTS, NUMBERS, left_out):
        names = set[str]()
        for test in tests:
            nodes = [node for node in walk(test) if node.type in kinds and not _is_no_value(node)]
            name = test.child_by_field_name("name")
            if name and any(change(text(node)) != text(node) for node in nodes):
                names.add(text(name))
                changes = {node.start_byte: change for node in nodes}
                changes[name.start_byte] = partial(_numbered, len(variants))
                copies.append(_continuing(changed(source, [*nodes, name], changes, test.start_byte, test.end_byte)))
        if names:
            variants.append(Variant(words, b"", frozenset(names), compared=True))
    return b"\n".join([source, *copies, b""]), tuple(variants)


def go_place(test: str) -> tuple[int, str]:
    """The number of the variant that a test belongs to, by its name without its package, and its name in the original
    file."""
    match = NUMBER.match(test)
    return (int(match["number"]), match["name"]) if match else (0, test.partition("/")[0])


def _numbered(number: int, name: str) -> str:
    return f"{name}{MARK}{number}"


def _continuing(copy: bytes) -> bytes:
    words = STOPS.sub(r".Error\1(", copy.decode("utf-8", "replace"))
    return TAKES_T.sub(lambda found: found.group() + GOES_ON % found[1], words).encode()


def _is_no_value(node: "Node") -> bool:
    for ancestor in within(node, *HOLDERS):
        if ancestor.type == "func_literal":
            return False
        if ancestor.type == "call_expression":
            if NO_VALUES.match(field(ancestor, "function").rpartition(".")[2]):
                return True
            continue
        inside = ancestor.child_by_field_name("operand") or ancestor.child_by_field_name("element")
        if not inside or not inside.start_byte <= node.start_byte < inside.end_byte:
            return True
    return False
