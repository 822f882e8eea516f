"""Rust tests with other values: copies of the failing functions beside the originals, with assertions that print what
they compare and continue."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from healing.verify.guard.reading.text import RUST
from healing.verify.guard.reading.trees import field, parse, text, walk
from healing.verify.variants.changing import Variant
from healing.verify.variants.literals import changed, literal_changes

if TYPE_CHECKING:
    from tree_sitter import Node

TEXTS = ("string_content",)
NUMBERS = ("integer_literal", "float_literal")
MARK = "_varied_"
NUMBER = re.compile(rf"(?P<name>\S{{1,400}}?){MARK}(?P<number>\d{{1,4}})\Z")
SAYS = "gives "
ENDED = "varied to its end"
# Both are still compared: their types may be inferred from that alone.
PAIR = (
    "macro_rules! {name} {{ ($a:expr, $b:expr $(, $($more:tt)*)?) => {{ match (&$a, &$b) {{ (a, b) => {{ "
    'let _ = *a == *b; println!("gives {{:?}}, {{:?}}", a, b); }} }} }} }}\n'
)
ALONE = 'macro_rules! assert { ($a:expr $(, $($more:tt)*)?) => { println!("gives {:?}", $a) } }\n'
TELLING = f"{PAIR.format(name='assert_eq')}{PAIR.format(name='assert_ne')}{ALONE}"
ALLOWED = "#[allow(warnings, overflowing_literals, arithmetic_overflow, unconditional_panic)]"
TAIL = f')();\npanic!("{ENDED}");\n}}\n'


class RustTest(NamedTuple):
    """A test of a file: its name with its modules, and its node."""

    name: str
    node: "Node"


def rust_copies(
    source: bytes, failing: frozenset[str], left_out: frozenset[str] = frozenset()
) -> tuple[dict[str, str], tuple[Variant, ...]]:
    """Copies of the failing tests as text, by the module that they belong in, and the variants; the first variant is
    the tests unchanged. `failing` are names within their file, `left_out` the descriptions of changes that are not
    tried. Raises ValueError if the file can't be parsed."""
    root = parse(RUST, source)
    if root is None:
        raise ValueError("it does not parse")
    tests = [test for test in _tests(root, "", 0) if test.name in failing]
    variants = [Variant("", b"", frozenset(test.name for test in tests))]
    copies = dict[str, str]()
    for words, kinds, change in literal_changes(TEXTS, NUMBERS, left_out):
        names = set[str]()
        for test in tests:
            body = test.node.child_by_field_name("body")
            nodes = [node for node in walk(body) if node.type in kinds and "{" not in text(node)] if body else []
            if body and any(change(text(node)) != text(node) for node in nodes):
                names.add(test.name)
                module, _, name = test.name.rpartition("::")
                changes = {node.start_byte: change for node in nodes}
                inner = changed(source, nodes, changes, body.start_byte, body.end_byte).decode("utf-8", "replace")
                returned = field(test.node, "return_type")
                head = f"#[test] {ALLOWED} fn {name}{MARK}{len(variants)}() {{\n{TELLING}let _ = (|| "
                head += f"-> {returned} " if returned else ""
                copies[module] = f"{copies.get(module, '')}\n{head}{inner}{TAIL}"
        if names:
            variants.append(Variant(words, b"", frozenset(names), compared=True))
    return copies, tuple(variants)


def with_copies(source: bytes, copies: dict[str, str]) -> bytes | None:
    """The file with the copies at the end of their modules; None if one of these doesn't exist or the file can't be
    parsed."""
    root = parse(RUST, source)
    if root is None:
        return None
    ends = {"": root.end_byte, **{name: node.end_byte - 1 for name, node in _modules(root, "", 0)}}
    if not copies.keys() <= ends.keys():
        return None
    result = source
    for module in sorted(copies, key=lambda name: -ends[name]):
        result = result[: ends[module]] + copies[module].encode() + result[ends[module] :]
    return result


def rust_place(test: str) -> tuple[int, str]:
    """The number of the variant that a test belongs to, and its name in the original file."""
    match = NUMBER.match(test)
    return (int(match["number"]), match["name"]) if match else (0, test)


def rust_reported(excerpt: str) -> str:
    """What a copy compared; `panic:` first if the code panicked."""
    lines = [line for line in excerpt.splitlines() if line.startswith(SAYS)]
    return "\n".join([*([] if ENDED in excerpt else ["panic:"]), *lines])


def _tests(node: "Node", within: str, depth: int) -> Iterator[RustTest]:
    attributes = ""
    for child in node.children:
        if child.type == "attribute_item":
            attributes += text(child)
            continue
        if child.type == "function_item" and "#[test]" in attributes and "should_panic" not in attributes:
            if not any(part.type == "async" for part in _modifiers(child)):
                yield RustTest(f"{within}{field(child, 'name')}", child)
        elif child.type == "mod_item" and (body := child.child_by_field_name("body")) and depth < 10:
            yield from _tests(body, f"{within}{field(child, 'name')}::", depth + 1)
        attributes = attributes if "comment" in child.type else ""


def _modifiers(function: "Node") -> Iterator["Node"]:
    """The modifiers before `fn`."""
    return (part for child in function.children if child.type == "function_modifiers" for part in child.children)


def _modules(node: "Node", within: str, depth: int) -> Iterator[tuple[str, "Node"]]:
    for child in node.children:
        if child.type == "mod_item" and (body := child.child_by_field_name("body")) and depth < 10:
            name = f"{within}{field(child, 'name')}"
            yield name, body
            yield from _modules(body, f"{name}::", depth + 1)
