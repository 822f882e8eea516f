"""The room for each part of a model's first request: one limit for all of them, in bytes as sent."""

import json
from collections.abc import Mapping
from typing import TypeVar

Name = TypeVar("Name")

FIRST_REQUEST = 40_000  # bytes of the whole request: rules, tools and the first message, as JSON
OF_A_CAUSE = 7_000  # more for each further root cause of one agent
MAX_CAUSES = 10  # that add to the limit
ENVELOPE = 700  # the request's own names and settings

# The bytes guaranteed to each part, in the order of importance: unused bytes go to the first part that needs more.
# Together they are less than the limit minus rules and tools.
SURE: Mapping[str, int] = {
    "instructions": 2_500,  # the specialist's instructions
    "errors": 8_500,
    "code": 7_000,
    "hint": 800,
    "findings": 1_000,
    "change": 2_000,
    "never_touched": 500,
    "commands": 500,
    "steps": 500,
    "history": 1_500,
    "examples": 700,
    "style": 700,
}
MAX_OF_ONE = 8_000  # bytes of text from people and earlier runs, even where there is room for more


def request_bytes(text: str) -> int:
    """The bytes of the text in a request."""
    return len(json.dumps(text, ensure_ascii=False).encode("utf-8", "replace")) - 2


def request_limit(causes: int) -> int:
    """The byte limit of the first request of an agent on so many root causes."""
    return FIRST_REQUEST + OF_A_CAUSE * (min(max(causes, 1), MAX_CAUSES) - 1)


def divide_room(needs: Mapping[Name, int], sure: Mapping[Name, int], room: int) -> dict[Name, int]:
    """Divides the room: each part gets what it needs up to its `sure` bytes, and then as much more as the parts before
    it leave; in the order of `sure`."""
    given = {name: min(needs[name], enough) for name, enough in sure.items()}
    left = room - sum(given.values())
    for name in sure:
        more = max(min(needs[name] - given[name], left), 0)
        given[name] += more
        left -= more
    return given


def fit_text(text: str, room: int) -> str:
    """The text within that many bytes: whole lines of its head and tail, the head first, and one line saying how much
    was left out between them. Of a line that is far too long, only the beginning is kept."""
    if request_bytes(text) <= room:
        return text
    lines = [fit_line(line, max(room // 3, 80)) for line in text.split("\n")]
    sizes = [request_bytes(line) + 2 for line in lines]
    if sum(sizes) <= room:
        return "\n".join(lines)
    head, tail, left = 0, len(lines), room - 60
    while head < tail:
        at = head if head <= len(lines) - tail else tail - 1
        if sizes[at] > left:
            break
        left -= sizes[at]
        head, tail = (head + 1, tail) if at == head else (head, tail - 1)
    cut = sum(len(line) + 1 for line in lines[head:tail])
    return "\n".join([*lines[:head], f"[… {tail - head} lines, {cut} characters left out here …]", *lines[tail:]])


def fit_line(line: str, room: int) -> str:
    """One line within that many bytes: its beginning, and how much was left out."""
    if len(line) * 6 <= room or request_bytes(line) <= room:  # no character takes more than six bytes
        return line
    low, high = 0, min(len(line), room)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if request_bytes(line[:middle]) <= room - 50 else (low, middle - 1)
    return f"{line[:low]} [… {len(line) - low} more characters of this line]"
