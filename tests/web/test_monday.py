"""A maintainer's Monday morning at the dashboard, by keyboard alone: no mouse, no focus that a script sets."""

import pytest
from playwright.async_api import Browser, Page, expect

from tests.web.conftest import Stage
from tests.web.scene import busy_weeks
from tests.web.test_asking import asked

pytestmark = pytest.mark.asyncio(loop_scope="session")
MAX_STEPS = 80
SECONDS = 30  # for one step, also on a busy machine
STANDS_ON = """() => {
    const one = document.activeElement;
    return [one.tagName, one.getAttribute("aria-label") || (one.labels && one.labels[0] || one).textContent.trim()];
}"""


async def tab_to(page: Page, tag: str, words: str) -> None:
    """Tab until what has the focus begins with these words."""
    stops = []
    for _ in range(MAX_STEPS):
        await page.keyboard.press("Tab")
        found, text = await page.evaluate(STANDS_ON)
        if found == tag and text.startswith(words):
            return
        stops.append(f"{found} {text[:40]}")
    pytest.fail(f"no Tab leads to {tag} {words!r}: {stops}")


async def enter(page: Page, tag: str, words: str, heading: str) -> None:
    """Goes there and presses Enter, to a page with this heading."""
    await tab_to(page, tag, words)
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name=heading, level=1)).to_be_visible(timeout=SECONDS * 1000)


# OP-11
@pytest.mark.parametrize("script", [True, False])
async def test_a_maintainers_monday_morning_needs_no_mouse(stage: Stage, browser: Browser, script: bool) -> None:
    await busy_weeks(stage, 8)
    context = await browser.new_context(base_url=stage.url, java_script_enabled=script)
    context.set_default_timeout(SECONDS * 1000)
    await context.add_cookies([{"name": "localhub_you", "value": "maya", "url": stage.local.url}])
    page = await context.new_page()
    page.on("pageerror", lambda error: pytest.fail(f"the page's script failed: {error}"))
    await page.goto("/")

    await tab_to(page, "A", "Sign in with GitHub")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("button", name="Authorize as maya")).to_be_visible(timeout=SECONDS * 1000)
    await enter(page, "BUTTON", "Authorize as maya", "Overview")
    await expect(page.get_by_role("heading", name="Waiting for you")).to_be_visible(timeout=SECONDS * 1000)

    await tab_to(page, "INPUT", "Find a run by title")
    await page.keyboard.type("part 71")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name="Runs", level=1)).to_be_visible(timeout=SECONDS * 1000)
    await enter(page, "A", "Add discounts, part 71", "Add discounts, part 71")
    await expect(page.get_by_text("No edit made the command exit 0.").first).to_be_visible(timeout=SECONDS * 1000)

    await tab_to(page, "SUMMARY", "Tested: ruff check shop failed before")
    await page.keyboard.press("Enter")
    await expect(page.get_by_text("All checks passed!").first).to_be_visible(timeout=SECONDS * 1000)
    await tab_to(page, "INPUT", "Reason to reject it")
    await page.keyboard.type("we keep the old name")
    await tab_to(page, "BUTTON", "Reject the fix")
    await page.keyboard.press("Space")
    await expect(page.get_by_text("You asked to reject.")).to_be_visible(timeout=SECONDS * 1000)

    await enter(page, "A", "Open fixes", "Open fixes")
    await tab_to(page, "INPUT", "Choose: Subtract the discount in total()")
    await page.keyboard.press("Space")
    await tab_to(page, "BUTTON", "Apply chosen")
    await page.keyboard.press("Enter")
    await expect(page.get_by_text("You asked to apply.")).to_be_visible(timeout=SECONDS * 1000)
    assert [one.word for one in await asked(stage)] == ["reject", "apply"]

    await enter(page, "A", "Flaky tests", "Flaky tests")
    await expect(page.get_by_text("tests/test_till.py::test_opens_in_time").first).to_be_visible(timeout=SECONDS * 1000)
    await enter(page, "A", "Repositories", "Repositories")
    await enter(page, "A", "corner-shop/tally", "corner-shop/tally")
    await tab_to(page, "SUMMARY", "Runs as a table")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("columnheader", name="some errors left")).to_be_visible(timeout=SECONDS * 1000)
    await tab_to(page, "BUTTON", "Sign out")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("link", name="Sign in with GitHub")).to_be_visible(timeout=SECONDS * 1000)
    await context.close()
