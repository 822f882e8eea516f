"""The set-up in the browser, with real processes: `heal serve` without an App, GitHub's pages, and Heal after."""

import asyncio
import html
import json
import os
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
import pytest_asyncio

from bot.keys.registration import read_app_settings
from lab.free_port import free_port
from lab.localhub import repos
from lab.localhub.hub import Hub
from lab.localhub.pages import routes
from lab.localhub.server import LocalHub, serve

pytestmark = pytest.mark.asyncio(loop_scope="session")

ROOT = Path(__file__).parents[2]
_ADDRESS = re.compile(r"http://\S+/setup\?token=\S+")


@dataclass
class Fresh:
    """A machine where nobody has set anything up. `environment` is all that `heal serve` gets."""

    local: LocalHub
    environment: dict[str, str]
    url: str
    log: Path

    def you(self, base: str) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            base_url=base, headers={"Origin": base}, cookies={"localhub_you": "maya"}, trust_env=False, timeout=20
        )

    @asynccontextmanager
    async def heal(self, **more: str) -> AsyncIterator[asyncio.subprocess.Process]:
        """`heal serve --web-only` as a process, until the block ends."""
        with self.log.open("wb") as log:
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "bot", "serve", "--web-only", cwd=ROOT, env={**self.environment, **more},
                stdout=log, stderr=log,
            )  # fmt: skip
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                process.terminate()
            await process.wait()

    async def printed(self) -> str:
        """The address that opens the set-up."""
        for _ in range(600):
            found = _ADDRESS.search(self.log.read_text())
            if found:
                await self.answers("/healthz", 200)
                return found[0]
            await asyncio.sleep(0.05)
        pytest.fail(f"heal serve printed no address: {self.log.read_text()[-2000:]}")

    async def answers(self, path: str, status: int) -> httpx.Response:
        """What Heal answers there once it is that status."""
        answer = None
        async with httpx.AsyncClient(base_url=self.url, trust_env=False, timeout=60) as client:
            for _ in range(600):
                with suppress(httpx.HTTPError):
                    answer = await client.get(path)
                    if answer.status_code == status:
                        return answer
                await asyncio.sleep(0.05)
        pytest.fail(f"{path} is not {status}: {answer}; {self.log.read_text()[-2000:]}")


@pytest_asyncio.fixture(loop_scope="session")
async def fresh(tmp_path: Path) -> AsyncIterator[Fresh]:
    async with fresh_machine(tmp_path) as made:
        yield made


@asynccontextmanager
async def fresh_machine(folder: Path) -> AsyncIterator[Fresh]:
    """Nothing but a local GitHub, in a folder."""
    hub = Hub(folder / "hub")
    repo = repos.create_repo(hub, "corner-shop", "tally", {"a.txt": "a\n"})
    hub.person("maya")
    repos.add_collaborator(repo, "maya", "admin")
    port = free_port()
    async with serve(hub, extra_routes=routes(hub)) as local:
        environment = {
            "PATH": os.environ["PATH"], "HOME": str(folder), "HEAL_DATA": str(folder / "data"),
            "HEAL_PORT": str(port), "HEAL_GITHUB_URL": f"{local.url}/api/v3",
        }  # fmt: skip
        yield Fresh(local, environment, f"http://127.0.0.1:{port}", folder / "heal.log")


async def app_made(fresh: Fresh, you: httpx.AsyncClient, name: str = "Heal of Maya") -> str:
    """Goes from the set-up page through GitHub; gives the address that the browser is sent back to."""
    page = await you.get("/setup", params={"name": name})
    assert page.status_code == 200, page.text
    action = re.search(r'<form action="([^"]+)" method="post">\s*<input type="hidden" name="manifest"', page.text)
    manifest = re.search(r'name="manifest" value="([^"]+)"', page.text)
    assert action
    assert manifest
    async with fresh.you(fresh.local.url) as github:
        asked = await github.post(html.unescape(action[1]), data={"manifest": html.unescape(manifest[1])})
        fields = dict(re.findall(r'<input (?:type="hidden" |id="name" )name="([^"]+)" value="([^"]*)"', asked.text))
        fields = {key: html.unescape(value) for key, value in fields.items() if key not in ("next", "login")}
        back = await github.post("/settings/apps/new/confirmed", data=fields)
    return back.headers["location"]


