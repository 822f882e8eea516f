"""The values of GitHub's expression language, plus one that it doesn't have: a value not known here, which keeps its
name.

Coercions and comparisons follow docs.github.com, "Evaluate expressions in workflows and actions".
"""

import math
import re
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Unknown:
    """A value that can't be known outside GitHub. `names` are the unknown inputs; `truth` is set where at least that is
    certain (`secrets.A || 'b'` is true whatever the secret). `begins`: it is a text that begins with one of these,
    where that is certain."""

    names: tuple[str, ...]
    truth: bool | None = None
    begins: tuple[str, ...] = ()

    def begins_with(self, start: str) -> bool | None:
        """Whether its text begins with `start`; None: not known."""
        prefix = start.upper()
        beginnings = [beginning.upper() for beginning in self.begins]
        if beginnings and all(beginning.startswith(prefix) for beginning in beginnings):
            return True
        possible = not beginnings or any(
            prefix.startswith(beginning) or beginning.startswith(prefix) for beginning in beginnings
        )
        return None if possible else False


Value: TypeAlias = bool | float | str | list["Value"] | dict[str, "Value"] | Unknown | None


class Partial(dict[str, Value]):
    """A context of which only some keys are known; any other key is unknown, named `name`.key."""

    def __init__(self, name: str, known: dict[str, Value] | None = None) -> None:
        super().__init__(known or {})
        self.name = name


class Filtered(list[Value]):
    """The result of `.*`: a further key is looked up in each of its entries."""


NUMBER = re.compile(r"[-+]?(?:[0-9]{1,300}(?:\.[0-9]{0,300})?|\.[0-9]{1,300})(?:[eE][-+]?[0-9]{1,9})?\Z")
WHOLE = 1e15  # whole numbers below it are exact


def unknowns(*values: Value) -> tuple[str, ...]:
    """The names of the unknowns among the values, each once."""
    return tuple(dict.fromkeys(name for value in values if isinstance(value, Unknown) for name in value.names))


def truth(value: Value) -> bool | None:
    """Whether a value counts as true; None: not known."""
    if isinstance(value, Unknown):
        return value.truth
    if isinstance(value, float):
        return value != 0 and not math.isnan(value)
    return True if isinstance(value, list | dict) else bool(value)


def text(value: Value) -> str:
    """A known value as it appears in a text; empty for an unknown one."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _number_text(value)
    if isinstance(value, list):
        return "Array"
    if isinstance(value, dict):
        return "Object"
    return value if isinstance(value, str) else ""


def _number_text(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return str(int(value)) if value == int(value) and abs(value) < WHOLE else f"{value:.15g}"


def number(value: Value) -> float:
    """A value as a number; NaN where it is none."""
    if value is None:
        return 0.0
    if isinstance(value, bool | float):
        return float(value)
    if not isinstance(value, str):
        return math.nan
    word = value.strip()
    if not word:
        return 0.0
    if word[:2] in ("0x", "0o") and len(word) < 60 and word[2:].isalnum():
        try:
            return float(int(word[2:], 16 if word[1] == "x" else 8))
        except ValueError:
            return math.nan
    return float(word) if NUMBER.match(word) else math.nan


def equal(left: Value, right: Value) -> bool:
    """GitHub's `==` on known values: loosely typed and case-insensitive."""
    if isinstance(left, str) and isinstance(right, str):
        return left.upper() == right.upper()
    if isinstance(left, list | dict) or isinstance(right, list | dict):
        return left is right
    return number(left) == number(right)


def less(left: Value, right: Value, or_equal: bool = False) -> bool:
    """GitHub's `<` (or `<=`) on known values."""
    if isinstance(left, list | dict) or isinstance(right, list | dict):
        return or_equal and left is right
    if isinstance(left, str) and isinstance(right, str):
        return left.upper() <= right.upper() if or_equal else left.upper() < right.upper()
    return number(left) <= number(right) if or_equal else number(left) < number(right)


def member(value: Value, key: Value) -> Value:
    """`value.key` or `value[key]`; null where it does not exist, unknown where that can't be determined."""
    if isinstance(key, Unknown):
        return key
    if isinstance(value, Unknown):
        return Unknown(tuple(f"{name}.{text(key)}" for name in value.names))
    if isinstance(value, Filtered):
        return Filtered(entry_value for entry in value if (entry_value := member(entry, key)) is not None)
    if isinstance(value, list):
        index = number(key)
        return value[int(index)] if 0 <= index < len(value) else None
    if isinstance(value, dict):
        return _entry(value, text(key))
    return None


def _entry(value: dict[str, Value], key: str) -> Value:
    if key in value:
        return value[key]
    folded = key.upper()
    for other, other_value in value.items():
        if other.upper() == folded:
            return other_value
    return Unknown((f"{value.name}.{key}",)) if isinstance(value, Partial) else None


def everything(value: Value) -> Value:
    """`value.*`."""
    if isinstance(value, Partial):
        return Unknown((f"{value.name}.*",))
    if isinstance(value, Unknown):
        return Unknown(tuple(f"{name}.*" for name in value.names))
    if isinstance(value, dict):
        return Filtered(value.values())
    return Filtered(value) if isinstance(value, list) else Filtered()
