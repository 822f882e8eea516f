"""Data about installations, beyond their repositories: implements `handlers.model.Accounts` on the database."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bot.github.permissions import missing
from bot.store.database import Database
from bot.store.grants import forget_grant, save_grant
from bot.store.repo import RepoStore, repos_of

log = logging.getLogger("heal.accounts")


@dataclass(frozen=True)
class StoredAccounts:
    """Accounts of all installations. `store` returns a repository's store by the repository's id."""

    database: Database
    store: Callable[[int], RepoStore]
    now: Callable[[], float]

    async def note_grant(self, installation_id: int, account: str, permissions: Mapping[str, str]) -> None:
        """Saves the granted permissions, replacing earlier ones, and logs a warning for each missing permission."""
        await save_grant(self.database, installation_id, account, permissions, self.now())
        for permission in missing(dict(permissions)):
            log.warning("%s does not grant everything: %s", account, permission.sentence)

    async def forget_grant(self, installation_id: int) -> None:
        await forget_grant(self.database, installation_id)

    async def repos_of(self, installation_id: int) -> tuple[int, ...]:
        return await repos_of(self.database, installation_id)

    async def forget_repo(self, repo_id: int) -> None:
        await self.store(repo_id).forget_repo()
