"""Heal was put on an account's repositories, or taken off: then everything about them is forgotten."""

from handlers.events import Installed, Uninstalled
from handlers.model import Accounts


async def handle_installed(event: Installed, accounts: Accounts) -> None:
    """Keeps what is granted. Nothing else is to be done until a check fails."""
    if event.permissions:
        await accounts.note_grant(event.installation_id, event.account, dict(event.permissions))


async def handle_uninstalled(event: Uninstalled, accounts: Accounts) -> None:
    """Forgets the repositories that were taken away. Their runs in flight end by GitHub's refusal."""
    if not event.repo_ids:
        await accounts.forget_grant(event.installation_id)
    for repo_id in event.repo_ids or await accounts.repos_of(event.installation_id):
        await accounts.forget_repo(repo_id)
