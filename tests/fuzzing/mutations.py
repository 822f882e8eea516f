"""Mutations of JSON, by the structure and by the byte, repeatable by their seed."""

import copy
import json
import random
from typing import Any

HOSTILE: tuple[Any, ...] = (
    None, True, False, 0, -1, 2**31, 2**63, 2**64, 10**400, 1e308, -0.0, "", " ", "\x00", "a\x00b", "\ud800",
    "\u202e" * 3,
    "💥" * 50, "../../etc/passwd", "/heal rollback run", "%s%n{0}", "a" * 7_000, "\r\n", "<script>", [], {}, [[]],
    {"": {}},
    ["x"] * 300, {"id": {"id": {"id": []}}}, "NaN", "00000000-0000-0000-0000-000000000000", "refs/heads/" + "x" * 300,
)  # fmt: skip
NAMES = ("id", "sha", "head_sha", "number", "__proto__", "", "constructor", "action", "type", "\x00")
BYTES = (
    b"\x00",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    b"\\u0000",
    b"{",
    b"]",
    b'"',
    b"1e999",
    b"NaN",
    b"-",
    b"\xf0\x9f\x92\xa5",
)


def mutated(chance: random.Random, payload: dict[str, Any]) -> bytes:
    """The payload with one to four changes, as bytes; now and then bytes that are no JSON any more."""
    changed = copy.deepcopy(payload)
    for _ in range(chance.randint(1, 4)):
        _change(chance, changed)
    body = json.dumps(changed, ensure_ascii=chance.random() < 0.5).encode("utf-8", "surrogatepass")
    return _broken(chance, body) if chance.random() < 0.2 else body


def _change(chance: random.Random, value: Any) -> None:
    """Changes one place at some depth, in place."""
    while True:
        keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
        if not keys:
            return
        key = chance.choice(list(keys))
        inner = value[key]
        if isinstance(inner, dict | list) and inner and chance.random() < 0.8:
            value = inner
            continue
        _at(chance, value, key)
        return


def _at(chance: random.Random, value: Any, key: Any) -> None:
    act = chance.randrange(4)
    if act == 0:
        del value[key]
    elif act == 1 and isinstance(value, dict):
        value[chance.choice(NAMES)] = value.pop(key)
    elif act == 2 and isinstance(value[key], str):
        value[key] = (value[key] * chance.randint(0, 40))[:10_000]
    else:
        value[key] = copy.deepcopy(chance.choice(HOSTILE))


def _broken(chance: random.Random, body: bytes) -> bytes:
    at, to = sorted((chance.randrange(len(body) + 1), chance.randrange(len(body) + 1)))
    act = chance.randrange(4)
    if act == 0:
        return body[:at]
    if act == 1:
        return body[:at] + chance.choice(BYTES) + body[at:]
    if act == 2:
        return body[:at] + body[to:]
    return body[:at] + chance.randbytes(8) + body[at:]
