"""Creates the healer of each context: one `Engine` per process, one bare git repository per GitHub repository."""

import asyncio
import contextlib
import logging
import threading
from importlib import import_module
from typing import TYPE_CHECKING

from bot.contexts import RepoSite, SiteHealer
from bot.runs.stores import Stores
from bot.settings import Settings

if TYPE_CHECKING:
    from bot.runs.engine import Engine
    from healing.git.transport import Transport

HEAVY = ("bot.github.access", "bot.runs.healer", "githubkit", "handlers.router", "handlers.runs.healing_run")

log = logging.getLogger("heal.engine")


class RealHealers:
    """`bot.contexts.MakeHealer` for production. Its parts are created on first use, because their imports are slow."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._engine: Engine | None = None
        self.stores = Stores(settings.data.resolve() / "repos")
        self._making = threading.Lock()

    def __call__(self, site: RepoSite) -> SiteHealer:
        from bot.runs.healer import RepoHealer

        site.until.enter_context(self.stores.in_use(site.repo.id))
        return RepoHealer(
            slug=site.slug,
            engine=self.engine(),
            github=site.github,
            transport=lambda: open_git(site),
            store=site.store,
            steps=site.steps,
            git=self.stores.open(site.repo.id),
            now=site.now,
            trials=site.trials,
            cluster_tasks=site.cluster_tasks,
        )

    def engine(self) -> "Engine":
        """Returns the engine of this process. Raises GitError if the sandbox's user can't reach the data folder."""
        from bot.runs.engine import Engine

        with self._making:
            if self._engine is None:
                self._engine = Engine(self._settings)
            return self._engine

    async def open(self) -> None:
        """Must be called at start: removes the folders that killed processes left. Also imports the heavy modules,
        which the first delivery would otherwise import while others wait."""
        from healing.git import GitError

        for heavy in HEAVY:
            await asyncio.to_thread(import_module, heavy)
        try:
            swept = await asyncio.to_thread(lambda: self.engine().sweep())
        except GitError as error:
            log.warning("nothing can be checked here: %s", error)  # each run reports this too
            return
        if swept:
            log.info("removed what killed processes left: %s", ", ".join(swept))

    async def warm_up(self) -> None:
        """Creates what the first run would wait for. A failure is left for the run that needs it, which reports it."""
        from healing.environment.toolchain import ToolchainError
        from healing.git import GitError
        from healing.sandbox.interpreter import NoInterpreterError

        with contextlib.suppress(ToolchainError, NoInterpreterError, GitError, OSError):
            await self.engine().toolchain()

    async def close(self) -> None:
        """Must be called at the end, when no work is running: removes this process's own folders."""
        if self._engine is not None:
            await self._engine.close()
        self.stores.close()


def real_healers(settings: Settings) -> RealHealers:
    """Returns the healers of one process."""
    return RealHealers(settings)


async def open_git(site: RepoSite) -> "Transport":
    """Opens a read-only transport; its token gives access only to this repository. Raises Refused and GitError."""
    from healing.git.transport import open_http

    token = await site.password()
    return open_http(site.git_url, lambda: ("x-access-token", token.get_secret_value()))
