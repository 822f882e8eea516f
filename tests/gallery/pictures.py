"""docs/gallery.md and its pictures: pages at both widths in both themes; and the README's pictures.

`python -m tests.gallery.pictures` makes them again from the dashboard's scene and from the demo, played for real.
"""

import asyncio
import base64
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

from playwright.async_api import Browser, BrowserContext, Page, async_playwright

from lab.demo.stage import stage_in
from lab.demo.story import heal_is_done, offers
from lab.localhub import apps
from lab.localhub.scene import open_broken_pull
from tests.bot.conftest import Clock
from tests.gallery.text_pictures import post, take, text_pictures
from tests.pages.conftest import FLAGS, served_stage
from tests.web.conftest import Stage, set_up
from tests.web.scene import busy_weeks
from tests.web.test_setup import fresh_machine
from tests.web.windows import PUBLIC, RUN, TALLY, signed_in

DOCS = Path(__file__).parents[2] / "docs"
PICTURES = Path("pictures/gallery")
SIZES = {"wide": {"width": 1280, "height": 800}, "narrow": {"width": 390, "height": 844}}
SCHEMES = ("light", "dark")
# What the README and the pages on operating show of themselves, beside the gallery.
NAMED = (("overview", "light"), ("runs", "light"), ("run", "light"))
FRONT = {"width": 1180, "height": 1400}
QUALITY = 55
MAX_BYTES = 5_500_000  # of all pictures
DASHBOARD = {
    "overview": ("The dashboard's overview", "/"),
    "runs": ("Runs", "/runs"),
    "run": ("One run", RUN),
    "fixes": ("Open fixes", "/fixes"),
    "flaky": ("Flaky tests", "/flaky"),
    "repositories": ("Repositories", "/repositories"),
    "repository": ("One repository", TALLY),
    "queue": ("The queue", "/queue"),
    "missing": ("An address where nothing is", "/nosuch"),
}
ALONE = {
    "sign-in": ("Signing in", PUBLIC[0]),
    "refused": ("A refusal", PUBLIC[2]),
    "setup": ("Making the GitHub App", "/setup"),
}
DEMO = {
    "pull-request": ("The demo: a pull request and the guided tour", ""),
    "suggestion": ("The demo: a suggestion of Heal's", "suggestion"),
    "check-run": ("The demo: Heal's check run", "check"),
    "pull-checks": ("The demo: the checks", "/checks"),
}
PAGES = {name: title for pages in (DASHBOARD, ALONE, DEMO) for name, (title, _) in pages.items()}
TEXTS = {picture.name: picture.title for picture in text_pictures()}
HEAD = """# Gallery

<!-- written by `make gallery` -->

Every page of the dashboard that its navigation leads to, with twelve weeks of made-up runs, and four pages of the demo
(`make demo`), played for real: at 1280 and at 390 pixels, light and dark. Of a long page only the top is shown, as a
window of that size shows it. Below them, for each function that writes a text that Heal posts, one sample or more as
the local GitHub shows it; the [same texts to read, search and unfold](texts.md) are on a page of their own.
"""
OF_TEXTS = """## Every posted text

Comments, suggestions and check runs with sample values, under the name that each has in the list of [texts](texts.md).
"""


def file_of(name: str, size: str, scheme: str) -> Path:
    """A picture's path below docs/."""
    return PICTURES / f"{name}-{size}-{scheme}.webp"


def page() -> str:
    """docs/gallery.md."""
    parts = [HEAD]
    for name, title in PAGES.items():
        parts += [f"## {title}\n", *_shown(name, title)]
    parts.append(OF_TEXTS)
    for name, title in TEXTS.items():
        parts += [f"### {title}\n", *_shown(name, title)]
    return "\n".join(parts)


def _shown(name: str, title: str) -> Iterator[str]:
    for scheme in SCHEMES:
        pictures = (
            f'<img src="{file_of(name, size, scheme)}" alt="{title}, {size}, {scheme}" loading="lazy" '
            f'style="width:{share}%; vertical-align:top">'
            for size, share in (("wide", 68), ("narrow", 22))
        )
        yield f"{' '.join(pictures)}\n"


