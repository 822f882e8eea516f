"""Finds the marks of Rust code, and its tests, which are mostly beside the code they test."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from healing.verify.guard.reading.marks import EXACT, PARTIAL, TRIVIAL, TRUTHY, Assertion, Mark, MarkedTest, MarkKind
from healing.verify.guard.reading.names import CI_VARIABLES
from healing.verify.guard.reading.trees import arguments, field, flat, text, walk, within

if TYPE_CHECKING:
    from tree_sitter import Node

LITERALS = {"integer_literal", "float_literal", "string_literal", "char_literal", "raw_string_literal"}
ALWAYS = (["{", "true", "}"], ["{", "false", "}"])
STATEMENTS = {"expression_statement", "let_declaration", "if_expression", "return_expression"}
TEST = re.compile(r"#\s*\[\s*(?:\w{1,30}\s*::\s*)?(?:test|rstest|quickcheck|proptest|test_case|bench)\b")
ASSERTS = re.compile(r"(?:\w{1,30}::)?(?:debug_)?(?:prop_)?assert\w{0,30}\Z|insta::assert\w{0,30}\Z")
REACHING = re.compile(
    r"(?:std::process::|process::)?Command::new\Z|(?:std::net::)?TcpStream::connect\Z|reqwest::\w{1,40}\Z"
)


def marks(node: "Node", in_tests: bool) -> Iterator[Mark]:
    """The marks of one node; its children have their own."""
    match node.type:
        case "attribute_item" | "inner_attribute_item":
            yield from _attribute(node, "".join(text(node)[:2000].split()))
        case "call_expression":
            yield from _call(node, field(node, "function"), in_tests)
        case "macro_invocation" if re.fullmatch(r"cfg!\(.{0,40}test.{0,40}\)", "".join(text(node)[:200].split())):
            yield MarkKind.DETECTION, "cfg!(test)"
        case "macro_invocation" if field(node, "macro") in ("option_env", "env") and _ci(text(node)):
            yield MarkKind.DETECTION, "env!"
        case "let_declaration" if field(node, "pattern") == "_" and "(" in field(node, "value"):
            yield MarkKind.QUIET, "let _ ="
        case "match_arm" if re.match(r"(?:Err|None)\b", field(node, "pattern")):
            if re.fullmatch(r"\{\s*\}|\(\s*\)", field(node, "value")):
                yield MarkKind.SWALLOW, "Err(_) => {}"
        case "function_item" if field(node, "name") in ("eq", "ne") and field(node, "body").split() in ALWAYS:
            yield MarkKind.EQUALITY, field(node, "name")
        case "unsafe_block":
            yield MarkKind.REACH, "unsafe"


def _attribute(node: "Node", words: str) -> Iterator[Mark]:
    allowed = re.search(r"\b(?:allow|expect)\(([^()]{0,1000})\)", words)
    if allowed:
        yield from ((MarkKind.SILENCER, f"allow {rule}") for rule in allowed[1].split(",") if rule)
    if "rustfmt::skip" in words or "rustfmt_skip" in words:
        yield MarkKind.SILENCER, "rustfmt::skip"
    if re.search(r"[\[(,]ignore\b", words):
        yield MarkKind.SKIP, "ignore"
    elif re.search(r"\bshould_panic\b", words):
        yield MarkKind.SKIP, "should_panic"
    elif re.search(r"\bcfg(?:_attr)?\(not\((?:test|miri)\)|\bcfg\((?:any\(\)|FALSE|false)", words):
        yield (MarkKind.DETECTION if "not(test)" in words else MarkKind.SKIP), "cfg"
    elif re.search(r"\bcfg\((?!test\))", words) and _is_before_a_test(node):
        yield MarkKind.SKIP, "cfg"
    elif "cfg(test)" in words and node.next_named_sibling is not None and node.next_named_sibling.type in STATEMENTS:
        yield MarkKind.DETECTION, "cfg(test)"


def _is_before_a_test(node: "Node") -> bool:
    following = node.next_named_sibling
    for _ in range(10):
        if following is None or following.type != "attribute_item":
            break
        if TEST.match(text(following)):
            return True
        following = following.next_named_sibling
    return following is not None and (following.type == "mod_item" or _is_test(following))


def _ci(words: str) -> bool:
    return any(CI_VARIABLES.match(word) for word in re.findall(r'"(\w{1,60})"', words[:300]))


def _call(node: "Node", name: str, in_tests: bool) -> Iterator[Mark]:
    args = [text(argument) for argument in arguments(node)]
    last = re.split(r"::|\.", name)[-1]
    if re.search(r"(?:process::exit|process::abort)\Z", name) and args in ([], ["0"]):
        yield MarkKind.EXIT, last
    elif last in ("catch_unwind", "set_hook"):
        yield MarkKind.SWALLOW, last
    elif last == "unwrap_or_default" and "." in name:
        yield MarkKind.QUIET, last
    elif last == "ok" and not args and node.parent is not None and node.parent.type == "expression_statement":
        yield MarkKind.QUIET, ".ok()"
    elif last in ("var", "var_os") and "env" in name and _ci(text(node)):
        yield MarkKind.DETECTION, "env"
    elif last in ("set_var", "remove_var") and "env" in name:
        yield MarkKind.PATCH, name
    elif last == "sleep" and ("thread" in name or "time" in name or name == "sleep"):
        yield MarkKind.SLEEP, last
    elif REACHING.fullmatch(name) and not in_tests:
        yield MarkKind.REACH, name


def tests(root: "Node", in_tests: bool) -> Iterator[MarkedTest]:
    """Every function with a test attribute, in any module; `test_case` attributes are its cases."""
    for node in walk(root):
        if _is_test(node):
            modules = [field(n, "name") for n in within(node, "mod_item")]
            name = "::".join([*reversed(modules), field(node, "name")])
            cases = tuple(flat(n) for n in _attributes(node) if re.search(r"\b(?:test_case|case|values)\b", text(n)))
            yield MarkedTest(name, flat(node.child_by_field_name("body")), tuple(_asserted(node)), cases)


def _attributes(node: "Node") -> Iterator["Node"]:
    before = node.prev_named_sibling
    while before is not None and (before.type == "attribute_item" or "comment" in before.type):
        yield before
        before = before.prev_named_sibling


def _is_test(node: "Node") -> bool:
    return node.type == "function_item" and any(TEST.match(text(n)) for n in _attributes(node))


def _asserted(node: "Node") -> Iterator[Assertion]:
    """Assertions of a test; those after a `return` in its own body are never reached."""
    body = node.child_by_field_name("body")
    for part in walk(node):
        if part.type == "return_expression" and part.parent is not None and part.parent.parent == body:
            return
        asserted = assertion(part)
        if asserted:
            yield asserted


def assertion(node: "Node") -> Assertion | None:
    """The assertion of an `assert…!`, derived from its words: a macro's arguments have no syntax tree."""
    if node.type != "macro_invocation" or not ASSERTS.fullmatch(field(node, "macro")):
        return None
    name = field(node, "macro").rpartition("::")[2]
    words = flat(node)
    literals = frozenset(flat(n) for n in walk(node) if n.type in LITERALS)
    strength = TRUTHY if name.startswith("debug_") else _strength(name, words)
    return Assertion(words, _sense(name, words), strength, literals)


def _sense(name: str, words: str) -> str:
    if name == "assert_eq" or (name == "assert" and " == " in words):
        return "equal"
    return name + "".join(re.findall(r" (?:!=|<=|>=|<|>|&&|\|\|) ", words[:2000]))


def _strength(name: str, words: str) -> int:
    inner = words[words.find("(") + 1 : words.rfind(")")].strip()
    same = re.fullmatch(r"(.{1,300}?) (?:== )?\1", inner)
    if same or inner in ("true", "! false") or "|| true" in inner or "true ||" in inner:
        return TRIVIAL
    if " || " in inner:
        return TRUTHY
    if name.endswith("assert_eq") or " == " in inner:
        return EXACT
    half = name.endswith(("_ne", "_matches")) or re.search(r"!=|<|>|matches|contains", inner)
    return PARTIAL if half else TRUTHY if name.endswith("assert") else EXACT


def loose(root: "Node", in_tests: bool) -> Iterator[Assertion]:
    """The assertions of test helpers, only in test files: elsewhere `assert!` guards the code itself."""
    for node in walk(root) if in_tests else ():
        if assertion(node) and not any(_is_test(n) for n in within(node, "function_item")):
            asserted = assertion(node)
            if asserted:
                yield asserted
