"""What a tool that suggests is to Heal: which errors it may know a fix for, how it is asked, how its answer reads."""

import json
from collections.abc import Iterator
from typing import Any, Protocol

from healing.model import CIError
from healing.repair.fixers.suggested.suggestion import Suggestion
from healing.repair.tools.call import Call
from healing.repair.tools.settings import ToolConfig
from healing.view import TreeView


class Suggester(Protocol):
    """One tool. It only prints; the caller makes candidates of what it says, and the verifier proves them."""

    @property
    def name(self) -> str:
        """As in `fixer:<name>`."""
        ...

    def wants(self, errors: tuple[CIError, ...], tool_config: ToolConfig) -> tuple[CIError, ...]:
        """The errors that it may know a fix for; none where the repo doesn't use it."""
        ...

    def calls(self, files: tuple[str, ...], errors: tuple[CIError, ...], tool_config: ToolConfig) -> tuple[Call, ...]:
        """The commands that make it say what it suggests, on standard output."""
        ...

    def read(self, answer: str, errors: tuple[CIError, ...], view: TreeView) -> Iterator[Suggestion]:
        """What it suggests; of a broken answer what can be read. Never raises."""
        ...


def objects(answer: str) -> list[Any]:
    """The JSON values in an answer of one document, or of one to a line, in order; a list counts as its entries."""
    found: list[Any] = []
    for text in [answer] if "\n{" not in answer and "\n[" not in answer else answer.splitlines():
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            continue
        found += value if isinstance(value, list) else [value]
    return found
