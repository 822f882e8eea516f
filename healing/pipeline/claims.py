"""What other runs of the repository are working on right now, so that the same failure is paid for once."""

from typing import Protocol


class Claims(Protocol):
    """The claims of one run. A claim ends with its run, or once it is too old to be waited for."""

    async def claim(self, breakages: tuple[str, ...]) -> bool:
        """Claims these breakages for this run and releases those it claimed before. Returns whether a run that claimed
        one of them earlier is still working. Runs wait only for earlier ones, so never for each other."""
        ...

    async def pause(self) -> None:
        """Waits before `claim` is called again."""
        ...
