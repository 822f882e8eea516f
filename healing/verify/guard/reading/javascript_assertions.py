"""JavaScript's assertions by strength: `expect(…).matcher(…)`, and the `assert` of node and chai."""

import re
from typing import TYPE_CHECKING

from healing.verify.guard.reading.marks import EXACT, NEAR, PARTIAL, TRIVIAL, TRUTHY, Assertion
from healing.verify.guard.reading.trees import arguments, field, flat, text, walk, within

if TYPE_CHECKING:
    from tree_sitter import Node

WEAK = {
    "toBeTruthy",
    "toBeFalsy",
    "toBeDefined",
    "toBeNull",
    "toBeUndefined",
    "toBeNaN",
    "toHaveBeenCalled",
    "toExist",
    "ok",
    "exist",
    "toBeInTheDocument",
    "toBeCalled",
    "true",
    "false",
}
HALF = {
    "toContain",
    "toMatch",
    "toMatchObject",
    "toBeGreaterThan",
    "toBeGreaterThanOrEqual",
    "toBeLessThan",
    "notEqual",
    "toBeLessThanOrEqual",
    "toBeInstanceOf",
    "toHaveProperty",
    "toContainEqual",
    "match",
    "notStrictEqual",
    "include",
    "toMatchSnapshot",
    "toMatchInlineSnapshot",
    "toHaveBeenCalledTimes",
    "instanceOf",
}
SAME = {
    "toStrictEqual": "equal",
    "toEqual": "equal",
    "toBe": "equal",
    "toHaveLength": "equal",
    "toBeCalledWith": "toHaveBeenCalledWith",
}
AWAITED = ("await_expression", "return_statement")  # for a promise: otherwise its failure goes unnoticed
LITERALS = {"number", "string", "template_string", "regex"}


def assertion(node: "Node") -> Assertion | None:
    """The assertion of a node; None if it isn't one, or is only a part of one."""
    if node.type != "call_expression":
        return None
    name = _whole(field(node, "function"))
    if name in ("assert", "expect.fail") or name.startswith(("assert.", "t.assert.")):
        return _asserted(node, name.rpartition(".")[2])
    if name.startswith("expect(") and not _continues(node):
        return _expected(node)
    return None


def _whole(function: str) -> str:
    return re.sub(r"\s+", "", function[:4000])


def _continues(node: "Node") -> bool:
    return node.parent is not None and node.parent.type == "member_expression"


def _asserted(node: "Node", name: str) -> Assertion:
    args = arguments(node)
    words = [flat(argument) for argument in args]
    if name in ("assert", "ok", "isTrue"):
        if not args or words[0] in ("true", "1") or args[0].type in LITERALS:
            return _assertion_of(node, name, TRIVIAL)
        equal = re.search(r"[=!]==?", words[0])
        return _assertion_of(node, name, (EXACT if "===" in words[0] else PARTIAL) if equal else TRUTHY)
    if len(words) > 1 and words[0] == words[1]:
        return _assertion_of(node, name, TRIVIAL)
    sense = "strictEqual" if name in ("equal", "deepEqual") else name
    return _assertion_of(node, sense, PARTIAL if name in HALF else TRUTHY if name in WEAK else EXACT)


def _expected(node: "Node") -> Assertion:
    matcher = field_of(node, "function", "property")
    chain = _whole(field(node, "function"))
    denied = ".not." in chain
    subject = next((n for n in walk(node) if n.type == "call_expression" and field(n, "function") == "expect"), node)
    subject_args = [flat(argument) for argument in arguments(subject)]
    args = [flat(argument) for argument in arguments(node)]
    same = SAME.get(matcher, matcher)
    if same == "equal" and args[:1] in (["null"], ["undefined"]):
        same = "toBe" + args[0].capitalize()  # the matcher of that name asserts the same
    sense = f"not {same}" if denied else same
    literal = bool(arguments(subject)) and arguments(subject)[0].type in (*LITERALS, "true", "false", "null")
    if subject_args == args or (literal and matcher != "fail"):
        return _assertion_of(node, sense, TRIVIAL)
    return _assertion_of(node, sense, _strength(matcher, denied, args), _tolerance(matcher, args))


def _strength(matcher: str, denied: bool, given: list[str]) -> int:
    if matcher in WEAK or (matcher in ("toThrow", "toThrowError") and not given):
        return PARTIAL if matcher in ("toThrow", "toBeNull", "toBeUndefined") and not denied else TRUTHY
    if any(re.search(r"expect \. (?:any|anything)", words) for words in given):
        return TRUTHY
    if matcher in ("toBe", "toEqual", "equal") and given[:1] in (["true"], ["false"], ["null"], ["undefined"]):
        return TRUTHY if given[0] in ("true", "false") else PARTIAL
    if matcher.startswith("toBeCloseTo"):
        return NEAR
    return PARTIAL if matcher in HALF or denied else EXACT


def _tolerance(matcher: str, given: list[str]) -> tuple[str, ...]:
    return tuple(given[1:]) if matcher in ("toBeCloseTo", "closeTo") else ()


def field_of(node: "Node", *names: str) -> str:
    """The source of a nested field; empty if there is none."""
    for name in names[:-1]:
        inner = node.child_by_field_name(name)
        if inner is None:
            return ""
        node = inner
    return field(node, names[-1])


def _assertion_of(node: "Node", sense: str, strength: int, tolerance: tuple[str, ...] = ()) -> Assertion:
    literals = {flat(n) for n in walk(node) if n.type in LITERALS} - set(tolerance)
    awaited = any(True for _ in within(node, *AWAITED)) or (node.parent and node.parent.type == "arrow_function")
    unawaited = re.search(r"\. (?:rejects|resolves) \.", flat(node)) and not awaited
    never = unawaited or any(
        text(n.child_by_field_name("condition")) in ("(false)", "(0)") for n in within(node, "if_statement")
    )
    return Assertion(flat(node), sense, TRIVIAL if never else strength, frozenset(literals), tolerance)
