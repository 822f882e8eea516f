"""Opens the person's clone for a command. Each function loads only what its commands need, because the store's
libraries and the engine are slow to load."""

import os
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from bot.cli.shell import note
from bot.loading import loading

if TYPE_CHECKING:
    from bot.laptop.clone import Code, OpenClone
    from bot.laptop.healed_clone import HealedClone
    from bot.laptop.local import LocalRepo
    from healing.checks.running import Checker


def open_clone(path: Path) -> AbstractAsyncContextManager["LocalRepo"]:
    """The clone around `path`, with its fixes and runs in the store. Raises UserError."""
    with loading():
        from bot.laptop.local import local_repo
        from bot.settings import read_settings

    return local_repo(path, read_settings())


def open_to_heal(path: Path, model: str = "", command: str = "") -> AbstractAsyncContextManager["HealedClone"]:
    """The clone for a command that looks for fixes. `command` is the person's --run, and `model` replaces the
    configured model; both may be empty. Raises UserError."""
    with loading():
        from bot.laptop.healed_clone import clone_to_heal
        from bot.settings import read_settings

    settings = read_settings(environ=os.environ | ({"HEAL_MODEL": model} if model else {}))
    return clone_to_heal(path, settings, command=command)


def open_for_checks(path: Path, command: str = "") -> AbstractAsyncContextManager["OpenClone"]:
    """The clone for a command that only runs checks. Raises UserError."""
    with loading():
        from bot.laptop.clone import OpenClone, opened
        from bot.settings import read_settings

    return opened(OpenClone, path, read_settings(), command=command)


async def checker_for(repo: "OpenClone", code: "Code", fresh: bool) -> "Checker":
    """The runner for checks on the code. Prints a warning on stderr, even with --quiet, if there is no sandbox. Raises
    UserError if checks can't be run at all."""
    from healing.sandbox.none import warning_of

    checker = await repo.checker(code, fresh)
    if warning := warning_of(checker.sandbox):
        note(warning)
    return checker