async def main() -> None:
    """Makes everything anew."""
    (DOCS / PICTURES).mkdir(parents=True, exist_ok=True)
    async with async_playwright() as player:
        chromium = shutil.which("chromium") or shutil.which("google-chrome")
        browser = await player.chromium.launch(executable_path=chromium, args=list(FLAGS))
        for folder_of in (_dashboard, _setup, _demo, _texts):
            with tempfile.TemporaryDirectory(prefix="heal-gallery-") as folder:
                await folder_of(browser, Path(folder))
        await browser.close()
    (DOCS / "gallery.md").write_text(page())


async def _dashboard(browser: Browser, folder: Path) -> None:
    async with set_up(folder, apps.new_key(), Clock()) as stage:
        await busy_weeks(stage)
        async for size, scheme, context in _windows(browser, stage):
            for name, (_, path) in DASHBOARD.items():
                await _picture(context.pages[0], f"{stage.url}{path}", file_of(name, size, scheme))
                if size == "wide" and (name, scheme) in NAMED:
                    await context.pages[0].screenshot(path=DOCS / "pictures" / f"dashboard-{name}-{scheme}.png")
            await context.clear_cookies()
            for name in ("sign-in", "refused"):
                await _picture(context.pages[0], f"{stage.url}{ALONE[name][1]}", file_of(name, size, scheme))


async def _windows(browser: Browser, stage: Stage) -> AsyncIterator[tuple[str, str, BrowserContext]]:
    for size, viewport in SIZES.items():
        for scheme in SCHEMES:
            context = await signed_in(browser, stage, color_scheme=scheme, viewport=viewport)
            yield size, scheme, context
            await context.close()


async def _setup(browser: Browser, folder: Path) -> None:
    async with fresh_machine(folder) as fresh, fresh.heal():
        opening = await fresh.printed()
        state = None
        for size, viewport in SIZES.items():
            for scheme in SCHEMES:
                async with _window(browser, scheme, viewport, state) as window:
                    if state is None:  # the address opens the set-up for one browser
                        await window.goto(opening)
                        state = await window.context.storage_state()
                    await _picture(window, f"{fresh.url}/setup", file_of("setup", size, scheme))


async def _demo(browser: Browser, _folder: Path) -> None:
    async with stage_in() as story:
        pull = open_broken_pull(story.scene)
        await story.runner.wait()
        check = await heal_is_done(story, pull.head_sha)
        repo = f"{story.github.url}/{story.scene.repo.full_name}"
        first = offers(story, pull)[-1]
        places = {
            "": f"/pull/{pull.number}",
            "suggestion": f"/pull/{pull.number}#discussion_r{first.id}",
            "check": f"/checks/{check.id}",
            "/checks": f"/pull/{pull.number}/checks",
        }
        for size, viewport in SIZES.items():
            for scheme in SCHEMES:
                async with _window(browser, scheme, viewport) as window:
                    for name, (_, place) in DEMO.items():
                        await _picture(window, f"{repo}{places[place]}", file_of(name, size, scheme))
        front = await browser.new_page(viewport=FRONT, device_scale_factor=1.5, color_scheme="light")  # type: ignore[arg-type]
        await front.goto(f"{repo}{places['']}")
        await front.screenshot(path=DOCS / "pictures" / "pull-request.png")
        await front.close()


async def _texts(browser: Browser, folder: Path) -> None:
    async with served_stage(folder, apps.new_key()) as stage:
        posted = {picture.name: post(stage, picture) for picture in text_pictures()}
        for size, viewport in SIZES.items():
            for scheme in SCHEMES:
                async with _window(browser, scheme, viewport) as window:
                    for name, where in posted.items():
                        await take(window, stage.local.url, where, DOCS / file_of(name, size, scheme))


@asynccontextmanager
async def _window(browser: Browser, scheme: str, viewport: dict[str, int], state: object = None) -> AsyncIterator[Page]:
    context = await browser.new_context(color_scheme=scheme, viewport=viewport, storage_state=state)  # type: ignore[arg-type]
    yield await context.new_page()
    await context.close()


async def _picture(window: Page, address: str, file: Path) -> None:
    """What is in view, as WebP."""
    await window.goto("about:blank")  # so that an address with a fragment is loaded anew
    await window.goto(address)
    asked = await window.context.new_cdp_session(window)
    made = await asked.send("Page.captureScreenshot", {"format": "webp", "quality": QUALITY})
    (DOCS / file).write_bytes(base64.b64decode(made["data"]))


if __name__ == "__main__":
    asyncio.run(main())
