"""A person at Heal's dashboard, in a browser without a window: signs in by GitHub, reads, presses buttons."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from html import unescape
from urllib.parse import parse_qs, urlsplit

import httpx

from bot.store.deliveries import DASHBOARD
from lab.localhub import oauth
from tests.world import World

_FORM = re.compile(r'<form class="asks"[^>]* action="([^"]+)"[^>]*>(.*?)</form>', re.DOTALL)
_HIDDEN = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)"[^>]*>')
_BUTTON = re.compile(r'<button name="do" value="([a-z]+)"')


@dataclass
class Dashboard:
    """What `login` sees there and does."""

    world: World
    client: httpx.AsyncClient

    async def buttons(self, path: str) -> list[str]:
        """The words of all buttons of a page, in their order."""
        return [word for _, inside in await self._forms(path) for word in _BUTTON.findall(inside)]

    async def press(self, path: str, word: str, fix: str = "", why: str = "") -> None:
        """Presses a button of a page, of this fix if one is named. The worker has not heard of it yet."""
        for action, inside in await self._forms(path):
            fields = {name: unescape(value) for name, value in _HIDDEN.findall(inside)}
            if word in _BUTTON.findall(inside) and fields.get("fix", "").startswith(fix):
                answer = await self.client.post(unescape(action), data={**fields, "do": word, "why": why})
                assert answer.status_code == 303, answer.text
                assert "You asked to " in (await self.client.get(answer.headers["location"])).text
                return
        raise AssertionError(f"{path} has no button to {word} {fix}")

    async def send(self, action: str, page: str, fields: dict[str, str]) -> httpx.Response:
        """A form that no page shows this person, with what every page of theirs holds."""
        csrf = re.search(r'name="csrf" value="([^"]+)"', (await self.client.get(page)).text)
        assert csrf is not None
        return await self.client.post(action, data={"csrf": csrf[1], "once": "made-up", **fields})

    async def _forms(self, path: str) -> list[tuple[str, str]]:
        answer = await self.client.get(path)
        assert answer.status_code == 200, answer.text
        return _FORM.findall(answer.text)

    async def heard(self) -> None:
        """The worker takes what was asked for, also while a run is at work."""
        work = self.world.machine.work
        for row in await work.deliveries.waiting("stored"):
            if row.event == DASHBOARD:
                await work.delivery(row.guid)


@asynccontextmanager
async def at_dashboard(world: World, login: str) -> AsyncIterator[Dashboard]:
    """After GitHub's own page of consent, which is not what is looked at here."""
    base = urlsplit(world.app.webhook_url or "")
    url = f"{base.scheme}://{base.netloc}"
    async with httpx.AsyncClient(base_url=url, headers={"Origin": url}, trust_env=False, timeout=60) as client:
        begun = await client.get("/auth/start")
        asked = {name: values[0] for name, values in parse_qs(urlsplit(begun.headers["location"]).query).items()}
        code = oauth.consent(world.hub, login, world.app, asked["redirect_uri"], asked["code_challenge"])
        back = await client.get("/auth/callback", params={"code": code, "state": asked["state"]})
        assert back.status_code == 303, back.text
        yield Dashboard(world, client)
