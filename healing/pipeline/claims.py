"""What other runs of the repository are at work on right now, so that one breakage is paid for once."""

from typing import Protocol


class Claims(Protocol):
    """Those of one run. A claim ends with its run, or when it has stood too long to be waited for."""

    async def claim(self, breakages: tuple[str, ...]) -> bool:
        """This run is at work on these breakages, and no longer on others that it claimed before. Gives whether a run
        that claimed one of them earlier is still at work. Runs wait for earlier ones alone, so never for each other."""
        ...

    async def pause(self) -> None:
        """Waits a moment before asking again."""
        ...
