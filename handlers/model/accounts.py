"""What is kept about installations, beyond their repositories."""

from collections.abc import Mapping
from typing import Protocol


class Accounts(Protocol):
    """All installations of the App."""

    async def note_grant(self, installation_id: int, account: str, permissions: Mapping[str, str]) -> None:
        """Keeps what the account grants (name and level), to tell people which permission is missing."""
        ...

    async def forget_grant(self, installation_id: int) -> None: ...

    async def repos_of(self, installation_id: int) -> tuple[int, ...]:
        """Ids of the repositories that anything is remembered of."""
        ...

    async def forget_repo(self, repo_id: int) -> None:
        """Deletes everything about a repository."""
        ...
