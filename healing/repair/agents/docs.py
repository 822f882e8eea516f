"""Documentation look-up as agents know it; who answers is for the operator to say, never for a repository."""

from typing import Protocol


class NoAnswer(Exception):
    """The look-up gave nothing; the message says why and what to do instead."""


class Docs(Protocol):
    """A source of documentation. What it gives is strangers' text."""

    async def look_up(self, library: str, question: str) -> str:
        """What is written about it, of bounded length and within bounded time. Raises NoAnswer."""
        ...
