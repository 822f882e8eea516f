"""Gives each world its engine: one `Engine` for the process, one bare repository for each repository's git."""

from typing import TYPE_CHECKING

from bot.settings import Settings
from bot.world import MakeHealer, Site
from handlers.ports import Healer

if TYPE_CHECKING:
    from bot.engine import Engine
    from healing.gitio import Git, Transport


def real_healers(settings: Settings) -> MakeHealer:
    """Made when the first event needs them: the engine's imports are heavy."""
    engines: list[Engine] = []
    stores: dict[int, Git] = {}

    def make(site: Site) -> Healer:
        from bot.engine import Engine
        from bot.healer import RepoHealer
        from healing.gitio import Git

        if not engines:
            engines.append(Engine(settings))
        if site.repo.id not in stores:
            stores[site.repo.id] = Git.open(engines[0].data / "repos" / f"{site.repo.id}.git")

        return RepoHealer(
            slug=site.slug,
            engine=engines[0],
            github=site.github,
            transport=lambda: open_git(site),
            store=site.store,
            steps=site.steps,
            git=stores[site.repo.id],
        )

    return make


async def open_git(site: Site) -> "Transport":
    """A transport for reading the repository; its token can read only this one. Raises Refused and GitError."""
    from healing.gitio import open_http

    token = await site.password()
    return open_http(site.git_url, lambda: ("x-access-token", token.get_secret_value()))
