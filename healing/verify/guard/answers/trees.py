"""Finds results that JavaScript, TypeScript, Go or Rust code holds instead of computing them."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from healing.verify.guard.paths import is_test_file
from healing.verify.guard.reading import parsed
from healing.verify.guard.reading.text import language_of
from healing.verify.guard.reading.trees import field, flat, parse, walk

if TYPE_CHECKING:
    from tree_sitter import Node

LITERALS = {
    "number",
    "string",
    "template_string",
    "int_literal",
    "float_literal",
    "interpreted_string_literal",
    "raw_string_literal",
    "integer_literal",
    "string_literal",
    "rune_literal",
    "char_literal",
}
BRANCHES = {"if_statement", "if_expression", "ternary_expression"}
CASES = {"switch_case", "expression_case", "match_arm"}
FUNCTIONS = {
    "function_declaration",
    "method_definition",
    "method_declaration",
    "function_item",
    "variable_declarator",
    "function_expression",
}
RETURNS = {"return_statement", "return_expression"}
NAMES = {"identifier", "property_identifier", "field_identifier", "type_identifier"}
# Names that may wrap a value without computing anything.
WRAPPERS = {
    "String",
    "from",
    "to_string",
    "to_owned",
    "into",
    "Ok",
    "Some",
    "nil",
    "vec",
    "format",
    "Promise",
    "resolve",
}
LIMIT = 3_000  # bytes of an expression; longer ones are skipped


def canned(language: str, old: bytes, new: bytes, sources: Iterable[tuple[str, bytes]]) -> set[str]:
    """Values of the tests that the code now returns, where it computed before or had no special case."""
    before, after = parse(language, old), parse(language, new)
    expected = {literal for path, data in sources for literal in _expected(path, data)}
    if before is None or after is None or not expected:
        return set()
    return _hard_coded(before, after, expected) | set(_answers(after, expected) - _answers(before, expected))


def _expected(path: str, data: bytes) -> set[str]:
    """The constants of a test file; of a file with tests beside the code, those of its assertions."""
    language = language_of(path)
    if not is_test_file(path):
        reading = parsed(path, data)
        return {
            x
            for test in (reading.tests if reading else ())
            for a in test.assertions
            for x in a.literals
            if _is_distinctive(x)
        }
    root = parse(language, data) if language and language != "python" else None
    return _literals(root) if root else set()


def _is_distinctive(literal: str) -> bool:
    return (
        literal.strip("\"`' ").lstrip("-") not in ("", "0", "1") and len(literal.strip("\"`' ")) + literal.isdigit() > 1
    )


def _literals(node: "Node") -> set[str]:
    return {word for part in walk(node) if part.type in LITERALS and _is_distinctive(word := flat(part))}


def _known(node: "Node | None", expected: set[str]) -> set[str]:
    """The constants of an expression that holds nothing else, if the test holds all of them."""
    if node is None or node.end_byte - node.start_byte > LIMIT:
        return set()
    names = {flat(part) for part in walk(node) if part.type in NAMES}
    literals = _literals(node)
    return literals if names <= WRAPPERS and literals <= expected else set()


def _answers(root: "Node", expected: set[str]) -> Counter[str]:
    """Expected values that are returned for one of the test's own arguments, or where something failed."""
    answers: Counter[str] = Counter()
    for node in walk(root):
        if node.type in BRANCHES and _asks(node.child_by_field_name("condition"), expected):
            answers.update(_returned_here(node.child_by_field_name("consequence"), expected))
        elif node.type in CASES and _asks(node.child_by_field_name("value"), expected) and node.type != "match_arm":
            answers.update(_returned_here(node, expected))
        elif node.type == "match_arm" and _asks(node.child_by_field_name("pattern"), expected):
            answers.update(_returned_here(node.child_by_field_name("value"), expected))
        elif node.type == "catch_clause":
            answers.update(_returned_here(node.child_by_field_name("body"), expected))
    return answers


def _asks(node: "Node | None", expected: set[str]) -> bool:
    small = node is not None and node.end_byte - node.start_byte <= LIMIT
    return small and node is not None and bool(_literals(node) & expected)


def _returned_here(node: "Node | None", expected: set[str]) -> set[str]:
    """What a branch returns, if that is only a value."""
    if node is None or node.end_byte - node.start_byte > LIMIT:
        return set()
    returned = [value for part in walk(node) if part.type in RETURNS for value in part.named_children]
    tail = _tail(node)
    return {x for value in (*returned, *([tail] if tail else [])) for x in _known(value, expected)}


def _tail(node: "Node") -> "Node | None":
    """The expression that is the value of a Rust block, or of a branch of `?:`."""
    if node.type in LITERALS or node.type in ("call_expression", "array", "object"):
        return node
    last = node.named_children[-1] if node.type == "block" and node.named_children else None
    return None if last is None or last.type.endswith(("statement", "declaration", "statement_list")) else last


def _functions(root: "Node") -> Iterator[tuple[str, "Node"]]:
    return ((field(n, "name"), n) for n in walk(root) if n.type in FUNCTIONS and field(n, "name"))


def _returned(function: "Node") -> list["Node"]:
    body = function.child_by_field_name("body") or function.child_by_field_name("value") or function
    values = [value for part in walk(body) if part.type in RETURNS for value in part.named_children]
    tail = _tail(body)
    if body.type == "arrow_function":
        inner = body.child_by_field_name("body")
        tail = inner if inner is not None and inner.type != "statement_block" else None
    return [*values, *([tail] if tail else [])]


def _hard_coded(before: "Node", after: "Node", expected: set[str]) -> set[str]:
    """The values returned by functions that computed before and now only return expected values."""
    computed = {name for name, f in _functions(before) if any(not _plain(value) for value in _returned(f))}
    hard_coded: set[str] = set()
    for name, function in _functions(after):
        values = _returned(function) if name in computed else []
        if values and all(map(_plain, values)):
            hard_coded |= {literal for value in values for literal in _known(value, expected)}
    return hard_coded


def _plain(node: "Node") -> bool:
    """Whether an expression is only a value."""
    return node.end_byte - node.start_byte <= LIMIT and {flat(n) for n in walk(node) if n.type in NAMES} <= WRAPPERS
