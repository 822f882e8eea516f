"""Handles installing and uninstalling; after uninstalling, all data of the repositories is deleted."""

from handlers.events import Installed, Uninstalled
from handlers.model import Accounts


async def handle_installed(event: Installed, accounts: Accounts) -> None:
    """Saves the granted permissions. There is nothing else to do until a check fails."""
    if event.permissions:
        await accounts.note_grant(event.installation_id, event.account, dict(event.permissions))


async def handle_uninstalled(event: Uninstalled, accounts: Accounts) -> None:
    """Deletes the data of the removed repositories. Their running runs end because GitHub refuses their requests."""
    if not event.repo_ids:
        await accounts.forget_grant(event.installation_id)
    for repo_id in event.repo_ids or await accounts.repos_of(event.installation_id):
        await accounts.forget_repo(repo_id)
