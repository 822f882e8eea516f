"""One served local GitHub with an App and a pull request; every answer of it is held to GitHub's description."""

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from githubkit import AppInstallationAuthStrategy, GitHub
from githubkit.cache import MemCacheStrategy
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from lab.localhub import apps, pulls, pushes, repos
from lab.localhub.hub import Hub
from lab.localhub.server import LocalHub, serve
from lab.localhub.state import App, Installation, Pull, Repo
from tests.localhub import contract

BEFORE = "".join(f"line{number} = {number}\n" for number in range(1, 41))
AFTER = BEFORE.replace("line10 = 10\n", "line10 = ten\n").replace("line30 = 30\n", "line30 = thirty\nextra = 1\n")


@dataclass
class Clock:
    """The hub's time, moved by hand."""

    moment: datetime = field(default_factory=lambda: datetime.now(UTC))

    def __call__(self) -> datetime:
        return self.moment

    def forward(self, **by: float) -> None:
        """`seconds=…`, `minutes=…`, `hours=…`"""
        self.moment += timedelta(**by)


@dataclass
class Ear:
    """A webhook endpoint that keeps what it hears and answers as told."""

    status: int = 202
    heard: list[tuple[dict[str, str], bytes]] = field(default_factory=list)

    async def hear(self, request: Request) -> Response:
        """The endpoint."""
        self.heard.append((dict(request.headers), await request.body()))
        return Response(status_code=self.status)

    @property
    def events(self) -> list[str]:
        """The events in the order in which they came."""
        return [headers["x-github-event"] for headers, _ in self.heard]


@dataclass
class World:
    """All that a test needs."""

    hub: Hub
    clock: Clock
    local: LocalHub
    repo: Repo
    app: App
    installation: Installation
    pull: Pull
    ear: Ear

    def client(self, **narrow: Any) -> Any:
        """A real githubkit client for the installation, with the settings that Heal uses."""
        auth = AppInstallationAuthStrategy(self.app.id, self.app.private_key, self.installation.id, **narrow)
        return GitHub(
            auth, base_url=self.local.api, http_cache=False, auto_retry=False, cache_strategy=MemCacheStrategy(),
            timeout=httpx.Timeout(10),
        )  # fmt: skip

    @contextlib.asynccontextmanager
    async def raw(self, token: str | None = None) -> AsyncIterator[httpx.AsyncClient]:
        """A plain HTTP client on the repository, with a token (by default the installation's, all permissions)."""
        value = token or apps.mint(self.hub, self.installation).value
        base = f"{self.local.api}repos/{self.repo.full_name}"
        headers = {"Authorization": f"token {value}", "User-Agent": "test"}
        async with httpx.AsyncClient(
            base_url=base, headers=headers, trust_env=False, verify=False, timeout=60
        ) as client:
            yield client


@pytest.fixture(scope="session")
def key() -> str:
    """One private key for all tests: making one takes long."""
    return apps.new_key()


@pytest.fixture
async def world(tmp_path: Path, key: str) -> AsyncIterator[World]:
    """Pull request 1 changes lines 10 and 30 of `code.py` and adds `new.py`."""
    clock, ear = Clock(), Ear()
    hub = Hub(tmp_path, clock)
    repo = repos.create_repo(hub, "octo", "demo", {"code.py": BEFORE, "docs/read me.md": "hello\n"})
    app = apps.register(hub, permissions={**apps.PERMISSIONS, "statuses": "write"}, private_key=key)
    installation = apps.install(hub, app, "octo")
    repos.add_collaborator(repo, "ada", "write")
    pushes.commit(hub, "ada", repo, "feature", {"code.py": AFTER, "new.py": "import os\nimport sys\n"}, "Break it")
    pull = pulls.open_pull(hub, "ada", repo, "feature", title="Break it")
    async with serve(hub, extra_routes=[Route("/webhook", ear.hear, methods=["POST"])]) as local:
        app.webhook_url = f"{local.url}/webhook"
        yield World(hub, clock, local, repo, app, installation, pull, ear)
        objections = []
        for seen in local.log:
            if seen.path.startswith("/api/v3/") and seen.status in (200, 201) and b"{" in seen.answer[:2]:
                objections += contract.objections_to_answer(seen)
        for sent in hub.deliveries:
            objections += contract.objections_to_webhook(sent.event, sent.action, sent.payload)
        assert "\n".join(sorted(set(objections))) == ""
