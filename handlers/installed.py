"""Heal was put on repositories, or taken off: then everything about them is forgotten."""

from handlers.events import Installed, Uninstalled
from handlers.ports import Context


async def handle_installed(_event: Installed, _world: Context) -> None:
    """Nothing to do yet: the first failed check starts the work."""


async def handle_uninstalled(_event: Uninstalled, context: Context) -> None:
    """Forgets the repository that `context` is bound to. Its runs in flight end by GitHub's refusal."""
    await context.store.forget_repo()
