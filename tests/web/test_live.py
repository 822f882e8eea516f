"""What an open page keeps while it updates itself: the focus, what was typed and chosen, all that did not change."""

import asyncio

import pytest
from playwright.async_api import Browser, JSHandle, Page, Route, expect

from lab.localhub import repos
from tests.web.axe import faults
from tests.web.conftest import Stage
from tests.web.rows import reported_run
from tests.web.scene import SHA, busy_weeks
from tests.web.test_asking import asked
from tests.web.windows import RUN, SECONDS, opened_live, signed_in

pytestmark = pytest.mark.asyncio(loop_scope="session")

EARLIER, LATER, LAST = "beef" * 10, "cafe" * 10, "f00d" * 10
AT_WORK = "ab12cd34" * 5
LISTS = ("/", "/runs", "/fixes", "/queue")
# None is the first of its kind, so that the focus isn't right by finding one that is alike.
OF_LIST = {
    "a link": 'li[data-key*="4f1c09d2"] a[href="/repositories/corner-shop/tally"]',
    "a button": "#live form button",
    "a field": "#q",
    "a list of choices": "#state",
}
OF_RUN = {
    "a link": "#errors ~ .scroll tr:nth-child(3) a",
    "what unfolds": "article:nth-of-type(2) .proof summary",
    "a scrollable part": '.scroll[aria-label="From errors to fixes"]',
    "output that scrolls": "article:nth-of-type(2) .proof pre",
    "a field": "article:nth-of-type(2) input[name=why]",
}
HAS_FOCUS = "one => one.isConnected && one === document.activeElement"
MARKED = "() => document.querySelectorAll('#live, #live *').forEach(one => { one.wasHere = true; })"
NEW_OR_GONE = """before => [
    ...[...document.querySelectorAll("#live, #live *")].filter(one => !one.wasHere).map(one => `new: ${one.outerHTML}`),
    ...before.filter(one => !one.isConnected).map(one => `gone: ${one.outerHTML}`),
]"""
WATCH_SHIFTS = """() => {
    window.shifts = [];
    new PerformanceObserver(list => window.shifts.push(...list.getEntries())).observe({type: "layout-shift"});
}"""
# A shift on purpose is the last to be reported: then all that came before it are known.
SHIFTS = """async () => {
    const pushed = document.createElement("div");
    pushed.style.height = "100px";
    await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
    const from = performance.now();
    document.querySelector("header").after(pushed);
    while (!window.shifts.some(one => one.startTime >= from)) await new Promise(requestAnimationFrame);
    return window.shifts.filter(one => one.startTime < from).map(one => one.value);
}"""


async def focused(page: Page, place: str) -> JSHandle:
    """What was given the focus."""
    await page.locator(place).first.focus()
    return await page.evaluate_handle("document.activeElement")


async def updated(page: Page, text: str) -> None:
    """Waits until the page says so, and shows this."""
    await expect(page.locator("#live").get_by_text(text).first).to_be_visible(timeout=SECONDS * 1000)
    await expect(page.locator("#news")).to_have_text("Updated just now.", timeout=SECONDS * 1000)


async def at_work_with_fixes(stage: Stage) -> None:
    """A run that has told all and is not over."""
    run = await reported_run(stage.store("tally"), SHA)
    await stage.store("tally").save_run(run.model_copy(update={"state": "running"}))


async def ends(stage: Stage) -> None:
    run = await stage.store("tally").run(SHA, 1)
    assert run is not None
    await stage.store("tally").save_run(run.model_copy(update={"state": "done"}))


# OP-4 OP-11
@pytest.mark.parametrize("kind", OF_LIST)
async def test_a_run_that_arrives_takes_the_focus_from_nothing(stage: Stage, browser: Browser, kind: str) -> None:
    store = stage.store("tally")
    await reported_run(store, EARLIER, 6)
    await reported_run(store, SHA, 7)
    await reported_run(store, LATER, 8)
    context = await signed_in(browser, stage)
    page, _marks = await opened_live(context, "/runs")
    had = await focused(page, OF_LIST[kind])
    await reported_run(store, LAST, 9)
    await updated(page, "Add discounts, part 9")
    assert await page.evaluate(HAS_FOCUS, had)
    await context.close()


# OP-4 OP-11
@pytest.mark.parametrize("kind", OF_RUN)
async def test_the_end_of_a_run_takes_the_focus_from_nothing_and_folds_nothing(
    stage: Stage, browser: Browser, kind: str
) -> None:
    await at_work_with_fixes(stage)
    context = await signed_in(browser, stage, viewport={"width": 390, "height": 800})
    page, _marks = await opened_live(context, RUN)
    await page.locator("article:nth-of-type(2) .proof").first.evaluate("one => { one.open = true; }")
    graph = page.locator(OF_RUN["a scrollable part"])
    await graph.evaluate("one => { one.scrollLeft = 60; }")
    had = await focused(page, OF_RUN[kind])
    await ends(stage)
    await updated(page, "some errors left")
    assert await page.evaluate(HAS_FOCUS, had)
    assert await page.locator("article:nth-of-type(2) .proof").first.evaluate("one => one.open")
    assert await graph.evaluate("one => one.scrollLeft") == 60
    await context.close()


