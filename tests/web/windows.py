"""Windows of somebody who is signed in to the dashboard, and the pages that they can open."""

import asyncio

import pytest
from playwright.async_api import Browser, BrowserContext, Page, expect

from tests.web.conftest import Stage
from tests.web.scene import SHA

RUN = f"/runs/corner-shop/tally/{SHA}/1"
TALLY, NOTHING = "/repositories/corner-shop/tally", "/repositories/corner-shop/nosuch"
PAGES = ("/", "/runs", "/fixes", "/flaky", RUN, "/repositories", TALLY, "/queue", "/runs?q=nothing", NOTHING, "/nosuch")
PUBLIC = ("/sign-in", "/nosuch", "/auth/callback?code=x&state=y")  # for whoever is not signed in: the last is a 403
SECONDS = 30  # for one event, also on a busy machine


async def signed_in(browser: Browser, stage: Stage, login: str = "maya", **options: object) -> BrowserContext:
    """A window of somebody who signed in with clicks alone."""
    context = await browser.new_context(base_url=stage.url, **options)  # type: ignore[arg-type]
    context.set_default_timeout(60_000)
    await context.add_cookies([{"name": "localhub_you", "value": login, "url": stage.local.url}])
    page = await context.new_page()
    await page.goto("/")
    await page.get_by_role("link", name="Sign in with GitHub").click()
    await page.get_by_role("button", name=f"Authorize as {login}").click()
    await expect(page.get_by_role("heading", name="Overview")).to_be_visible()
    return context


async def opened(context: BrowserContext, path: str) -> Page:
    """A page; a script that fails there fails the test."""
    page = context.pages[0]
    page.on("pageerror", lambda error: pytest.fail(f"the page's script failed: {error}"))
    await page.goto(path)
    return page


async def opened_live(context: BrowserContext, path: str) -> tuple[Page, asyncio.Queue[object]]:
    """A page that receives changes from now on, and the marks that it receives."""
    marks: asyncio.Queue[object] = asyncio.Queue()
    protocol = await context.new_cdp_session(context.pages[0])
    protocol.on("Network.eventSourceMessageReceived", marks.put_nowait)
    await protocol.send("Network.enable")
    page = await opened(context, path)
    await asyncio.wait_for(marks.get(), SECONDS)
    return page, marks
