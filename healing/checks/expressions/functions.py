"""The functions of GitHub's expression language. Those that depend on the runner's files are unknown."""

import json
import math
from collections.abc import Callable

from healing.checks.expressions.values import Partial, Unknown, Value, equal, text, unknowns

MAX_LENGTH = 200_000  # characters of one function's result: nested format() could grow without bound

# A step is evaluated as CI ran it: everything before it had succeeded.
STATUS: dict[str, bool] = {"success": True, "always": True, "failure": False, "cancelled": False}


def call(name: str, arguments: tuple[Value, ...]) -> Value:
    """The result of a function; unknown for unknown arguments, unknown functions and wrong use."""
    folded = name.lower()
    if folded in STATUS:
        return STATUS[folded]
    function = FUNCTIONS.get(folded)
    if function is None:
        return Unknown((f"{name}()",))
    if missing := unknowns(*arguments):
        known = _from_known_beginning(folded, arguments)
        return Unknown(missing) if known is None else known
    try:
        value = function(*arguments)
    except (TypeError, ValueError, RecursionError, OverflowError):
        return Unknown((f"{name}()",))
    return Unknown((f"{name}()",)) if isinstance(value, str) and len(value) > MAX_LENGTH else value


def _from_known_beginning(name: str, arguments: tuple[Value, ...]) -> bool | None:
    """What is certain about a text of which only the beginning is known. No branch is called `refs/tags/…`, so a text
    that contains that also begins with it."""
    match arguments:
        case (Unknown() as whole, str() as part) if name == "startswith" or (name, part[:5]) == ("contains", "refs/"):
            return whole.begins_with(part)
    return None


def _contains(search: Value, item: Value) -> Value:
    if isinstance(search, list):
        if missing := unknowns(*search):
            return True if any(_same(entry, item) for entry in search) else Unknown(missing)
        return any(equal(entry, item) for entry in search)
    return text(item).upper() in text(search).upper()


def _same(entry: Value, item: Value) -> bool:
    return not isinstance(entry, Unknown) and equal(entry, item)


def _starts(whole: Value, start: Value) -> Value:
    return text(whole).upper().startswith(text(start).upper())


def _ends(whole: Value, end: Value) -> Value:
    return text(whole).upper().endswith(text(end).upper())


def _format(pattern: Value, *values: Value) -> Value:
    source = text(pattern)
    parts: list[str] = []
    at = length = 0
    while at < len(source):
        piece, at = _piece(source, at, values)
        parts.append(piece)
        length += len(piece)
        if length > MAX_LENGTH:
            raise ValueError("too long")
    return "".join(parts)


def _piece(source: str, at: int, values: tuple[Value, ...]) -> tuple[str, int]:
    char = source[at]
    if char not in "{}":
        return char, at + 1
    if source[at : at + 2] == char * 2:
        return char, at + 2
    end = source.find("}", at)
    digits = source[at + 1 : end] if char == "{" and end > at else ""
    if not digits.isascii() or not digits.isdigit() or len(digits) > 3 or int(digits) >= len(values):
        raise ValueError("no such value")
    return text(values[int(digits)]), end + 1


def _join(values: Value, separator: Value = ",") -> Value:
    if not isinstance(values, list):
        return text(values)
    missing = unknowns(*values)
    return Unknown(missing) if missing else text(separator).join(map(text, values))


def _to_json(value: Value) -> Value:
    missing = _holes(value)
    return Unknown(missing) if missing else json.dumps(_plain(value), indent=2, ensure_ascii=False)


def _holes(value: Value) -> tuple[str, ...]:
    if isinstance(value, Unknown):
        return value.names
    if isinstance(value, Partial):
        return (value.name,)
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return tuple(name for entry in inner for name in _holes(entry))


def _plain(value: Value) -> object:
    if isinstance(value, float):
        return int(value) if math.isfinite(value) and value == int(value) else value
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    return [_plain(entry) for entry in value] if isinstance(value, list) else value


def _from_json(value: Value) -> Value:
    parsed: Value = json.loads(text(value), parse_int=float)
    return parsed


FUNCTIONS: dict[str, Callable[..., Value]] = {
    "contains": _contains,
    "startswith": _starts,
    "endswith": _ends,
    "format": _format,
    "join": _join,
    "tojson": _to_json,
    "fromjson": _from_json,
}
