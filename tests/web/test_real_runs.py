"""The dashboard about runs that really happened: the demo's pull request, healed by rules, tools and a model, with one
fix accepted and reverted. Axe, the keyboard and Lighthouse look at every page that a person reaches from the first.

How fast a page is depends on the machine that looks, so `python -m benchmarks pages` keeps that; what a page costs its
browser is counted in test_weight.py."""

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, expect

from lab.demo.stage import stage_in
from lab.demo.story import run_story
from lab.localhub.scene import MAINTAINER
from tests.model_standin.brains import oracle
from tests.model_standin.server import serve
from tests.npm import needs_lighthouse
from tests.test_demo import MISTAKE
from tests.web.lighthouse import PageToJudge, judged
from tests.web.test_accessibility import SCHEMES, WIDTHS, faults_of, not_reached
from tests.web.test_lighthouse import LEAST, below
from tests.web.windows import opened

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(900)]
LINKS = "[...document.querySelectorAll('a[href]')].map(one => one.href)"
OUT = ("/auth", "/sign-in", "/sign-out", "/live")
EACH = {  # of each kind of page one, by its address
    "overview": r"/", "runs": r"/runs", "run": r"/runs/.+", "fixes": r"/fixes", "flaky": r"/flaky",
    "repositories": r"/repositories", "repository": r"/repositories/.+", "queue": r"/queue",
}  # fmt: skip


@dataclass
class Lived:
    """Heal's address, and GitHub's; the pages of Heal's that links lead to from the first one, by their paths."""

    url: str
    github: str
    pages: tuple[str, ...] = ()

    async def window(self, browser: Browser, **options: object) -> BrowserContext:
        """A window of the maintainer, who has signed in."""
        context = await browser.new_context(base_url=self.url, bypass_csp=True, **options)  # type: ignore[arg-type]
        context.set_default_timeout(60_000)
        await context.add_cookies([{"name": "localhub_you", "value": MAINTAINER, "url": self.github}])
        page = await context.new_page()
        await page.goto("/")
        await page.get_by_role("link", name="Sign in with GitHub").click()
        await page.get_by_role("button", name=f"Authorize as {MAINTAINER}").click()
        await expect(page.get_by_role("heading", name="Overview")).to_be_visible()
        return context

    async def found_by_links(self, context: BrowserContext) -> tuple[str, ...]:
        found, seen = ["/"], []
        while found:
            seen.append(found.pop(0))
            links = await (await opened(context, seen[-1])).evaluate(LINKS)
            paths = [link.removeprefix(self.url).partition("#")[0] for link in links if link.startswith(self.url)]
            found += [p for p in dict.fromkeys(paths) if p not in (*seen, *found) and not p.startswith(OUT)]
        return tuple(seen)

    def page(self, kind: str) -> str:
        """The first page of a kind."""
        return next(one for one in self.pages if re.fullmatch(EACH[kind], one))


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def lived(browser: Browser) -> AsyncIterator[Lived]:
    with pytest.MonkeyPatch.context() as environment:
        async with serve(oracle({"tally/sales.py": MISTAKE})) as model:
            environment.setenv("ANTHROPIC_API_KEY", model.key)
            environment.setenv("ANTHROPIC_BASE_URL", model.url)
            async with stage_in() as story:
                assert await run_story(story, once=True) == 0
                callback = urlsplit(story.scene.app.callback_urls[0])
                made = Lived(f"{callback.scheme}://{callback.netloc}", story.github.url)
                context = await made.window(browser)
                made.pages = await made.found_by_links(context)
                await context.close()
                yield made


# OP-4 OP-11
async def test_every_page_is_reached_by_links_and_tells_of_the_runs(lived: Lived, browser: Browser) -> None:
    assert [kind for kind, path in EACH.items() if not any(re.fullmatch(path, one) for one in lived.pages)] == []
    context = await lived.window(browser)
    run = await opened(context, lived.page("run"))
    assert "reverted" in await run.locator("main").inner_text()
    settings = await opened(context, lived.page("repository"))
    await expect(settings.get_by_role("heading", name="Settings")).to_be_visible()
    await context.close()


# OP-4 OP-11
@SCHEMES
@WIDTHS
async def test_axe_finds_nothing_wrong(lived: Lived, browser: Browser, scheme: str, width: int) -> None:
    context = await lived.window(browser, color_scheme=scheme, viewport={"width": width, "height": 800})
    found = []
    for path in lived.pages:
        found += await faults_of(await opened(context, path), path)
    assert found == []
    await context.close()


# OP-11
@WIDTHS
async def test_the_keyboard_reaches_everything(lived: Lived, browser: Browser, width: int) -> None:
    context = await lived.window(browser, viewport={"width": width, "height": 800})
    found = []
    for path in lived.pages:
        found += await not_reached(await opened(context, path), path)
    assert found == []
    await context.close()


# OP-4 OP-11
@pytest.mark.parametrize("kind", EACH)
async def test_lighthouse_gives_a_page_of_each_kind_95_and_more(lived: Lived, browser: Browser, kind: str) -> None:
    needs_lighthouse()
    context = await lived.window(browser)
    cookie = "; ".join(f"{one['name']}={one['value']}" for one in await context.cookies(lived.url))
    await context.close()
    page = lived.page(kind)
    assert below(await judged([PageToJudge(page, f"{lived.url}{page}", cookie)], LEAST)) == []
