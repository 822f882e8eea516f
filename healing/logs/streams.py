"""Output of several programs in one log, a prefix on each line: taken apart, so that each is read as its own.

Known are the prefixes of monorepo runners (`web:test: `, `packages/web test: `), of compose (`web-1  | `) and of
programs run side by side (`[0] `). Whatever else stands before a colon or a bar is a tool's own.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_TASK = "test|tests|lint|build|check|types?|typecheck|type-check|compile|format|unit|e2e|ci|dev|start|coverage|verify"
_PREFIX = re.compile(
    r"(?!(?i:error|warn|fail|fatal))"
    rf"(?P<name>(?:(?:@[\w.-]{{1,60}}/)?[\w./-]{{1,80}}:|(?:@[\w.-]{{1,60}}|[\w.-]{{1,60}})/[\w./-]{{1,80}} )"
    rf"(?:{_TASK})(?::[\w-]{{1,30}})?): ?"
    r"|(?P<service>[a-z][\w.-]{0,60}-\d{1,3})\s{1,40}\| ?"
    r"|\[(?P<number>\d{1,2})\] "
)
# One of these is in every line that has a prefix.
SIGNS = (*(f"{task}: " for task in _TASK.replace("types?", "type").split("|")), " | ", "[0] ", "[1] ", "[2] ")
MOST = 40  # programs of one log; the lines of more are read as they stand


@dataclass(frozen=True, slots=True)
class Stream:
    """The lines of one program: `name` "" for what has no prefix; `numbers` are the lines' numbers in the log."""

    name: str
    numbers: Sequence[int]
    texts: list[str]


def interleaved(texts: Sequence[str], signs: Iterable[int]) -> bool:
    """Whether several programs wrote here: one of the lines that have a sign does begin with a prefix."""
    return any(_PREFIX.match(texts[index]) for index in signs)


def streams(whole: Stream) -> list[Stream]:
    """The lines of `whole` by program, prefixes taken off; what has none first."""
    parts: dict[str, tuple[list[int], list[str]]] = {"": ([], [])}
    for number, text in zip(whole.numbers, whole.texts, strict=True):
        match = _PREFIX.match(text)
        name = (match["name"] or match["service"] or match["number"] or "") if match else ""
        if match and (name in parts or len(parts) <= MOST):
            text = text[match.end() :]  # noqa: PLW2901 - without its prefix
        else:
            name = ""
        numbers, texts = parts.setdefault(name, ([], []))
        numbers.append(number)
        texts.append(text)
    return [Stream(name, *part) for name, part in parts.items() if part[0]]
