"""Heal was put on repositories, or taken off: then everything about them is forgotten (OP-9)."""

from handlers.events import Installed, Uninstalled
from handlers.ports import World


async def handle_installed(_event: Installed, _world: World) -> None:
    """Nothing to do yet: the first failed check starts the work."""


async def handle_uninstalled(_event: Uninstalled, world: World) -> None:
    """Forgets the repository that `world` is bound to. Its runs in flight end by GitHub's refusal."""
    await world.store.forget_repo()