# OP-4 OP-11
async def test_what_is_typed_and_chosen_in_the_filter_outlives_an_update(stage: Stage, browser: Browser) -> None:
    store = stage.store("tally")
    await reported_run(store, SHA)
    context = await signed_in(browser, stage, bypass_csp=True)
    page, _marks = await opened_live(context, "/runs")
    await page.get_by_label("Repository").select_option("corner-shop/tally")
    await page.get_by_label("Search").fill("discounts")
    await page.get_by_label("Search").press("ArrowLeft")
    stage.clock.at += 200  # what she sees is asked of GitHub again, and one more repository stands before the others
    repos.add_collaborator(repos.create_repo(stage.hub, "corner-shop", "abacus", {"a": ""}), "maya", "admin")
    await reported_run(store, LATER, 8)
    await updated(page, "Add discounts, part 8")
    assert await page.get_by_label("Repository").locator("option").all_inner_texts() == [
        "all", "corner-shop/abacus", "corner-shop/ledger", "corner-shop/tally",
    ]  # fmt: skip
    await expect(page.get_by_label("Repository")).to_have_value("corner-shop/tally")
    await page.keyboard.type("!")
    await expect(page.get_by_label("Search")).to_have_value("discount!s")
    assert await faults(page) == []
    await context.close()


# OP-4 OP-11
async def test_where_what_had_the_focus_is_gone_its_surroundings_have_it_and_no_other_button(
    stage: Stage, browser: Browser
) -> None:
    await at_work_with_fixes(stage)
    context = await signed_in(browser, stage, bypass_csp=True)
    page, _marks = await opened_live(context, RUN)
    await focused(page, "button[value=cancel]")
    await ends(stage)
    await updated(page, "some errors left")
    assert await page.evaluate("document.activeElement.tagName") == "FORM"
    await page.keyboard.press("Enter")
    assert await asked(stage) == []
    assert await faults(page) == []
    await page.keyboard.press("Tab")
    await expect(page.get_by_label("Hint for the AI agents (optional)")).to_be_focused()
    await context.close()


# OP-4 OP-11
@pytest.mark.parametrize("path", [*LISTS, f"/runs/corner-shop/ledger/{AT_WORK}/1"])
async def test_an_update_replaces_nothing_that_stays_and_shifts_nothing(
    stage: Stage, browser: Browser, path: str
) -> None:
    await busy_weeks(stage, 8)
    context = await signed_in(browser, stage)
    page, _marks = await opened_live(context, path)
    await page.evaluate(MARKED)
    before = await page.evaluate_handle("() => [...document.querySelectorAll('#live *')]")
    await page.evaluate(WATCH_SHIFTS)
    run = await stage.store("ledger").run(AT_WORK, 1)
    assert run is not None
    await stage.store("ledger").save_run(run.model_copy(update={"state": "running"}))
    await expect(page.locator("#news")).to_have_text("Updated just now.", timeout=SECONDS * 1000)
    assert await page.evaluate(SHIFTS) == []
    assert await page.evaluate(NEW_OR_GONE, before) == []
    await context.close()


# OP-4 OP-11
async def test_a_row_that_arrives_above_moves_the_others_and_replaces_none(stage: Stage, browser: Browser) -> None:
    await busy_weeks(stage, 8)
    context = await signed_in(browser, stage)
    page, _marks = await opened_live(context, "/runs")
    await page.evaluate("document.querySelectorAll('.rows > li').forEach(one => { one.wasHere = true; })")
    count = await page.locator(".rows > li").count()
    await reported_run(stage.store("tally"), LAST, 99)
    await updated(page, "Add discounts, part 99")
    here = await page.evaluate("[...document.querySelectorAll('.rows > li')].map(one => Boolean(one.wasHere))")
    assert here == [False] + [True] * count
    await context.close()


# OP-4
async def test_a_change_while_the_page_for_an_earlier_one_is_on_its_way_is_shown_too(
    stage: Stage, browser: Browser
) -> None:
    store = stage.store("tally")
    await reported_run(store, SHA)
    context = await signed_in(browser, stage)
    page, marks = await opened_live(context, "/runs")
    on_its_way, go_on = asyncio.Event(), asyncio.Event()

    async def slow(route: Route) -> None:
        answer = await route.fetch()
        on_its_way.set()
        await go_on.wait()
        await route.fulfill(response=answer)

    await page.route("**/runs", slow)
    await reported_run(store, LATER, 8)
    await asyncio.wait_for(on_its_way.wait(), SECONDS)
    await asyncio.wait_for(marks.get(), SECONDS)
    await reported_run(store, LAST, 9)
    await asyncio.wait_for(marks.get(), SECONDS)
    go_on.set()
    await updated(page, "Add discounts, part 9")
    await context.close()
