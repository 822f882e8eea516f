"""Every text that Heal posts, on the pages of the local GitHub where the demo shows it: nothing stands in the way of
people who can't see it, and none makes a page scroll sideways."""

import pytest
from playwright.async_api import Browser

from lab.localhub import checks, pulls
from tests.gallery.catalogue import catalogue
from tests.pages.conftest import Stage
from tests.web.axe import faults

pytestmark = pytest.mark.asyncio(loop_scope="session")
UNFOLD = "document.querySelectorAll('details').forEach(one => one.open = true)"
FITS = "document.documentElement.scrollWidth <= window.innerWidth"


def post_everything(stage: Stage) -> str:
    """The check run's texts as one check run's summary, the others as comments and suggestions; the run's path."""
    texts = catalogue()
    summary = "\n\n".join(text for _, text in texts.pop("The check run"))
    output = {"title": "1 of 2 errors has a tested fix; 1 needs you", "summary": summary}
    fields = {"name": "Heal", "head_sha": stage.pull.head_sha, "conclusion": "neutral", "output": output}
    run = checks.create_run(stage.hub, stage.repo, stage.app.slug, stage.app.bot, fields)
    for posted in texts.values():
        for _, text in posted:
            pulls.comment(stage.hub, stage.app.bot.login, stage.pull, text)
    stage.suggest(10, "line10 = 10\n", words=texts["Suggestions and the summary comment"][2][1].split("```")[0])
    return f"/{stage.repo.full_name}/checks/{run.id}"


# UX-1 OP-11
@pytest.mark.timeout(600)
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_axe_finds_nothing_wrong_with_any_posted_text(
    stage: Stage, browser: Browser, scheme: str, width: int
) -> None:
    run = post_everything(stage)
    context = await browser.new_context(
        color_scheme=scheme, viewport={"width": width, "height": 800}, bypass_csp=True, base_url=stage.local.url
    )  # type: ignore[arg-type]
    page = await context.new_page()
    found = []
    for path in (stage.path, f"{stage.path}/checks", run, f"{stage.path}/files"):
        await page.goto(path)
        await page.evaluate(UNFOLD)
        found += [f"{path}: {fault}" for fault in await faults(page)]
        if not await page.evaluate(FITS):
            found.append(f"{path}: scrolls sideways")
    assert found == []
    await context.close()
