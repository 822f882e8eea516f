"""The demo's guided tour: each step has a button that does it, says what came of it, and knows its place."""

import re
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from handlers.comments import marks
from lab.demo.path import GUIDE, tour
from lab.localhub import pulls, pushes, suggestions
from lab.localhub.pages import routes
from lab.localhub.pages.guide import Guide, Tour, TourStep
from lab.localhub.server import serve
from tests.pages.conftest import Stage
from tests.pages.touring import Tourist
from tests.web.axe import faults

pytestmark = pytest.mark.asyncio(loop_scope="session")
LONG = "\n\n".join(f"Paragraph {number} of a long discussion." for number in range(60))


def offer(stage: Stage, ident: str, line: int, part: int = 1, parts: int = 1) -> None:
    stage.suggest(line, f"line{line} = {line}\n", words=f"A fix.\n\n{marks.of_proposal(ident, part, parts)}")


def three_offers(stage: Stage) -> None:
    """As Heal posts them: the first fix has two parts."""
    offer(stage, "dddddddddddd", 12, 1, 2)
    offer(stage, "dddddddddddd", 13, 2, 2)
    offer(stage, "aaaaaaaaaaaa", 10)
    offer(stage, "bbbbbbbbbbbb", 15)


def answer(stage: Stage, words: str) -> None:
    """Heal's answer to the last command, after somebody else has said a lot."""
    asked = stage.hub.conversation(stage.pull)[-1]
    pulls.comment(stage.hub, "noor", stage.pull, LONG)
    body = f"{words}\n\n{marks.of_answer(f'conversation-{asked.id}')}"
    pulls.comment(stage.hub, stage.app.bot.login, stage.pull, body)


def now(stage: Stage) -> Tour:
    return tour(stage.hub, stage.pull)


def next_step(stage: Stage) -> TourStep:
    step = now(stage).step
    assert step is not None
    return step


async def test_before_heal_has_offered_anything_the_tour_waits_at_the_checks(stage: Stage) -> None:
    assert (now(stage).done, now(stage).place) == (0, "checks")
    assert (next_step(stage).button, next_step(stage).comment, next_step(stage).accept) == ("", "", None)
    assert "Heal is still working" in next_step(stage).text


# UX-1
async def test_each_step_does_what_its_words_say_and_the_numbers_agree_with_the_page(stage: Stage) -> None:
    three_offers(stage)
    assert next_step(stage).text.startswith("4 suggestions are below, and Heal tested each of them.")
    accept = next_step(stage).accept
    assert accept
    assert stage.hub.review_comments[accept].line == 10, "a fix in two places is not the first to accept"
    assert f"[`code.py`, line 10](#discussion_r{accept})" in next_step(stage).text
    sha = suggestions.commit_suggestion(stage.hub, "maya", [accept])
    assert f"as `{sha[:7]}`" in now(stage).happened
    assert "Heal tests the other 3 suggestions on the new commit" in now(stage).happened
    for done, command in enumerate(
        ("/heal explain aaaaaaaaaaaa", "/heal reject bbbbbbbbbbbb we do this another way",
         "/heal rollback aaaaaaaaaaaa"), 1,
    ):  # fmt: skip
        assert (now(stage).done, next_step(stage).comment) == (done, command)
        made = pulls.comment(stage.hub, "maya", stage.pull, command)
        assert (now(stage).place, now(stage).done) == (f"issuecomment-{made.id}", done + 1)
        assert now(stage).happened == f"You wrote `{command}`. Heal is about to answer below it."
        answer(stage, "Done.")
        assert now(stage).place == f"issuecomment-{stage.hub.conversation(stage.pull)[-1].id}"
    assert (now(stage).done, now(stage).step) == (4, None)
    assert "All files" not in now(stage).happened, "nothing was committed, so the branch is not what it was"


# UX-1 GH-12
async def test_a_suggestion_that_heal_withdrew_after_its_rollback_stays_accepted(stage: Stage) -> None:
    offer(stage, "aaaaaaaaaaaa", 10)
    offer(stage, "bbbbbbbbbbbb", 15)
    offer(stage, "cccccccccccc", 12)
    taken, rejected, _ = stage.hub.review_comments_of(stage.pull)
    suggestions.commit_suggestion(stage.hub, "maya", [taken.id])
    for one in (taken, rejected):
        one.body = one.body.replace("```suggestion", "```")
    pulls.comment(stage.hub, "maya", stage.pull, "/heal explain aaaaaaaaaaaa")
    assert next_step(stage).comment == "/heal reject cccccccccccc we do this another way"
    assert "[`code.py`, line 12]" in next_step(stage).text


async def test_where_nothing_is_left_to_reject_the_tour_goes_on(stage: Stage) -> None:
    offer(stage, "aaaaaaaaaaaa", 10)
    accept = next_step(stage).accept
    assert accept
    assert next_step(stage).text.startswith("1 suggestion is below, and Heal tested it.")
    suggestions.commit_suggestion(stage.hub, "maya", [accept])
    assert "other" not in now(stage).happened
    pulls.comment(stage.hub, "maya", stage.pull, "/heal explain aaaaaaaaaaaa")
    assert next_step(stage).comment == "/heal rollback aaaaaaaaaaaa"
    assert now(stage).happened == "No suggestion was left to reject."


