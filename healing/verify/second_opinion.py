"""The interface for second opinions on proven fixes: one can lower a verdict, never raise it."""

from collections.abc import Callable
from typing import Protocol

from healing.model import Candidate, CIError, NotChecked, Proposal

Read = Callable[[str], bytes | None]  # a file's bytes; None if it doesn't exist or is closed to models


class SecondOpinion(Protocol):
    """The second opinions of one run."""

    async def reviewed(
        self, candidate: Candidate, proposal: Proposal, errors: tuple[CIError, ...], read: Read
    ) -> Proposal:
        """The proven proposal with the second opinion added. `read` gives the files as they are before it. Raises
        Unfit."""
        ...

    def remarks(self) -> tuple[NotChecked, ...]:
        """How many fixes got no second opinion, and why."""
        ...
