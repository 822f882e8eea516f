"""Rule: flags a fix that adds values from the failing test, for a person to judge whether it computes or hard-codes
them.

This includes values computed from others, and those in a table, a new file or the product's data. A value that replaces
another in otherwise unchanged code is not flagged: it repairs a slip. Returning the values outright is refused
(canned).
"""

import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from healing.verify.guard.answers.folding import constants, shape
from healing.verify.guard.canned import tests_of
from healing.verify.guard.patch import File, GuardFinding, WholeChange
from healing.verify.guard.paths import is_test_data, is_test_file
from healing.verify.guard.reading.text import BIG, PYTHON, is_prose, language_of, plain
from healing.verify.guard.window import window

if TYPE_CHECKING:
    from tree_sitter import Node

RULE = "literals"
MAX_LENGTH = 200  # characters of a text whose numbers are read
COMMON = {"0", "1", "2", "10", "100", "1000", "utf-8", "__main__"}
TOKEN = re.compile(
    r"[\"'`]([^\"'`\n]{2,200})[\"'`]|(?<![\w.])(\d[\d_]{0,20}(?:\.\d{1,20})?)(?![\w.])|(?<![\w'\"])([A-Za-z]{3,40})"
)
NUMBERS = {"number", "integer_literal", "float_literal", "int_literal"}
TEXTS = re.compile(r"string|template_string|char_literal|rune_literal")
ASKING = {"==", "===", "!=", "!==", "<", "<=", ">", ">="}
CASES = {
    "switch_case",
    "expression_case",
    "match_arm",
    "match_pattern",
    "pair",
    "keyed_element",
    "subscript_expression",
}
LONG_NUMBER = re.compile(r"\d{3,}|\d+\.\d+")
DIGITS = re.compile(r"\d{1,20}")
SUMS = {"+": int.__add__, "-": int.__sub__, "*": int.__mul__}


def findings(patch: WholeChange) -> Iterator[GuardFinding]:
    """A flag for each file that adds values of the failing tests."""
    sources = [(path, data) for path in sorted(tests_of(patch)) if (data := patch.read(path)) and len(data) <= BIG]
    expected = {value for path, data in sources for value in _values(path, data)} - COMMON
    for file in patch.files:
        if file.new is None or is_test_file(file.path) or is_test_data(file.path) or is_prose(file.path):
            continue
        if added := _added(file, expected):
            value = "a value" if len(added) == 1 else "values"
            shown = ", ".join(sorted(added))[:80]
            why = (
                f"this fix writes {value} that the failing test expects ({shown}), so it may just hard-code the result"
            )
            yield GuardFinding(RULE, file.path, why, True)


def _added(file: File, asked: set[str]) -> set[str]:
    old, new = window(file.old or b"", file.new or b"")
    try:
        before, after = _read(file.path, old), _read(file.path, new)
    except (RecursionError, ValueError):
        return set()
    if before is None or after is None or before.shape == after.shape:
        return set()
    all_new = {value for value in after.values - before.values if value in asked}
    compared = {value for value in after.asking - before.asking if value in asked}
    distinctive = any(LONG_NUMBER.fullmatch(value) for value in all_new)
    return all_new if compared or distinctive or len(all_new) > 1 else set()


class Values:
    """The constants of a file: all of them, and those that something is compared with or looked up by."""

    def __init__(self, shape_: str) -> None:
        self.shape = shape_
        self.values: Counter[str] = Counter()
        self.asking: Counter[str] = Counter()

    def add(self, value: str, asks: bool) -> None:
        """Counts a constant, and the numbers in a text too: keys may be composed of them."""
        inner = DIGITS.findall(value) if len(value) < MAX_LENGTH and not value.isdigit() else ()
        for part in (value, *inner):
            self.values[part] += 1
            if asks:
                self.asking[part] += 1


def _values(path: str, data: bytes) -> set[str]:
    try:
        values = _read(path, data)
    except (RecursionError, ValueError):
        values = None
    return set(values.values) if values else set()


def _read(path: str, data: bytes) -> Values | None:
    language = language_of(path)
    if len(data) > 3 * BIG:
        return None
    if language == PYTHON:
        pairs = constants(data)
        if pairs is None:
            return None
        values = Values(shape(data))
        for value, asks in pairs:
            values.add(value, asks)
        return values
    return _by_tree(language, data) if language else _by_words(plain(data))


def _by_words(text: str) -> Values:
    """The numbers and texts of data files and of languages without a parser here."""
    constants = [quoted or number or word for quoted, number, word in TOKEN.findall(text)]
    values = Values(str(len(constants)))
    for value in constants:
        values.add(value, False)
    return values


def _by_tree(language: str, data: bytes) -> Values | None:
    from healing.verify.guard.reading.trees import field, parse, text, walk

    root = parse(language, data)
    if root is None:
        return None
    kinds = []
    values = Values("")
    for node in walk(root):
        kinds.append(node.type if node.child_count else "")
        value = None
        if node.type in NUMBERS:
            value = text(node).replace("_", "")
        elif TEXTS.search(node.type) and node.named_child_count <= 1:
            value = text(node).strip("\"'`")
        elif node.type == "binary_expression" and field(node, "operator") in SUMS:
            value = _sum(field(node, "left"), field(node, "operator"), field(node, "right"))
        if value and (len(value) > 1 or value.isdigit()):
            values.add(value, _asks(node))
    values.shape = " ".join(kinds)
    return values


def _sum(left: str, sign: str, right: str) -> str | None:
    return str(SUMS[sign](int(left), int(right))) if left.isdigit() and right.isdigit() else None


def _asks(node: "Node") -> bool:
    """Whether something is compared with a value, or looked up by it."""
    from healing.verify.guard.reading.trees import field

    ancestor = node.parent
    for _ in range(4):
        if ancestor is None:
            return False
        if ancestor.type in CASES:
            return True
        if ancestor.type == "binary_expression" and field(ancestor, "operator") in ASKING:
            return True
        ancestor = ancestor.parent
    return False