async def test_a_fix_in_several_places_is_not_the_first_thing_to_accept(stage: Stage) -> None:
    offer(stage, "aaaaaaaaaaaa", 10, 1, 2)
    offer(stage, "aaaaaaaaaaaa", 15, 2, 2)
    assert next_step(stage).accept is None


@pytest_asyncio.fixture(loop_scope="session")
async def toured(stage: Stage) -> AsyncIterator[Stage]:
    """The stage with the tour on its page, and so much talk that no step is in view by chance."""
    pulls.comment(stage.hub, "noor", stage.pull, LONG)
    three_offers(stage)
    async with serve(stage.hub, extra_routes=routes(stage.hub, Guide(GUIDE, tour))) as local:
        stage.local = local
        yield stage


async def opened(browser: Browser, stage: Stage, **options: object) -> Page:
    page = await browser.new_page(**options)  # type: ignore[arg-type]
    page.set_default_timeout(60_000)
    page.on("pageerror", lambda error: pytest.fail(f"the page's script failed: {error}"))
    await page.goto(stage.url)
    return page


# UX-1
@pytest.mark.parametrize("width", [1280, 390])
async def test_a_person_is_led_to_the_place_of_every_step_until_the_end(
    toured: Stage, browser: Browser, width: int
) -> None:
    page = await opened(browser, toured, viewport={"width": width, "height": 800})
    led = Tourist(page)
    await led.stands_at("step 1 of 4", "4 suggestions are below")
    place = f"#discussion_r{toured.hub.review_comments_of(toured.pull)[2].id}"
    await led.tour.get_by_role("link", name="code.py, line 10").click()
    await led.sees("Suggested change", inside=place)
    before = toured.pull.head_sha
    await led.press("Commit the suggestion")
    await led.stands_at("step 2 of 4", "Heal tests the other 3 suggestions")
    await led.sees("This suggestion has been applied", inside=place)
    for button, words, progress in (
        ("Ask Heal to explain it", "It was misspelt.", "step 3 of 4"),
        ("Reject it", "Withdrawn.", "step 4 of 4"),
        ("Roll it back", "Reverted.", "all 4 steps done"),
    ):
        await led.press(button)
        await led.stands_at(progress, "Heal is about to answer")
        await led.sees("/heal ", inside=f"#issuecomment-{toured.hub.conversation(toured.pull)[-1].id}")
        if button == "Roll it back":
            old = toured.hub.bare(toured.repo).read(before, "code.py") or b""
            pushes.commit(toured.hub, "maya", toured.repo, "spelling", {"code.py": old}, "Revert")
        answer(toured, words)
        await led.stands_at(progress, "Heal answered your")
        await led.sees(words, inside=f"#issuecomment-{toured.hub.conversation(toured.pull)[-1].id}")
    await expect(led.tour).to_contain_text("That was the tour")
    await expect(led.tour).to_contain_text("All files are what they were before you accepted the fix")
    await expect(led.tour.get_by_role("button")).to_have_count(0)


# UX-1
async def test_the_whole_tour_works_without_a_script(toured: Stage, browser: Browser) -> None:
    page = await opened(browser, toured, java_script_enabled=False)
    for button in ("Commit the suggestion", "Ask Heal to explain it", "Reject it", "Roll it back"):
        await page.get_by_role("button", name=button, exact=True).click()
    await expect(page.get_by_text("That was the tour")).to_be_visible()
    output = [one.body for one in toured.hub.conversation(toured.pull)][1:]
    assert [re.findall("/heal ([a-z]+)", body) for body in output] == [["explain"], ["reject"], ["rollback"]]


# UX-1
async def test_the_tour_can_be_folded_away_and_stays_so_when_the_page_updates(toured: Stage, browser: Browser) -> None:
    page = await opened(browser, toured)
    await page.locator("#tour summary").click()
    async with page.expect_response(lambda got: got.url.endswith("/pulse")):
        pass
    pulls.comment(toured.hub, "noor", toured.pull, "Fresh news")
    await expect(page.locator(".remark", has_text="Fresh news")).to_be_visible()
    await expect(page.get_by_role("button", name="Commit the suggestion", exact=True)).to_be_hidden()


# UX-1 OP-11
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_axe_finds_nothing_wrong_with_any_page_of_the_demo(
    toured: Stage, browser: Browser, scheme: str, width: int
) -> None:
    pulls.comment(toured.hub, "noor", toured.pull, "See [the docs](https://example.com/) and `code`.\n\n## A heading")
    context = await browser.new_context(
        color_scheme=scheme, viewport={"width": width, "height": 800}, bypass_csp=True, base_url=toured.local.url
    )  # type: ignore[arg-type]
    page = await context.new_page()
    found = []
    pull = toured.path
    for path in ("/", pull.rpartition("/pull/")[0], pull, f"{pull}/checks", f"{pull}/files",
                 f"/corner-shop/tally/commit/{toured.pull.head_sha}", "/nosuch/page"):  # fmt: skip
        await page.goto(path)
        await page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        found += [f"{path}: {fault}" for fault in await faults(page)]
        assert await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), path
    assert found == []
    await context.close()
