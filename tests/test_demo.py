"""The README's first command, to its end, as a newcomer runs it."""

import asyncio
import os
import re
import sys
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from lab.demo.stage import stage_in
from lab.demo.story import offers, settled, tree_of
from lab.localhub.scene import open_broken_pull
from tests.model_standin.brains import oracle
from tests.model_standin.reviewers import is_review
from tests.model_standin.server import serve
from tests.pages.conftest import browser
from tests.pages.touring import Tourist

__all__ = ["browser"]

ROOT = Path(__file__).parent.parent


pytestmark = pytest.mark.asyncio(loop_scope="session")
MISTAKE = ("        return full - full * self.discount // 10\n", "        return full - full * self.discount // 100\n")


async def demo(**settings: str) -> str:
    """Plays it to its end and gives what it said."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("ANTHROPIC_", "HEAL_"))}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bot", "demo", "--once",
        cwd=ROOT, env=environment | settings, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    output = (await process.communicate())[0].decode()
    assert process.returncode == 0, output
    return output


# UX-1
@pytest.mark.timeout(600)
async def test_the_demo_plays_the_whole_loop_and_every_byte_comes_back() -> None:
    output = await demo()
    assert "CI is red: lint, tests, types" in output
    tools, rules = ("ruff's own fix", "black's own fix"), ("rule: missing import", "rule: misspelt name")
    for how in (*(f"fixed by {name}" for name in (*tools, *rules)), "no fix found", "no AI key is configured"):
        assert how in output
    assert int(re.findall(r"(\d+) suggestions are on the page", output)[0]) >= 3
    assert "4 other suggestions still stand, 0 were posted again" in output
    assert output.rstrip().endswith("bytes identical")


# UX-1, ENV-5, ENV-6
@pytest.mark.timeout(600)
async def test_where_nothing_can_be_installed_the_demos_ci_tests_the_fixes_and_every_byte_comes_back() -> None:
    output = await demo(HEAL_SANDBOX="landlock")
    tools, rules = ("ruff's own fix", "black's own fix"), ("rule: missing import", "rule: misspelt name")
    for how in (f"fixed by {name}" for name in (*tools, *rules)):
        assert how in output
    assert "left: CI's job “tests” ends as failure: tests/test_sales.py:9" in output
    assert len(re.findall(r"`[0-9a-f]{8}`", next(s for s in output.splitlines() if "answers: Reverted" in s))) == 4
    assert output.rstrip().endswith("bytes identical")


# UX-1, AG-3
@pytest.mark.timeout(600)
async def test_with_a_key_an_agent_repairs_what_nothing_free_can() -> None:
    async with serve(oracle({"tally/sales.py": MISTAKE})) as model:
        output = await demo(ANTHROPIC_API_KEY=model.key, ANTHROPIC_BASE_URL=model.url)
        reviews = [is_review(one.body) for one in model.asked]
        assert reviews == [False, True], "the answer and its review were paid for once, also after the head had moved"
    assert "1  has a fix" in output
    assert "unfixable" not in output
    assert "5 other suggestions still stand, 0 were posted again" in output


# UX-1, OP-11
@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_a_person_is_led_through_the_whole_tour_and_every_byte_comes_back(browser: Browser) -> None:
    async with stage_in() as story:
        pull = open_broken_pull(story.scene)
        page = await browser.new_page(viewport={"width": 1180, "height": 900}, device_scale_factor=1.5)
        page.set_default_timeout(200_000)
        expect.set_options(timeout=200_000)
        await page.goto(f"{story.github.url}/{story.scene.repo.full_name}/pull/{pull.number}")
        led = Tourist(page)
        await led.stands_at("step 1 of 4", "Heal is still working")
        await led.stands_at("step 1 of 4", "5 suggestions are below")
        await led.sees("Apply ruff", inside=".thread .remark:has-text('Apply ruff')")
        assert len(offers(story, pull)) == 5
        before = tree_of(story, pull)
        await picture(page)
        await led.press("Commit the suggestion")
        await led.stands_at("step 2 of 4", "Heal tests the other 4 suggestions on the new commit")
        await led.sees("This suggestion has been applied", inside=".thread .remark:has-text('Apply ruff')")
        await story.runner.wait()
        await settled(story, story.hub.pull(story.scene.repo, pull.number).head_sha)
        for button, progress, words in (
            ("Ask Heal to explain it", "step 3 of 4", "json"),
            ("Reject it", "step 4 of 4", "Rejected"),
            ("Roll it back", "all 4 steps done", "Reverted"),
        ):
            await led.press(button)
            await led.stands_at(progress, "Heal answered your")
            await led.sees(words, inside=f"#{await led.place()}")
        await led.stands_at("all 4 steps done", "All files are what they were before you accepted the fix")
        await story.runner.wait()
        await story.hub.settled()
        assert tree_of(story, pull) == before
        await page.close()


async def picture(page: Page) -> None:
    """The README's picture, made anew into the folder that HEAL_PICTURES names."""
    if folder := os.environ.get("HEAL_PICTURES"):
        await page.evaluate("scrollTo(0, 0)")
        await page.set_viewport_size({"width": 1180, "height": 1400})
        await page.screenshot(path=Path(folder, "pull-request.png"))
        await page.set_viewport_size({"width": 1180, "height": 900})
