"""Finds the marks of JavaScript and TypeScript, and the tests of jest, vitest, mocha and node:test."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from healing.verify.guard.reading.javascript_assertions import assertion
from healing.verify.guard.reading.marks import Assertion, Mark, MarkedTest, MarkKind
from healing.verify.guard.reading.names import CI_VARIABLES
from healing.verify.guard.reading.trees import arguments, field, flat, text, walk, within

if TYPE_CHECKING:
    from tree_sitter import Node

RUNS = {"it", "test", "specify", "fit", "xit", "xtest"}
SUITES = {"describe", "suite", "context", "xdescribe", "fdescribe"}
SKIPPED = {"xit", "xtest", "xdescribe", "xspecify", "fit", "fdescribe", "pending"}
MODIFIERS = {"skip", "only", "todo", "fixme", "failing", "fails", "skipIf", "runIf", "retryTimes", "retries", "retry"}
REACHING = re.compile(
    r"(?:fetch|axios(?:\.\w{1,20})?|https?\.(?:get|request)|child_process\.\w{1,20}|exec(?:Sync|File|FileSync)?|"
    r"spawn(?:Sync)?|eval|net\.connect|execa)\Z"
)
MODULES = re.compile(r"['\"](?:node:)?(?:child_process|net|dgram|http|https|vm|axios|node-fetch|undici|execa)['\"]\Z")
PATCHED = re.compile(
    r"(?:Date(?:\.\w{1,30})?|Math\.random|globalThis\.\w{1,40}|global\.\w{1,40}|window\.\w{1,40}|performance\.now|"
    r"process\.(?:env|exit|exitCode|stdout|nextTick)\b[\w.\[\]'\"]{0,60}|(?:Object|Array|String|Number|Function|Promise)"
    r"\.prototype\.\w{1,40}|expect(?:\.\w{1,40})?|console\.(?:error|warn))\Z"
)
MOCKS = re.compile(
    r"(?:jest|vi|sinon|td|mock)\.(?:mock|doMock|unstable_mockModule|spyOn|stub|replace|fn|setSystemTime|"
    r"useFakeTimers|stubGlobal|stubEnv|method)\Z"
)
SLEEPS = {"setTimeout", "sleep", "delay", "wait", "Bun.sleep"}
LONGER = re.compile(r"\.setTimeout\Z|(?:\A|\.)(?:waitForTimeout|setDefaultTimeout)\Z")
ENVIRONMENT = re.compile(r"(?:process|import\.meta)\.env\.(\w{1,60})\Z")
HUSHED = re.compile(
    r"\W*(?:console\s*\.\s*\w{1,10}\s*\([^;]{0,200};?\W*)?(?:return(?:\s+(?:null|undefined))?\s*;?)?\W*\Z"
)


def marks(node: "Node", in_tests: bool) -> Iterator[Mark]:
    """The marks of one node; its children have their own."""
    match node.type:
        case "call_expression":
            yield from _call(node, in_tests)
        case "catch_clause":
            yield from _catch(text(node.child_by_field_name("body")))
        case "as_expression" | "type_assertion" if re.search(r"\bas\s+any\Z|\A<any>", text(node)):
            yield MarkKind.SILENCER, "as any"
        case "as_expression" if re.search(r"\bas\s+(?:unknown|never)\Z", text(node)):
            yield MarkKind.SILENCER, "as unknown"
        case "predefined_type" if text(node) == "any" and node.parent and node.parent.type == "type_annotation":
            yield MarkKind.SILENCER, ": any"
        case "assignment_expression" | "augmented_assignment_expression":
            yield from _assignment(node)
        case "member_expression" | "subscript_expression":
            yield from _member(node)
        case "import_statement" if not in_tests and MODULES.search(field(node, "source")):
            yield MarkKind.REACH, field(node, "source")
        case "new_expression" if field(node, "constructor") == "Function":
            yield MarkKind.REACH, "new Function"
        case "unary_expression" if re.fullmatch(r"typeof\s+(?:jest|vi|describe|it|expect|mocha)", text(node)):
            yield MarkKind.DETECTION, "typeof"


def _call(node: "Node", in_tests: bool) -> Iterator[Mark]:
    name = field(node, "function")
    args = [text(argument) for argument in arguments(node)]
    if name in SKIPPED and args:
        yield MarkKind.SKIP, name
    elif name in ("process.exit", "process.abort", "Deno.exit") and args[:1] in ([], ["0"]):
        yield MarkKind.EXIT, name
    elif (
        name.endswith(".catch") and args and re.fullmatch(r"\(?\w{0,40}\)?\s*=>\s*(?:\{\W*\}|null|undefined)", args[0])
    ):
        yield MarkKind.SWALLOW, ".catch"
    elif name == "process.on" and args[:1] and re.search("uncaught|unhandled", args[0]):
        yield MarkKind.SWALLOW, name
    elif LONGER.search(name) or (name in SLEEPS and _waits(node, name, args)):
        yield MarkKind.SLEEP, name
    elif MOCKS.fullmatch(name):
        yield (MarkKind.MOCK if in_tests else MarkKind.PATCH), name
    elif name == "require" and args and MODULES.search(args[0]) and not in_tests:
        yield MarkKind.REACH, args[0]
    elif REACHING.fullmatch(name) and not in_tests:
        yield MarkKind.REACH, name
    elif name == "Object.defineProperty" and args and PATCHED.fullmatch(f"{args[0]}.x"):
        yield MarkKind.PATCH, f"defineProperty {args[0]}"


def _waits(node: "Node", name: str, given: list[str]) -> bool:
    if name != "setTimeout":
        return bool(given) and any(True for _ in within(node, "await_expression"))
    delayed = given[1:2] not in ([], ["0"])
    return delayed and any(field(n, "constructor") == "Promise" for n in within(node, "new_expression"))


def _catch(body: str) -> Iterator[Mark]:
    words = re.sub(r"//[^\n]*|/\*[^*]{0,2000}\*/", "", body)
    if body and HUSHED.fullmatch(words[:2000]):
        yield MarkKind.SWALLOW, "catch"
    elif "throw" not in words and re.fullmatch(r"\{\s*return\s+[\w\"'.\[\]{}-]{0,80}\s*;?\s*\}", words[:2000]):
        yield MarkKind.QUIET, "catch"


def _assignment(node: "Node") -> Iterator[Mark]:
    left = field(node, "left")
    if PATCHED.fullmatch(left) and left != "window.location":
        yield MarkKind.EXIT if left == "process.exitCode" else MarkKind.PATCH, left
    elif left.startswith(("process.env.", "process.env[")):
        yield MarkKind.PATCH, left


def _member(node: "Node") -> Iterator[Mark]:
    whole = text(node)
    if len(whole) > 200:
        return
    last = field(node, "property")
    if last in MODIFIERS and _is_runner(whole):
        yield MarkKind.SKIP, last
    variable = ENVIRONMENT.fullmatch(whole)
    parent = text(node.parent) if node.parent else ""
    asks = variable and variable[1] in ("NODE_ENV", "MODE", "BABEL_ENV") and re.search(r"=\s*['\"`]test", parent[:300])
    if variable and (asks or CI_VARIABLES.match(variable[1])):
        yield MarkKind.DETECTION, variable[1]


def _is_runner(whole: str) -> bool:
    root = re.split(r"\W", whole, maxsplit=1)[0]
    return root in RUNS | SUITES | {"jest", "vi", "cy", "t", "ctx", "this", "Deno"} and not whole.startswith(
        "this.state"
    )


def tests(root: "Node", in_tests: bool) -> Iterator[MarkedTest]:
    """Every call of `it` or `test` with a name and a body, with the names of its enclosing suites."""
    for node in walk(root) if in_tests else ():
        name = _test_name(node)
        if name is not None:
            function = node.child_by_field_name("function")
            table = flat(function) if function and function.type == "call_expression" else ""
            suites = [_callee(n) for n in within(node, "call_expression") if _root(n) in SUITES]
            title = " > ".join([*reversed(suites), name])
            cases = tuple(_cases(function)) if table else ()
            yield MarkedTest(title, flat(arguments(node)[-1]), tuple(_asserted(node)), cases)


def _test_name(node: "Node") -> str | None:
    if node.type != "call_expression" or _root(node) not in RUNS or len(arguments(node)) < 2:
        return None
    if any(n.type == "if_statement" for n in within(node, "if_statement")):
        return None
    return _callee(node)


def _root(node: "Node") -> str:
    function = node.child_by_field_name("function")
    for _ in range(6):
        if function is None or function.type == "identifier":
            break
        function = function.child_by_field_name("object") or function.child_by_field_name("function")
    return text(function) if function is not None and function.type == "identifier" else ""


def _callee(node: "Node") -> str:
    args = arguments(node)
    return text(args[0]).strip("'\"`") if args else ""


def _cases(function: "Node | None") -> Iterator[str]:
    for node in walk(function) if function else ():
        if node.type == "array" and node.parent is not None and node.parent.type == "arguments":
            yield from (flat(row) for row in node.named_children if "comment" not in row.type)


def _asserted(node: "Node") -> Iterator[Assertion]:
    ended = -1
    body = arguments(node)[-1].child_by_field_name("body")
    for part in walk(node):
        if part.start_byte < ended:
            continue
        if part.type == "return_statement" and part.parent == body and not part.named_children:
            return
        asserted = assertion(part)
        if asserted:
            ended = part.end_byte
            yield asserted


def loose(root: "Node", in_tests: bool) -> Iterator[Assertion]:
    """The assertions of test helpers."""
    spans = [(n.start_byte, n.end_byte) for n in walk(root) if _test_name(n) is not None] if in_tests else []
    for node in walk(root) if in_tests else ():
        asserted = assertion(node)
        if asserted and not any(start <= node.start_byte < end for start, end in spans):
            yield asserted
