"""Evaluates expressions in three-valued logic: known values, unknown ones, and unknown ones whose truth is certain."""

from collections.abc import Mapping
from dataclasses import dataclass

from healing.checks.expressions.functions import call
from healing.checks.expressions.syntax import (
    Binary,
    ExpressionError,
    FunctionCall,
    Literal,
    Member,
    Name,
    Node,
    Not,
    parse,
)
from healing.checks.expressions.values import (
    Partial,
    Unknown,
    Value,
    equal,
    everything,
    less,
    member,
    text,
    truth,
    unknowns,
)

HOLE = "…"  # stands for an unknown value in names
Contexts = Mapping[str, Value]


@dataclass(frozen=True)
class Filled:
    """A text with its expressions evaluated. `missing` names the unknown values; they are empty in `text` and a `…` in
    `shown`."""

    text: str
    shown: str
    missing: tuple[str, ...] = ()


def evaluate(source: str, contexts: Contexts) -> Value:
    """The value of one expression (without `${{ }}`). One that can't be parsed is unknown, with the reason as its
    name."""
    try:
        return _value(parse(source), contexts)
    except ExpressionError as error:
        return Unknown((f"{source.strip()[:60]} ({error})",))


def resolve(raw: Value, contexts: Contexts) -> Value:
    """A value of a workflow file with the expressions in its texts evaluated. A text that consists of a single
    expression keeps that expression's type."""
    if isinstance(raw, str):
        pieces = list(_pieces(raw)) if "${{" in raw else []
        if len(pieces) == 1 and pieces[0][0]:
            return evaluate(pieces[0][1], contexts)
        filled = fill(raw, contexts)
        return Unknown(filled.missing) if filled.missing else filled.text
    if isinstance(raw, list):
        return [resolve(entry, contexts) for entry in raw]
    return {key: resolve(entry, contexts) for key, entry in raw.items()} if isinstance(raw, dict) else raw


def fill(raw: Value, contexts: Contexts) -> Filled:
    """A scalar of a workflow file as text."""
    if not isinstance(raw, str) or "${{" not in raw:
        return Filled(text(raw), text(raw))
    values: list[str] = []
    shown: list[str] = []
    missing: list[str] = []
    for is_expression, piece in _pieces(raw):
        value = evaluate(piece, contexts) if is_expression else piece
        missing += unknowns(value)
        values.append(text(value))
        shown.append(HOLE if isinstance(value, Unknown) else text(value))
    return Filled("".join(values), "".join(shown), tuple(dict.fromkeys(missing)))


def condition(raw: Value, contexts: Contexts) -> Value:
    """The value of an `if:`, which need not be in `${{ }}`; True without one."""
    if raw is None:
        return True
    if not isinstance(raw, str):
        return truth(raw)
    if "${{" not in raw:
        return evaluate(raw, contexts) if raw.strip() else True
    return resolve(raw.strip(), contexts)


def _pieces(raw: str) -> list[tuple[bool, str]]:
    """The text cut into pieces: (whether it is an expression, piece)."""
    pieces: list[tuple[bool, str]] = []
    at = 0
    while (start := raw.find("${{", at)) >= 0:
        end = _end(raw, start + 3)
        if end < 0:
            break
        pieces += [(False, raw[at:start])] if start > at else []
        pieces.append((True, raw[start + 3 : end]))
        at = end + 2
    return [*pieces, (False, raw[at:])] if at < len(raw) else pieces


def _end(raw: str, at: int) -> int:
    """The index of the expression's `}}`, ignoring those inside quotes; -1 where there is none."""
    quoted = False
    while at < len(raw):
        if raw[at] == "'":
            quoted = not quoted
        elif not quoted and raw.startswith("}}", at):
            return at
        at += 1
    return -1


def _value(node: Node, contexts: Contexts) -> Value:
    if isinstance(node, Literal):
        return node.value
    if isinstance(node, Name):
        return _context(node.name, contexts)
    if isinstance(node, Member):
        target = _value(node.target, contexts)
        return everything(target) if node.key is None else member(target, _value(node.key, contexts))
    if isinstance(node, FunctionCall):
        return call(node.name, tuple(_value(argument, contexts) for argument in node.arguments))
    if isinstance(node, Not):
        value = _value(node.operand, contexts)
        known = truth(value)
        return Unknown(unknowns(value)) if known is None else not known
    return _binary(node, contexts)


def _context(name: str, contexts: Contexts) -> Value:
    value = contexts.get(name, contexts.get(name.lower()))
    return value if value is not None or name.lower() in contexts else Unknown((name,))


def _binary(node: Binary, contexts: Contexts) -> Value:
    left, right = _value(node.left, contexts), _value(node.right, contexts)
    if node.operator in ("&&", "||"):
        return _either(left, right, stops_at=node.operator == "||")
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        differs = node.operator in ("==", "!=") and (_differs(left, right) or _differs(right, left))
        return node.operator == "!=" if differs else Unknown(unknowns(left, right))
    if isinstance(left, Partial) or isinstance(right, Partial):
        return Unknown(tuple(side.name for side in (left, right) if isinstance(side, Partial)))
    if node.operator in ("==", "!="):
        return equal(left, right) is (node.operator == "==")
    if node.operator in ("<", "<="):
        return less(left, right, node.operator == "<=")
    return less(right, left, node.operator == ">=")


def _differs(unknown: Value, other: Value) -> bool:
    """Whether a text of which only the beginning is known can't equal this one."""
    return isinstance(unknown, Unknown) and isinstance(other, str) and unknown.begins_with(other) is False


def _either(left: Value, right: Value, stops_at: bool) -> Value:
    """`left || right` (stops at a true value) or `left && right` (stops at a false one)."""
    first = truth(left)
    if first is not None:
        return left if first is stops_at else right
    known = stops_at if truth(right) is stops_at else None
    return Unknown(unknowns(left, right), known)
