"""Nothing on any page stands in the way of people who can't see it, use no mouse, or see little contrast."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page

from tests.web.axe import faults
from tests.web.conftest import Stage
from tests.web.scene import busy_weeks
from tests.web.test_setup import Fresh, fresh
from tests.web.windows import PAGES, PUBLIC, opened, signed_in

__all__ = ["fresh"]
pytestmark = pytest.mark.asyncio(loop_scope="session")
SCHEMES = pytest.mark.parametrize("scheme", ["light", "dark"])
WIDTHS = pytest.mark.parametrize("width", [1280, 390])
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
NOT_REACHED = """() => [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, summary")]
    .filter(one => one.checkVisibility() && !one.disabled && !one.dataset.reached)
    .map(one => one.outerHTML.slice(0, 120))"""


@pytest_asyncio.fixture(loop_scope="session")
async def busy(stage: Stage) -> AsyncIterator[Stage]:
    """Weeks of runs, and an installation that grants too little."""
    await busy_weeks(stage, 8)
    del stage.installations["corner-shop"].permissions["statuses"]
    yield stage


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
        await context.close()
    assert found == []


# OP-11
@WIDTHS
@pytest.mark.parametrize("path", ["/", PAGES[4]])
async def test_the_keyboard_reaches_everything_on_a_page_and_shows_where_it_is(
    busy: Stage, browser: Browser, path: str, width: int
) -> None:
    context = await signed_in(browser, busy, viewport={"width": width, "height": 800})
    page = await opened(context, path)
    unseen = []
    for _ in range(400):
        await page.keyboard.press("Tab")
        what = await page.evaluate(REACHED)
        if what is None:
            break
        unseen += [what] if what else []
    assert unseen == []
    assert await page.evaluate(NOT_REACHED) == []
    await context.close()
