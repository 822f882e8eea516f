"""What the proof asks of whoever gives second opinions: it can lower a verdict, never raise one."""

from collections.abc import Callable
from typing import Protocol

from healing.model import Candidate, CIError, NotChecked, Proposal

Read = Callable[[str], bytes | None]  # a file's bytes; None where there is none, or it is closed to models


class SecondOpinion(Protocol):
    """The second opinions of one run."""

    async def reviewed(
        self, candidate: Candidate, proposal: Proposal, errors: tuple[CIError, ...], read: Read
    ) -> Proposal:
        """The proven proposal with what a second opinion says of it. `read` gives the files before it. Raises Unfit."""
        ...

    def remarks(self) -> tuple[NotChecked, ...]:
        """How many fixes nobody gave a second opinion on, and why."""
        ...
