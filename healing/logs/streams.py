"""Splits interleaved output of several programs, with a prefix on each line, so that each is read by itself.

Supported are the prefixes of monorepo runners (`web:test: `, `packages/web test: `), of compose (`web-1  | `) and of
programs run in parallel (`[0] `), and the names of packages that Stack and Nix build (`lexi> `). Anything else before a
colon or a bar is the tool's own.
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
    r"|(?P<package>[a-z][\w.-]{1,60})> "
)
# Every line with a prefix contains one of these.
SIGNS = (*(f"{task}: " for task in _TASK.replace("types?", "type").split("|")), " | ", "[0] ", "[1] ", "[2] ", "> ")
_NUMBER = re.compile(r"\[\d{1,2}\] ")
_AFTER = 3  # lines after the last number that are examined too: most lines there have none if it is a message's
LIMIT = 40  # programs in one log; lines of further ones are read with their prefix


@dataclass(frozen=True, slots=True)
class Stream:
    """The lines of one program: `name` is "" for lines without a prefix; `numbers` are their numbers in the log."""

    name: str
    numbers: Sequence[int]
    texts: list[str]


def has_interleaved_output(texts: Sequence[str], signs: Iterable[int]) -> bool:
    """Whether several programs wrote the lines: one of those with a sign begins with a prefix.

    A number is one only if most lines have it. Tools number their messages too, with the details in the lines below.
    """
    matches = [(index, match) for index in signs if (match := _PREFIX.match(texts[index]))]
    if any(not match["number"] for _, match in matches):
        return True
    return bool(matches) and _is_numbered(texts[matches[0][0] : matches[-1][0] + 1 + _AFTER])


def _is_numbered(texts: Sequence[str]) -> bool:
    texts = [text for text in texts if text.strip()]
    return 2 * sum(_NUMBER.match(text) is not None for text in texts) > len(texts)


def streams(whole: Stream) -> list[Stream]:
    """The lines of `whole` by program, without their prefixes; lines without a prefix first."""
    parts: dict[str, tuple[list[int], list[str]]] = {"": ([], [])}
    for number, text in zip(whole.numbers, whole.texts, strict=True):
        match = _PREFIX.match(text)
        name = (match["name"] or match["service"] or match["number"] or match["package"] or "") if match else ""
        if match and (name in parts or len(parts) <= LIMIT):
            text = text[match.end() :]  # noqa: PLW2901 - without its prefix
        else:
            name = ""
        numbers, texts = parts.setdefault(name, ([], []))
        numbers.append(number)
        texts.append(text)
    return [Stream(name, *part) for name, part in parts.items() if part[0]]
