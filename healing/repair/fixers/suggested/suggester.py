"""The interface of tools that suggest fixes: which errors a tool may fix, how it is called, how its answer is read."""

import json
from collections.abc import Iterator
from typing import Any, Protocol

from healing.model import CIError
from healing.repair.fixers.suggested.suggestion import Suggestion
from healing.repair.tools.call import Call
from healing.repair.tools.settings import ToolConfig
from healing.view import TreeView


class Suggester(Protocol):
    """One tool. It only prints; the caller makes candidates of its suggestions, and the verifier proves them."""

    @property
    def name(self) -> str:
        """As in `fixer:<name>`."""
        ...

    def wants(self, errors: tuple[CIError, ...], tool_config: ToolConfig) -> tuple[CIError, ...]:
        """The errors that it may have a fix for; none where the repo doesn't use it."""
        ...

    def calls(self, files: tuple[str, ...], errors: tuple[CIError, ...], tool_config: ToolConfig) -> tuple[Call, ...]:
        """The commands that make it print its suggestions to standard output."""
        ...

    def read(self, answer: str, errors: tuple[CIError, ...], view: TreeView) -> Iterator[Suggestion]:
        """Its suggestions; of a broken answer those that can be read. Never raises."""
        ...


def objects(answer: str) -> list[Any]:
    """The JSON values in an answer of one document, or of one per line, in order; a list counts as its entries."""
    values: list[Any] = []
    for text in [answer] if "\n{" not in answer and "\n[" not in answer else answer.splitlines():
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            continue
        values += value if isinstance(value, list) else [value]
    return values
