"""Stored data about installations, beyond their repositories."""

from collections.abc import Mapping
from typing import Protocol


class Accounts(Protocol):
    """All installations of the App."""

    async def note_grant(self, installation_id: int, account: str, permissions: Mapping[str, str]) -> None:
        """Saves the granted permissions (name and level), to report which ones are missing."""
        ...

    async def forget_grant(self, installation_id: int) -> None: ...

    async def repos_of(self, installation_id: int) -> tuple[int, ...]:
        """Returns the ids of the installation's repositories that have stored data."""
        ...

    async def forget_repo(self, repo_id: int) -> None:
        """Deletes all data of a repository."""
        ...
