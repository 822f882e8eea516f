"""Nothing on any page stands in the way of people who can't see it, use no mouse, or see little contrast."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from tests.web.axe import faults
from tests.web.conftest import Stage
from tests.web.scene import busy_weeks
from tests.web.test_setup import Fresh, fresh
from tests.web.windows import PAGES, PUBLIC, opened, signed_in

__all__ = ["fresh"]
pytestmark = pytest.mark.asyncio(loop_scope="session")
SCHEMES = pytest.mark.parametrize("scheme", ["light", "dark"])
WIDTHS = pytest.mark.parametrize("width", [1280, 390])
MOST_STOPS = 400
UNFOLD = "document.querySelectorAll('details').forEach(one => one.open = true)"
REACHED = """() => {
    const one = document.activeElement;
    if (one === document.body || one.dataset.reached) return null;
    one.dataset.reached = "yes";
    const style = getComputedStyle(one), box = one.getBoundingClientRect();
    const ring = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
    const onScreen = box.top < innerHeight && box.bottom > 0 && box.left < innerWidth && box.right > 0;
    return ring && onScreen ? "" : `ring ${ring}, on screen ${onScreen}: ${one.outerHTML.slice(0, 120)}`;
}"""
STOPS = "a[href], button, input:not([type=hidden]), select, summary, .scroll, pre"
NOT_REACHED = """stops => [...document.querySelectorAll(stops)]
    .filter(one => one.checkVisibility() && !one.disabled && !one.dataset.reached)
    .map(one => one.outerHTML.slice(0, 120))"""


@pytest_asyncio.fixture(loop_scope="session")
async def busy(stage: Stage) -> AsyncIterator[Stage]:
    """Weeks of runs, and an installation that grants too little."""
    await busy_weeks(stage, 8)
    del stage.installations["corner-shop"].permissions["statuses"]
    yield stage


async def to_the_end_of_the_set_up(fresh: Fresh, page: Page) -> None:
    """From the page that asks for the App, through GitHub's, to the page that says what was made."""
    await page.context.add_cookies([{"name": "localhub_you", "value": "maya", "url": fresh.local.url}])
    await page.get_by_role("button", name="Create “Heal” on GitHub").click()
    await page.get_by_role("button", name="Create GitHub App").click()
    await expect(page.get_by_role("heading", name="Heal is set up")).to_be_visible()


async def not_reached(page: Page, name: str) -> list[str]:
    """Tabs until the page begins again, and gives what has no ring, is out of sight or was passed over."""
    await page.evaluate(UNFOLD)
    found: list[str] = []
    for _ in range(MOST_STOPS):
        await page.keyboard.press("Tab")
        what = await page.evaluate(REACHED)
        if what is None:
            break
        found += [what] if what else []
    else:
        found.append(f"no end after {MOST_STOPS} stops")
    return [f"{name}: {one}" for one in found + await page.evaluate(NOT_REACHED, STOPS)]


async def faults_of(page: Page, path: str) -> list[str]:
    await page.evaluate(UNFOLD)
    return [f"{path}: {fault}" for fault in await faults(page)]


# OP-4 OP-11
@SCHEMES
@WIDTHS
async def test_axe_finds_nothing_wrong_with_any_page(busy: Stage, browser: Browser, scheme: str, width: int) -> None:
    looks = {"color_scheme": scheme, "viewport": {"width": width, "height": 800}, "bypass_csp": True}
    context = await signed_in(browser, busy, **looks)
    found = []
    for path in PAGES:
        found += await faults_of(await opened(context, path), path)
    await context.clear_cookies()
    for path in PUBLIC:
        found += await faults_of(await opened(context, path), path)
    assert found == []
    await context.close()


# OP-1 OP-11
@SCHEMES
@WIDTHS
async def test_axe_finds_nothing_wrong_with_the_set_up(fresh: Fresh, browser: Browser, scheme: str, width: int) -> None:
    async with fresh.heal():
        opening = await fresh.printed()
        context = await browser.new_context(
            color_scheme=scheme, viewport={"width": width, "height": 800}, bypass_csp=True
        )  # type: ignore[arg-type]
        page = await context.new_page()
        await page.goto(f"{fresh.url}/setup")
        found = await faults_of(page, "/setup, closed")
        await page.goto(opening)
        assert page.url == f"{fresh.url}/setup"
        found += await faults_of(page, "/setup")
        await to_the_end_of_the_set_up(fresh, page)
        found += await faults_of(page, "after the set-up")
        await context.close()
    assert found == []


# OP-11
@WIDTHS
@pytest.mark.parametrize("path", PAGES)
async def test_the_keyboard_reaches_everything_on_a_page_and_shows_where_it_is(
    busy: Stage, browser: Browser, path: str, width: int
) -> None:
    context = await signed_in(browser, busy, viewport={"width": width, "height": 800})
    assert await not_reached(await opened(context, path), path) == []
    await context.close()


# OP-11
@WIDTHS
async def test_the_keyboard_reaches_everything_for_whoever_is_not_signed_in(
    busy: Stage, browser: Browser, width: int
) -> None:
    context = await browser.new_context(base_url=busy.url, viewport={"width": width, "height": 800})
    await context.new_page()
    found = [one for path in PUBLIC for one in await not_reached(await opened(context, path), path)]
    assert found == []
    await context.close()


# OP-1 OP-11
@WIDTHS
async def test_the_keyboard_reaches_everything_in_the_set_up(fresh: Fresh, browser: Browser, width: int) -> None:
    async with fresh.heal():
        opening = await fresh.printed()
        context = await browser.new_context(viewport={"width": width, "height": 800})
        page = await context.new_page()
        lost: list[str] = []
        page.on("requestfailed", lambda request: lost.append(request.url))
        await page.goto(f"{fresh.url}/setup")
        found = await not_reached(page, "/setup, closed")
        await page.goto(opening)
        found += await not_reached(page, "/setup")
        await to_the_end_of_the_set_up(fresh, page)
        found += await not_reached(page, "after the set-up")
        await context.close()
    assert (found, lost) == ([], [])
