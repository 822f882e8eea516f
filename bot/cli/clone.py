"""Opens the person's clone for a command, with what Heal remembers of it."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.laptop.local import LocalRepo


def open_clone(path: Path) -> AbstractAsyncContextManager["LocalRepo"]:
    """The clone around `path`; imported late, because the store's libraries are heavy. Raises UserError."""
    from bot.laptop.local import local_repo
    from bot.settings import read_settings

    return local_repo(path, read_settings())
