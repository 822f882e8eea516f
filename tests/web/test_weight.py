"""What a page costs the browser that opens it: bytes, requests, scripts that block, shifts of the layout. These decide
how fast it is, and unlike a score of Lighthouse's they are the same on every machine."""

import pytest
from playwright.async_api import Browser

from tests.web.conftest import Stage
from tests.web.scene import busy_weeks
from tests.web.windows import PAGES, signed_in

pytestmark = pytest.mark.asyncio(loop_scope="session")
MAX_REQUESTS = 5  # the page, its style sheet, its icon and two scripts
MAX_BYTES = 250_000  # before they are compressed
MAX_SHIFT = 0.1  # of Lighthouse's and the Web Vitals' "good"
MAX_ELEMENTS = 1400  # from here on Lighthouse calls a page large
WATCH_SHIFTS = """new PerformanceObserver(list => {
    for (const one of list.getEntries()) if (!one.hadRecentInput) window.shifted = (window.shifted || 0) + one.value;
}).observe({type: "layout-shift", buffered: true})"""
WEIGHED = """() => {
    const entries = performance.getEntriesByType("navigation").concat(performance.getEntriesByType("resource"));
    return {
        requests: entries.filter(one => one.initiatorType !== "other" && !one.name.endsWith("/live")).length,
        bytes: entries.reduce((sum, one) => sum + one.decodedBodySize, 0),
        shift: window.shifted || 0,
        elements: document.querySelectorAll("*").length,
        blocking: [...document.querySelectorAll("script[src]:not([defer]):not([async]):not([type=module])")].length,
        inline: document.querySelectorAll("script:not([src]), style").length,
    };
}"""


# OP-4 OP-11
@pytest.mark.parametrize("width", [1280, 390])
async def test_every_page_is_light_and_stands_still(stage: Stage, browser: Browser, width: int) -> None:
    await busy_weeks(stage)
    context = await signed_in(browser, stage, viewport={"width": width, "height": 800})
    page = context.pages[0]
    await page.add_init_script(WATCH_SHIFTS)
    heavy = []
    for path in PAGES:
        await page.goto(path, wait_until="load")
        found = await page.evaluate(WEIGHED)
        most = {"requests": MAX_REQUESTS, "bytes": MAX_BYTES, "shift": MAX_SHIFT, "elements": MAX_ELEMENTS,
                "blocking": 0, "inline": 0}  # fmt: skip
        heavy += [f"{path}: {name} {found[name]}" for name, bound in most.items() if found[name] > bound]
    assert heavy == []
    await context.close()
