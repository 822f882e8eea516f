"""What is kept about installations, beyond their repositories: `handlers.model.Accounts` on the database."""

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
    """Of all installations. `store` gives that of a repository, by its id."""

    database: Database
    store: Callable[[int], RepoStore]
    now: Callable[[], float]

    async def note_grant(self, installation_id: int, account: str, permissions: Mapping[str, str]) -> None:
        """The newest word counts; the log says what is missing."""
        await save_grant(self.database, installation_id, account, permissions, self.now())
        for one in missing(dict(permissions)):
            log.warning("%s does not grant everything: %s", account, one.sentence)

    async def forget_grant(self, installation_id: int) -> None:
        await forget_grant(self.database, installation_id)

    async def repos_of(self, installation_id: int) -> tuple[int, ...]:
        return await repos_of(self.database, installation_id)

    async def forget_repo(self, repo_id: int) -> None:
        await self.store(repo_id).forget_repo()
