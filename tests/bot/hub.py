"""A repository with a pull request on the local GitHub, and Heal installed on it, for the reader and the publisher."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from bot.contexts import Contexts, MakeHealer, RepoContext, RepoSite
from bot.durable.engine import DurableEngine
from bot.settings import Settings
from bot.store.database import Database
from handlers import events
from lab.localhub import apps, pulls, pushes, repos
from lab.localhub.hub import Hub
from lab.localhub.server import LocalHub, serve
from lab.localhub.state import App, Installation, Pull, Repo
from tests.bot.conftest import Clock
from tests.localhub import asking

LINES = "".join(f"line {n}\n" for n in range(1, 41))
CHANGED = LINES.replace("line 5\n", "line five\n").replace("line 30\n", "line thirty\n")


@dataclass
class Place:
    """Everything at hand: `pull` changes lines 5 and 30 of a.txt."""

    local: LocalHub
    app: App
    installation: Installation
    repo: Repo
    pull: Pull
    contexts: Contexts
    settings: Settings
    healed: list[int] = field(default_factory=list)  # how many failures each healing was given

    @property
    def hub(self) -> Hub:
        return self.local.hub

    def event_repo(self) -> events.Repo:
        return events.Repo(id=self.repo.id, full_name=self.repo.full_name)

    @asynccontextmanager
    async def world(self) -> AsyncIterator[RepoContext]:
        async with self.contexts.open(self.installation.id, self.event_repo(), "delivery/1") as opened:
            yield opened

    def bot_comments(self) -> list[str]:
        return [c.body for c in self.hub.comments.values() if c.author.login == "heal[bot]"]


@cache
def _key() -> str:
    """One for all: making one takes a tenth of a second and more."""
    return apps.new_key()


def no_healer(_site: RepoSite) -> Any:
    """These tests need no engine."""


@asynccontextmanager
async def place(
    folder: Path, database: Database, clock: Clock, healer: MakeHealer = no_healer, **extra: Any
) -> AsyncIterator[Place]:
    """`extra` goes to the settings."""
    hub = Hub(folder / "hub", lambda: datetime.fromtimestamp(clock(), UTC))
    repo = repos.create_repo(hub, "octo", "demo", {"a.txt": LINES, "run.sh": ("echo hi\n", "100755")})
    repos.add_collaborator(repo, "mona", "write")
    app = apps.register(hub, private_key=_key())
    async with serve(hub) as local:
        installation = apps.install(hub, app, "octo")
        repo.suites_off.add(app.slug)
        pushes.commit(hub, "mona", repo, "topic#1", {"a.txt": CHANGED})
        pull = pulls.open_pull(hub, "mona", repo, "topic#1", "main", "Change two lines")
        settings = Settings(
            data=folder, app_id=str(app.id), private_key=SecretStr(app.private_key), github_url=local.api, write_gap=0,
            **extra,
        )  # fmt: skip
        contexts = Contexts(settings, database, DurableEngine(stepped=True), healer, clock, clock.sleep)
        yield Place(local, app, installation, repo, pull, contexts, settings)
        wrong = asking.objections(local.log)
        assert not wrong, "GitHub's descriptions say of what was sent:\n" + "\n".join(wrong)
