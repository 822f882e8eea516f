"""Reads the details of a failed test: message, trace, expected and actual, wherever its runner writes them."""

import re
from dataclasses import dataclass, replace

from healing.logs.documents.node import TEXT, Node, Value, nodes, ranked, roles, text, vocabulary, word

# Fields that may have the message, the most reliable first; nodes are searched too.
_MESSAGES = roles(
    "failuremessages", "failuremessage", "statusdetails", "errorinfo", "err", "crash", "failure", "failures", "error",
    "errors", "exception", "errormessage", "output", "message", "reason", "longrepr", "shortmessage", "text",
    "fatalerror", "expression", "expanded", "results", "measurement", "value",
)  # fmt: skip
_TRACES = roles("stacktrace", "fullstacktrace", "stack", "estack", "trace", "backtrace", "longrepr", "details", "text")
_EMPTY = vocabulary("failed failure error testfailed collectionfailure testerror assertionerror exception")
_FRAMES = re.compile(r"\n\s{1,40}at ")
_DRESSING = ("=== ", "--- ", "Traceback", "File ", "at ", "self = ", "> ")
_DEPTH = 4


@dataclass(frozen=True, slots=True)
class Description:
    """The details of one failure."""

    message: str = ""
    trace: str = ""
    expected: str | None = None
    actual: str | None = None

    def over(self, other: "Description") -> "Description":
        """This description, with missing parts from `other`."""
        return Description(
            self.message or other.message,
            self.trace or other.trace,
            self.expected or other.expected,
            self.actual or other.actual,
        )

    def headline(self, name: str) -> str:
        """The message without stack frames; if it is empty or only something like "failed", the trace's first lines."""
        opening = _FRAMES.split(self.message, maxsplit=1)[0].strip()
        first, _, rest = opening.partition("\n")
        if rest and "::" in first and " " not in first:  # the test's name again
            opening = rest.strip()
        if word(opening) in _EMPTY or not opening:
            opening = _first_words(self.trace) or opening
        return opening or f"{name or 'a test'} failed"


def describe(node: Node, depth: int = 0) -> Description:
    """The description in a node or in its fields for one."""
    words = node.words
    description = Description(
        text(words.get("message")),
        next((opening for key in ranked(words, _TRACES) if (opening := _whole(words.get(key)))), ""),
        *(text(words.get(key)) or None for key in ("expected", "actual")),
    )
    for key in ranked(words, _MESSAGES):
        value = words.get(key)
        if isinstance(value, list):
            value = value[0] if value else None
        if isinstance(value, Node) and depth < _DEPTH:
            description = description.over(describe(value, depth + 1))
        elif isinstance(value, str):
            description = description.over(Description(value.strip()))
    status = next(nodes(words.get("status")), Node(0))
    description = description.over(Description(text(status.get(TEXT))))
    return description if description.message else replace(description, message=description.trace)


def _first_words(trace: str) -> str:
    """The first three `E` lines of a pytest trace, else the first three lines that aren't stack frames."""
    lines = [line.strip() for line in trace[:20_000].split("\n")]
    marked = [line[2:].strip() for line in lines if line.startswith("E ")]
    plain = [line for line in lines if line and not line.startswith(_DRESSING)]
    return "\n".join((marked or plain)[:3])


def _whole(value: Value) -> str:
    if isinstance(value, list):
        return "\n".join(item for item in value[:200] if isinstance(item, str))
    return value if isinstance(value, str) else text(value)