# OP-1
async def test_a_newcomer_makes_the_app_in_the_browser_and_heal_goes_on_with_it(
    fresh: Fresh, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with fresh.heal(), fresh.you(fresh.url) as you:
        assert "not set up yet" in (await fresh.answers("/", 503)).text
        assert (await you.get("/setup")).status_code == 403
        opening = await fresh.printed()
        assert (await you.get(opening)).headers["location"] == "/setup"
        done = await you.get(await app_made(fresh, you))
        assert done.status_code == 200
        assert "Heal is set up" in done.text
        install = f"{fresh.local.url}/apps/heal-of-maya/installations/new"
        assert f'href="{install}"' in done.text
        await fresh.answers("/readyz", 200)
        assert "Sign in with GitHub" in (await you.get("/sign-in")).text
    [app] = fresh.local.hub.apps.values()
    assert app.webhook_url == f"{fresh.url}/webhook"
    assert app.callback_urls == [f"{fresh.url}/auth/callback"]
    for name, value in fresh.environment.items():
        monkeypatch.setenv(name, value)
    settings = await read_app_settings()
    assert (settings.app_id, settings.client_id) == (str(app.id), app.client_id)
    assert settings.webhook_secret.get_secret_value() == app.webhook_secret


# OP-1
async def test_nothing_of_the_app_lies_readable_on_the_disk_or_in_the_log(fresh: Fresh) -> None:
    async with fresh.heal(), fresh.you(fresh.url) as you:
        await you.get(await fresh.printed())
        assert (await you.get(await app_made(fresh, you))).status_code == 200
        await fresh.answers("/readyz", 200)
    [app] = fresh.local.hub.apps.values()
    body = "".join(app.private_key.split("\n")[1:3])
    data = Path(fresh.environment["HEAL_DATA"])
    for path in [*data.rglob("*"), fresh.log]:
        held = path.read_bytes() if path.is_file() else b""
        for secret in (app.webhook_secret, app.client_secret, body[:40]):
            assert secret.encode() not in held, path
    assert (data / "secret.key").stat().st_mode & 0o777 == 0o600


# OP-1
async def test_after_a_restart_the_app_is_known_and_setup_is_gone(fresh: Fresh) -> None:
    async with fresh.heal(), fresh.you(fresh.url) as you:
        await you.get(await fresh.printed())
        await you.get(await app_made(fresh, you))
        await fresh.answers("/readyz", 200)
        assert (await you.get("/setup")).status_code == 404
    async with fresh.heal() as process:
        await fresh.answers("/readyz", 200)
        assert "/setup?token" not in fresh.log.read_text()
        pages = int(Path(f"/proc/{process.pid}/statm").read_text().split()[1])
        assert pages * 4096 <= 120_000_000, "an idle web process stays small"
    key = (Path(fresh.environment["HEAL_DATA"]) / "secret.key").read_text().strip()
    newer = "n" * 40
    async with fresh.heal(HEAL_SECRET_KEY=f"{newer},{key}"):
        await fresh.answers("/readyz", 200)
    async with fresh.heal(HEAL_SECRET_KEY=newer):
        await fresh.answers("/readyz", 200)
    async with fresh.heal(HEAL_SECRET_KEY="wrong" * 10) as process:
        assert await process.wait() != 0
    assert "sealed with another key" in fresh.log.read_text()


# OP-1
async def test_the_set_up_opens_once_for_one_browser_and_takes_no_foreign_answer(fresh: Fresh) -> None:
    async with fresh.heal(), fresh.you(fresh.url) as you, fresh.you(fresh.url) as other:
        opening = await fresh.printed()
        assert (await other.get("/setup?token=guess")).status_code == 403
        await you.get(opening)
        assert (await other.get(opening)).status_code == 403
        back = await app_made(fresh, you)
        assert (await other.get(back)).status_code == 403
        wrong = re.sub(r"state=[^&]+", "state=forged", back)
        assert (await you.get(wrong)).status_code == 403
        assert (await you.get(re.sub(r"code=[^&]+", "code=0000", back))).status_code == 502
        assert (await you.get(re.sub(r"code=[^&]+", "code=..%2F..%2Fuser", back))).status_code == 400
        assert (await you.get(back)).status_code == 200


# OP-1
async def test_the_manifest_asks_for_what_app_yml_says_and_nothing_more(fresh: Fresh) -> None:
    from bot.github.permissions import manifest
    from bot.web.setup.pages import manifest_for

    reported = json.loads(manifest_for("https://heal.example", "Heal"))
    wanted = manifest()
    assert reported["default_permissions"] == wanted["default_permissions"]
    assert reported["default_events"] == wanted["default_events"]
    assert reported["hook_attributes"] == {"url": "https://heal.example/webhook", "active": True}
