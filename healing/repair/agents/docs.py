"""The documentation look-up for agents. The operator chooses the source, never a repository."""

from typing import Protocol


class NoAnswer(Exception):
    """The look-up found nothing; the message says why and what to do instead."""


class Docs(Protocol):
    """A source of documentation. What it returns is untrusted text."""

    async def look_up(self, library: str, question: str) -> str:
        """What is written about it, of bounded length and within bounded time. Raises NoAnswer."""
        ...
