"""A person at the dashboard, in real Chromium."""

import os
from pathlib import Path

import pytest
from playwright.async_api import Browser, BrowserContext, Page, expect

from tests.web.conftest import Stage
from tests.web.rows import told_run

pytestmark = pytest.mark.asyncio(loop_scope="session")

SHA = "4f1c09d2" * 5


async def signed_in(browser: Browser, stage: Stage, login: str = "maya", **options: object) -> BrowserContext:
    """A window of somebody who signed in with clicks alone."""
    context = await browser.new_context(base_url=stage.url, **options)  # type: ignore[arg-type]
    context.set_default_timeout(5000)
    await context.add_cookies([{"name": "localhub_you", "value": login, "url": stage.local.url}])
    page = await context.new_page()
    await page.goto("/")
    await page.get_by_role("link", name="Sign in with GitHub").click()
    await page.get_by_role("button", name=f"Authorize as {login}").click()
    await expect(page.get_by_role("heading", name="Runs")).to_be_visible()
    return context


async def opened(context: BrowserContext, path: str) -> Page:
    """A page; a script that fails there fails the test."""
    page = context.pages[0]
    page.on("pageerror", lambda error: pytest.fail(f"the page's script failed: {error}"))
    await page.goto(path)
    return page


# OP-4
async def test_a_person_goes_from_the_list_to_a_run_and_reads_its_proof(stage: Stage, browser: Browser) -> None:
    await told_run(stage.store("tally"), SHA)
    context = await signed_in(browser, stage)
    page = await opened(context, "/")
    await page.get_by_role("link", name="4f1c09d2").click()
    await expect(page.get_by_role("heading", name="Spell `format_cents` as it is defined")).to_be_visible()
    await page.get_by_text("Proof: ruff check shop").first.click()
    await expect(page.get_by_text("All checks passed!").first).to_be_visible()
    await context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.skipif(not os.environ.get("HEAL_PICTURES"), reason="HEAL_PICTURES names no folder for pictures")
async def test_pictures_of_the_pages(stage: Stage, browser: Browser, scheme: str) -> None:
    from tests.web.scene import busy_weeks

    await busy_weeks(stage)
    context = await signed_in(browser, stage, color_scheme=scheme, viewport={"width": 1280, "height": 800})
    folder = Path(os.environ["HEAL_PICTURES"])
    folder.mkdir(parents=True, exist_ok=True)
    newest = f"/runs/corner-shop/tally/{SHA}/1"
    for name, path in (("runs", "/"), ("run", newest), ("repository", "/repositories/corner-shop/tally")):
        page = await opened(context, path)
        await page.screenshot(path=folder / f"dashboard-{name}-{scheme}.png")
        if name == "run":
            await page.screenshot(path=folder / f"whole-{name}-{scheme}.png", full_page=True)
    await context.close()
