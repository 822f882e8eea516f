"""Finds the marks of Go code, and its tests: what fails a test, and under which condition."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from healing.verify.guard.reading.marks import EXACT, PARTIAL, TRIVIAL, TRUTHY, Assertion, Mark, MarkedTest, MarkKind
from healing.verify.guard.reading.names import CI_VARIABLES
from healing.verify.guard.reading.trees import arguments, field, flat, text, walk, within

if TYPE_CHECKING:
    from tree_sitter import Node

LITERALS = {"int_literal", "float_literal", "interpreted_string_literal", "raw_string_literal", "rune_literal"}
FAILS = re.compile(r"[a-z]\w{0,20}\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\Z")
TESTIFY = re.compile(r"(?:require|assert|is|qt|suite|s)\.([A-Z]\w{1,30})\Z")
TEST = re.compile(r"(?:Test|Fuzz|Example|Benchmark)(?:[^a-z]\w{0,200})?\Z")
HALF = {"Contains", "NotEqual", "InDelta", "Greater", "Less", "Regexp", "Len", "ElementsMatch", "IsType"}
WEAK = {"True", "False", "NotNil", "Nil", "NoError", "Error", "NotEmpty", "Empty", "NotZero", "Condition"}
REACHING = re.compile(
    r"(?:exec\.Command\w{0,20}|http\.(?:Get|Post|Do|Head|PostForm)|net\.Dial\w{0,10}|syscall\.Exec|"
    r"plugin\.Open)\Z"
)
NEVER = re.compile(r"\A(?:false|! true)\Z|\A(?:false|! true) &&|&& (?:false|! true)\Z")
MODULES = {"os/exec", "net", "net/http", "plugin", "syscall", "unsafe"}


def marks(node: "Node", in_tests: bool) -> Iterator[Mark]:
    """The marks of one node; its children have their own."""
    match node.type:
        case "call_expression":
            yield from _call(node, in_tests)
        case "assignment_statement" if field(node, "left") == "_":
            bare = "(" not in field(node, "right")
            yield (MarkKind.SILENCER, "_ =") if bare else (MarkKind.QUIET, "_ =")
        case "short_var_declaration" if re.search(r",\s*_\Z", field(node, "left")) and "(" in field(node, "right"):
            yield MarkKind.QUIET, ", _ :="
        case "if_statement" if re.search(r"\berr\w{0,20}\s*!=\s*nil\Z", field(node, "condition")) and not in_tests:
            yield from _handled(field(node, "consequence"))
        case "composite_literal" if field(node, "type") == "testing.T":
            yield MarkKind.PATCH, "testing.T{}"
        case "import_spec" if text(node.child_by_field_name("path")).strip('"`') in MODULES and not in_tests:
            yield MarkKind.REACH, field(node, "path")
        case "import_spec" if field(node, "path") == '"testing"' and not in_tests:
            yield MarkKind.DETECTION, "import testing"
        case "interpreted_string_literal" if CI_VARIABLES.match(text(node).strip('"')) and _is_asked(node):
            yield MarkKind.DETECTION, text(node).strip('"')
        case "comment" if re.match(r"//\s?(?:go:build|\+build)\b", text(node)):
            yield MarkKind.SKIP, "build tag"
        case "function_declaration" if field(node, "name") == "TestMain" and ".Run()" not in field(node, "body"):
            yield MarkKind.HOOK, "TestMain"


def _is_asked(node: "Node") -> bool:
    return any("env" in field(n, "function").lower() for n in within(node, "call_expression"))


def _call(node: "Node", in_tests: bool) -> Iterator[Mark]:
    name = field(node, "function")
    args = [text(argument) for argument in arguments(node)]
    if re.search(r"\.(?:Skip|Skipf|SkipNow)\Z", name) or name == "testing.Short":
        yield MarkKind.SKIP, name.rpartition(".")[2]
    elif name == "recover" and not _panics_again(node):
        yield MarkKind.SWALLOW, name
    elif (name in ("os.Exit", "syscall.Exit") and args == ["0"]) or name == "runtime.Goexit":
        yield MarkKind.EXIT, name
    elif name == "testing.Testing" or (name == "flag.Lookup" and any("test" in g for g in args)):
        yield MarkKind.DETECTION, name
    elif name == "strings.HasSuffix" and any(".test" in g for g in args):
        yield MarkKind.DETECTION, "os.Args"
    elif name in ("os.Setenv", "rand.Seed") or (name == "os.Unsetenv"):
        yield MarkKind.PATCH, name
    elif name == "time.Sleep":
        yield MarkKind.SLEEP, name
    elif REACHING.fullmatch(name) and not in_tests:
        yield MarkKind.REACH, name


def _panics_again(node: "Node") -> bool:
    functions = list(within(node, "func_literal", "function_declaration", "method_declaration"))
    words = text(functions[0]) if functions else ""
    return "panic(" in words or bool(re.search(r"\berr\s*=", words))


def _handled(body: str) -> Iterator[Mark]:
    words = re.sub(r"//[^\n]*", "", body)
    if re.fullmatch(r"\{\s*\}", words):
        yield MarkKind.SWALLOW, "if err"
    elif re.fullmatch(r"\{\s*return(?:\s+(?:nil|true|0|\"\"))?(?:\s*,\s*nil)?\s*;?\s*\}", words):
        yield MarkKind.QUIET, "if err"


def tests(root: "Node", in_tests: bool) -> Iterator[MarkedTest]:
    """Every test function, with the subtests that it names; the rows of its tables are its cases."""
    for node in root.children if in_tests else ():
        if node.type != "function_declaration" or not TEST.match(field(node, "name")):
            continue
        body = node.child_by_field_name("body")
        yield MarkedTest(field(node, "name"), flat(body), tuple(_asserted(node)), tuple(_cases(node)))


def _cases(node: "Node") -> Iterator[str]:
    for part in walk(node):
        if part.type == "literal_element" and part.parent and part.parent.parent:
            literal = part.parent.parent
            kind = literal.child_by_field_name("type") if literal.type == "composite_literal" else None
            if kind is not None and kind.type in ("slice_type", "map_type", "implicit_length_array_type"):
                yield flat(part)
        elif part.type == "call_expression" and field(part, "function").endswith(".Run") and arguments(part):
            yield f"run {flat(arguments(part)[0])}"


def _asserted(node: "Node") -> Iterator[Assertion]:
    returned = False
    for part in walk(node):
        asserted = assertion(part)
        returned = returned or (part.type == "return_statement" and _is_of(part, node))
        if asserted:
            yield _unreachable(asserted) if returned else asserted


def _is_of(part: "Node", function: "Node") -> bool:
    """Whether a statement is in the body of the function itself, not in a branch."""
    block = next(within(part, "block"), None)
    return block is not None and block == function.child_by_field_name("body")


def _unreachable(found: Assertion) -> Assertion:
    return Assertion(found.text, found.sense, TRIVIAL, found.literals)


def assertion(node: "Node") -> Assertion | None:
    """The assertion of a call: testify's by its name, `t.Error` and the like by their enclosing condition."""
    if node.type != "call_expression":
        return None
    name = field(node, "function")
    testify = TESTIFY.fullmatch(name)
    if testify:
        short = testify[1].removesuffix("f")
        args = [flat(argument) for argument in arguments(node)][1:]
        trivial = (len(args) > 1 and args[0] == args[1]) or (args[:1] in (["true"], ["nil"]) and short in WEAK)
        strength = TRIVIAL if trivial else TRUTHY if short in WEAK else PARTIAL if short in HALF else EXACT
        return Assertion(flat(node), short, strength, _literals(node))
    if not FAILS.fullmatch(name):
        return None
    condition_statement = next(within(node, "if_statement"), None)
    if condition_statement is None:
        return Assertion(flat(node), "fail", EXACT)
    condition = condition_statement.child_by_field_name("condition")
    words = flat(condition)
    return Assertion(words, _sense(words), _strength(words), _literals(condition_statement, condition))


def _sense(words: str) -> str:
    return " ".join(sorted(set(re.findall(r"[=!<>]=|[<>]|&&|\|\|", words))))


def _strength(words: str) -> int:
    if NEVER.search(words):
        return TRIVIAL
    sides = re.fullmatch(r"(.{1,500}) [!=]= (.{1,500})", words)
    if sides and sides[1] == sides[2]:
        return TRIVIAL
    if "&&" in words:
        return TRUTHY
    return EXACT if "!=" in words or words.startswith("!") else PARTIAL


def _literals(node: "Node", condition: "Node | None" = None) -> frozenset[str]:
    """Constants of the condition and of its initializer."""
    parts = [n for n in (condition, node.child_by_field_name("initializer")) if n] if condition else [node]
    return frozenset(flat(n) for part in parts for n in walk(part) if n.type in LITERALS)


def loose(root: "Node", in_tests: bool) -> Iterator[Assertion]:
    """The assertions of test helpers."""
    for node in root.children if in_tests else ():
        if node.type in ("function_declaration", "method_declaration") and not TEST.match(field(node, "name")):
            yield from _asserted(node)
