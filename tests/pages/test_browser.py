"""A person at the pages, in real Chromium."""

import os
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, Request, Route, expect

from lab.localhub import pulls
from tests.pages.conftest import AFTER, Stage

pytestmark = pytest.mark.asyncio(loop_scope="session")

HOSTILE = """\
<script>document.title = "owned"</script><img src=x onerror="document.title='owned'">
[click](javascript:document.title='owned') ![pixel](http://127.0.0.1:9/pixel.png)
<a href="javascript:document.title='owned'">raw</a> <iframe src="http://127.0.0.1:9/"></iframe>
<style>body{display:none}</style><form action="/x"><button>Commit suggestion</button></form>

- <details>

</details></article></main><details class="thread"><summary>forged</summary><div style="position:fixed">

<!-- never seen <b> --> and <!-- not
"""


async def open_page(browser: Browser, stage: Stage, **options: object) -> Page:
    """A window on the pull request's page; anything wrong in it fails the test."""
    page = await browser.new_page(**options)  # type: ignore[arg-type]
    page.set_default_timeout(60_000)
    page.on("pageerror", lambda error: pytest.fail(f"the page's script failed: {error}"))
    await page.goto(stage.url)
    return page


async def test_a_person_sees_a_suggestion_and_commits_it_with_one_click(stage: Stage, browser: Browser) -> None:
    made = stage.suggest(10, "line10 = ten\n")
    page = await open_page(browser, stage)
    thread = page.locator("details.thread")
    await expect(thread.locator(".suggestion .del em")).to_have_text("ne")
    await expect(thread.locator(".suggestion .add em")).to_have_text("en")
    await thread.get_by_role("button", name="Commit suggestion").click()
    await expect(thread.locator("summary").first).to_contain_text("committed")
    assert stage.content() == AFTER.replace("line10 = tne\n", "line10 = ten\n")
    assert stage.hub.threads[made.thread_id].resolved_by == stage.hub.person("maya")
    author = stage.hub.bare(stage.repo).info(stage.pull.head_sha)
    assert (author.author_name, author.committer_name) == ("maya", "GitHub")
    await expect(thread.get_by_role("button", name="Commit suggestion")).to_be_disabled()
    await expect(thread).to_contain_text("This suggestion has been applied or marked resolved.")


async def test_chosen_suggestions_become_one_commit(stage: Stage, browser: Browser) -> None:
    stage.suggest(10, "line10 = ten\n")
    stage.suggest(15, "line15 = fifteen\n")
    page = await open_page(browser, stage)
    before = len(pulls.commits(stage.hub, stage.pull))
    await expect(page.get_by_role("button", name="Commit the chosen suggestions")).to_be_hidden()
    for box in await page.get_by_label("add to batch").all():
        await box.check()
    await page.get_by_role("button", name="Commit the chosen suggestions").click()
    await expect(page.get_by_text("Apply suggestions from code review")).to_be_visible()
    assert stage.content() == AFTER.replace("tne", "ten").replace("fiftene", "fifteen")
    assert len(pulls.commits(stage.hub, stage.pull)) == before + 1


async def test_a_command_is_written_in_the_comment_box_with_the_keyboard_alone(stage: Stage, browser: Browser) -> None:
    page = await open_page(browser, stage)
    await page.get_by_label("Add a comment").focus()
    await page.keyboard.type("/heal rollback 1234abcd")
    while await page.evaluate("document.activeElement.textContent") != "Comment":
        await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await expect(page.locator(".remark", has_text="/heal rollback 1234abcd")).to_be_visible()
    [reported] = stage.events("issue_comment")
    assert reported.sender.login == "maya"
    assert reported.subject["comment"].body == "/heal rollback 1234abcd"


async def test_everything_works_without_a_script(stage: Stage, browser: Browser) -> None:
    stage.suggest(10, "line10 = ten\n")
    page = await open_page(browser, stage, java_script_enabled=False)
    await page.get_by_label("You are").select_option("noor")
    await page.get_by_role("button", name="Switch").click()
    await page.get_by_role("button", name="Commit suggestion").click()
    assert "line10 = ten\n" in stage.content()
    await page.get_by_label("Add a comment").fill("Thank you.")
    await page.get_by_role("button", name="Comment", exact=True).click()
    await expect(page.locator(".remark", has_text="Thank you.")).to_contain_text("noor")
    await page.get_by_role("link", name="Files").click()
    await expect(page.locator("tr.add", has_text="line10 = ten")).to_be_visible()


async def test_news_come_by_themselves_but_never_while_somebody_types(stage: Stage, browser: Browser) -> None:
    page = await open_page(browser, stage)
    async with page.expect_response(lambda answer: answer.url.endswith("/pulse")):
        pass
    pulls.comment(stage.hub, "noor", stage.pull, "Fresh news")
    await expect(page.locator(".remark", has_text="Fresh news")).to_be_visible()
    await page.get_by_label("Add a comment").fill("half a sente")
    pulls.comment(stage.hub, "noor", stage.pull, "Later news")
    await expect(page.get_by_text("Something new happened here.")).to_be_visible()
    await expect(page.get_by_label("Add a comment")).to_have_value("half a sente")
    await expect(page.locator(".remark", has_text="Later news")).to_have_count(0)


async def test_news_that_came_before_the_page_first_asked_are_shown_too(stage: Stage, browser: Browser) -> None:
    async def late(route: Route) -> None:
        if not stage.hub.conversation(stage.pull):
            pulls.comment(stage.hub, "noor", stage.pull, "Quick news")
        await route.continue_()

    page = await browser.new_page()
    await page.route("**/pulse", late)
    await page.goto(stage.url)
    await expect(page.locator(".remark", has_text="Quick news")).to_be_visible()


async def test_what_a_stranger_writes_stays_words(stage: Stage, browser: Browser) -> None:
    pulls.comment(stage.hub, "sam", stage.pull, HOSTILE)
    asked: list[str] = []

    def note(request: Request) -> None:
        asked.append(request.url)

    page = await browser.new_page()
    page.on("request", note)
    page.on("dialog", lambda _: pytest.fail("a dialog opened"))
    await page.goto(stage.url)
    await expect(page).to_have_title("Numbers in words · #1")
    remark = page.locator(".remark", has_text="owned")
    assert await remark.locator("script, img, a[href^=javascript], iframe, style, form, button, [style]").count() == 0
    await expect(page.get_by_label("Add a comment")).to_be_visible()
    assert await page.locator("details.thread").count() == 0
    assert await remark.get_by_text("never seen").count() == 0
    assert await page.evaluate("document.querySelector('#comment-box').closest('.remark, .said-body')") is None
    assert all(url.startswith(stage.local.url) for url in asked)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.skipif(not os.environ.get("HEAL_PICTURES"), reason="HEAL_PICTURES names no folder for pictures")
async def test_pictures_of_the_page(stage: Stage, browser: Browser, scheme: str) -> None:
    stage.suggest(10, "line10 = ten\n", words="**Spell the number** (confidence 95 of 100)")
    page = await open_page(browser, stage, color_scheme=scheme, viewport={"width": 1280, "height": 900})
    await save_picture(page, f"pull-{scheme}")


async def save_picture(page: Page, name: str) -> None:
    """The whole page as a PNG in the folder that HEAL_PICTURES names."""
    folder = Path(os.environ["HEAL_PICTURES"])
    folder.mkdir(parents=True, exist_ok=True)
    await page.screenshot(path=folder / f"{name}.png", full_page=True)
