"""How much room the parts of a model's first request have: one limit for all of them, in bytes as they are sent."""

import json
from collections.abc import Mapping
from typing import TypeVar

Name = TypeVar("Name")

FIRST_REQUEST = 40_000  # bytes of the whole request: rules, tools and the first message, as JSON
OF_A_CAUSE = 7_000  # more for each further root cause that one agent is given
MOST_CAUSES = 10  # for which there is more
ENVELOPE = 700  # the request's own names and settings

# What each part may be sure of, in the order of what matters: what the others leave over goes to the first that needs
# it. Together they are less than what rules and tools leave of the limit.
SURE: Mapping[str, int] = {
    "instructions": 2_500,  # who the specialist is
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
MOST_OF_ONE = 8_000  # bytes of what people and earlier runs wrote, also where there is room for more


def sent(text: str) -> int:
    """Bytes of the text in a request."""
    return len(json.dumps(text, ensure_ascii=False).encode("utf-8", "replace")) - 2


def limit(causes: int) -> int:
    """Bytes of the first request of an agent on so many root causes."""
    return FIRST_REQUEST + OF_A_CAUSE * (min(max(causes, 1), MOST_CAUSES) - 1)


def shared(needs: Mapping[Name, int], sure: Mapping[Name, int], room: int) -> dict[Name, int]:
    """What each part gets of the room: what it needs, or what it may be `sure` of and as much more as those before it
    leave; in the order of `sure`."""
    given = {name: min(needs[name], enough) for name, enough in sure.items()}
    left = room - sum(given.values())
    for name in sure:
        more = max(min(needs[name] - given[name], left), 0)
        given[name] += more
        left -= more
    return given


def within(text: str, room: int) -> str:
    """The text in that many bytes: whole lines of its head and its tail, the head's first, and in a line how much was
    left out between them. Of a line that is far too long its beginning, with what it lacks."""
    if sent(text) <= room:
        return text
    lines = [line_within(line, max(room // 3, 80)) for line in text.split("\n")]
    sizes = [sent(line) + 2 for line in lines]
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


def line_within(line: str, room: int) -> str:
    """One line in that many bytes: its beginning, and how much of it is left out."""
    if len(line) * 6 <= room or sent(line) <= room:  # no character takes more than six
        return line
    low, high = 0, min(len(line), room)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if sent(line[:middle]) <= room - 50 else (low, middle - 1)
    return f"{line[:low]} [… {len(line) - low} more characters of this line]"
