"""A served local GitHub with a pull request, Heal's suggestions on it, its persons, and a real browser."""

import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import Browser, async_playwright

from lab.localhub import apps, pulls, pushes, repos, reviews
from lab.localhub.hub import Hub
from lab.localhub.pages import routes
from lab.localhub.pages.guide import Guide
from lab.localhub.server import LocalHub, serve
from lab.localhub.state import App, HubEvent, Pull, Repo, ReviewComment

BEFORE = "".join(f"line{number} = {number}\n" for number in range(1, 21))
AFTER = BEFORE.replace("line10 = 10\n", "line10 = tne\n").replace("line15 = 15\n", "line15 = fiftene\n")
GUIDE = "**This is a GitHub on your own machine.** Try `/heal rollback <id>`."
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip


@dataclass
class Stage:
    """What a test needs. `heard` are the events so far."""

    hub: Hub
    local: LocalHub
    repo: Repo
    pull: Pull
    app: App
    heard: list[HubEvent]

    @property
    def path(self) -> str:
        """The pull request's path."""
        return f"/{self.repo.full_name}/pull/{self.pull.number}"

    @property
    def url(self) -> str:
        """The pull request's page."""
        return f"{self.local.url}{self.path}"

    def client(self, you: str = "maya") -> httpx.AsyncClient:
        """A browser without a window, as somebody; it says where its forms come from."""
        return httpx.AsyncClient(
            base_url=self.local.url, headers={"Origin": self.local.url}, cookies={"localhub_you": you}, trust_env=False
        )

    def content(self, path: str = "code.py") -> str:
        """A file on the pull request's branch."""
        return (self.hub.bare(self.repo).read(self.pull.head_sha, path) or b"").decode()

    def suggest(self, line: int, block: str, start: int | None = None, words: str = "A fix.") -> ReviewComment:
        """Heal suggests other lines on the diff."""
        draft = reviews.Draft("code.py", f"{words}\n\n```suggestion\n{block}```\n", line=line, start_line=start)
        bot = self.app.bot.login
        reviews.create_review(self.hub, bot, self.pull, "", drafts=(draft,), app_id=self.app.id)
        return self.hub.review_comments_of(self.pull)[-1]

    def events(self, event: str) -> list[HubEvent]:
        """What was heard of one kind."""
        return [one for one in self.heard if one.event == event]


@pytest.fixture(scope="session")
def key() -> str:
    """One private key for all tests: making one takes long."""
    return apps.new_key()


@pytest_asyncio.fixture(loop_scope="session")
async def stage(tmp_path: Path, key: str) -> AsyncIterator[Stage]:
    """Served anew for each test."""
    async with served_stage(tmp_path, key) as one:
        yield one


@asynccontextmanager
async def served_stage(folder: Path, key: str) -> AsyncIterator[Stage]:
    """Pull request 1 of `noor` misspells lines 10 and 15; `maya` is an admin, `sam` may read."""
    hub = Hub(folder)
    repo = repos.create_repo(hub, "corner-shop", "tally", {"code.py": BEFORE})
    for login, permission in (("maya", "admin"), ("noor", "write"), ("sam", "read")):
        hub.person(login)
        repos.add_collaborator(repo, login, permission)  # type: ignore[arg-type]
    app = apps.register(hub, private_key=key)
    apps.install(hub, app, "corner-shop")
    pushes.commit(hub, "noor", repo, "spelling", {"code.py": AFTER}, "Spell numbers")
    body = "Numbers **in words**."
    pull = pulls.open_pull(hub, "noor", repo, "spelling", title="Numbers in words", body=body)
    received: list[HubEvent] = []
    hub.listeners.append(received.append)
    async with serve(hub, extra_routes=routes(hub, Guide(GUIDE))) as local:
        yield Stage(hub, local, repo, pull, app, received)


@pytest_asyncio.fixture(loop_scope="session", scope="session")
async def browser() -> AsyncIterator[Browser]:
    """Real Chromium. Skips where there is none, unless CI is set: there it must be."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        if os.environ.get("CI") == "true":
            pytest.fail("CI has to have Chromium: the pages are shown in it")
        pytest.skip("no Chromium on this machine, so the pages can't be shown in a browser")
    async with async_playwright() as player:
        browser = await player.chromium.launch(executable_path=chromium, args=list(FLAGS))
        yield browser
        await browser.close()
