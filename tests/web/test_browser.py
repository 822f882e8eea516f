"""A person at the dashboard, in real Chromium: by mouse, by keyboard, without a script, in light and dark."""

import os
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from tests.web.conftest import Stage
from tests.web.rows import reported_run
from tests.web.scene import SHA, busy_weeks
from tests.web.windows import PAGES, RUN, opened, opened_live, signed_in

pytestmark = pytest.mark.asyncio(loop_scope="session")

PICTURED = (
    ("overview", "/"),
    ("runs", "/runs"),
    ("run", RUN),
    ("repository", "/repositories/corner-shop/tally"),
    ("flaky", "/flaky"),
    ("missing", "/nosuch"),
)


# OP-4
async def test_a_person_goes_from_the_list_to_a_run_and_reads_its_proof(stage: Stage, browser: Browser) -> None:
    await reported_run(stage.store("tally"), SHA)
    context = await signed_in(browser, stage)
    page = await opened(context, "/runs")
    await page.get_by_role("link", name="Add discounts, part 7").click()
    await expect(page.get_by_role("heading", name="Spell format_cents as it is defined")).to_be_visible()
    await page.get_by_text("Tested: ruff check shop failed before; with the fix it passes").first.click()
    await expect(page.get_by_text("All checks passed!").first).to_be_visible()
    await page.get_by_text("What it said and did").click()
    await expect(page.get_by_text("The discount is forgotten.")).to_be_visible()
    await page.get_by_text("Why this agent").click()
    await expect(page.get_by_role("row", name="tests 1.00 0.70 0.90 0.50")).to_be_visible()
    await context.close()


# OP-4
async def test_everything_is_read_without_a_script(stage: Stage, browser: Browser) -> None:
    await reported_run(stage.store("tally"), SHA)
    context = await signed_in(browser, stage, java_script_enabled=False)
    page = await opened(context, "/runs")
    await page.get_by_label("Search").fill("4f1c09d2")
    await page.get_by_label("State").select_option("partly")
    await page.get_by_role("button", name="Show").click()
    await page.get_by_role("link", name="Add discounts, part 7").click()
    await page.get_by_text("Tested: ruff check shop").first.click()
    await expect(page.get_by_text("All checks passed!").first).to_be_visible()
    await page.get_by_role("link", name="Repositories", exact=True).click()
    await page.get_by_role("link", name="corner-shop/tally").click()
    await page.get_by_text("Runs as a table").click()
    await expect(page.get_by_role("columnheader", name="some errors left")).to_be_visible()
    await page.get_by_role("button", name="Sign out").click()
    await expect(page.get_by_role("link", name="Sign in with GitHub")).to_be_visible()
    await context.close()


# OP-4
async def test_the_keyboard_alone_leads_from_the_list_to_a_diff(stage: Stage, browser: Browser) -> None:
    await reported_run(stage.store("tally"), SHA)
    context = await signed_in(browser, stage)
    page = await opened(context, "/runs")
    await page.keyboard.press("Tab")
    assert await page.evaluate("document.activeElement.textContent") == "Skip to the content"
    await page.keyboard.press("Enter")
    for _ in range(20):
        await page.keyboard.press("Tab")
        if (await page.evaluate("document.activeElement.textContent")).startswith("Add discounts, part 7"):
            break
    await page.keyboard.press("Enter")
    await expect(page).to_have_url(f"{stage.url}{RUN}")
    summary = page.locator("summary").first
    await summary.focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_text("All checks passed!").first).to_be_visible()
    await context.close()


# OP-4
async def test_an_open_page_shows_that_a_run_ended(stage: Stage, browser: Browser) -> None:
    store = stage.store("tally")
    await store.open_attempt("check_run:first", 5, SHA, {"name": "checks"})
    context = await signed_in(browser, stage)
    page, _marks = await opened_live(context, RUN)
    await expect(page.get_by_text("collecting failures").first).to_be_visible()
    await reported_run(store, SHA)
    await expect(page.get_by_role("heading", name="Subtract the discount in total()")).to_be_visible()
    await expect(page.get_by_role("status")).to_have_text("Updated just now.")
    await context.close()


# OP-4
async def test_a_narrow_screen_needs_no_sideways_scrolling_of_the_page(stage: Stage, browser: Browser) -> None:
    await busy_weeks(stage, 8)
    context = await signed_in(browser, stage, viewport={"width": 360, "height": 740})
    for path in PAGES:
        page = await opened(context, path)
        wide = await page.evaluate(
            "[...document.querySelectorAll('body *')].filter(one => !one.closest('.scroll *, .unseen, svg')"
            " && one.getBoundingClientRect().right > window.innerWidth + 1).map(one => one.outerHTML.slice(0, 90))"
        )
        assert wide == [], path
        assert await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), path
    await context.close()


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.skipif(not os.environ.get("HEAL_PICTURES"), reason="HEAL_PICTURES names no folder for pictures")
async def test_pictures_of_the_pages(stage: Stage, browser: Browser, scheme: str, width: int) -> None:
    await busy_weeks(stage)
    context = await signed_in(browser, stage, color_scheme=scheme, viewport={"width": width, "height": 800})
    folder = Path(os.environ["HEAL_PICTURES"])
    folder.mkdir(parents=True, exist_ok=True)
    for name, path in PICTURED:
        page = await opened(context, path)
        await page.screenshot(
            path=folder / f"dashboard-{name}-{scheme}{'' if width == 1280 else '-narrow'}.png",
            full_page=bool(os.environ.get("HEAL_PICTURES_WHOLE")),
        )
    await context.close()
