"""The README's first command, to its end, as a newcomer runs it."""

import asyncio
import os
import re
import shutil
import sys
from pathlib import Path

import httpx
import pytest
from playwright.async_api import async_playwright

from bot.demo.stage import stage_in
from bot.demo.story import answered, heal_is_done, settled, tree_of
from bot.localhub.scene import MAINTAINER, break_it
from tests.model_standin.brains import oracle
from tests.model_standin.reviewers import is_review
from tests.model_standin.server import serve
from tests.pages.conftest import FLAGS

ROOT = Path(__file__).parent.parent


MISTAKE = ("        return full - full * self.discount // 10\n", "        return full - full * self.discount // 100\n")


async def demo(**settings: str) -> str:
    """Plays it to its end and gives what it said."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("ANTHROPIC_", "HEAL_"))}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bot", "demo", "--once",
        cwd=ROOT, env=environment | settings, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    said = (await process.communicate())[0].decode()
    assert process.returncode == 0, said
    return said


# UX-1
@pytest.mark.timeout(600)
@pytest.mark.parametrize("sandbox", ["auto", "landlock"])
async def test_the_demo_plays_the_whole_loop_and_every_byte_comes_back(sandbox: str) -> None:
    said = await demo(HEAL_SANDBOX=sandbox)
    assert "CI is red: lint, tests, types" in said
    tools, rules = ("ruff's own fix", "black's own fix"), ("rule: missing import", "rule: misspelt name")
    for how in (*(f"fixed by {name}" for name in (*tools, *rules)), "no fix found", "no AI key is configured"):
        assert how in said
    assert int(re.findall(r"(\d+) suggestions are on the page", said)[0]) >= 3
    assert "4 other suggestions still stand, 0 were posted again" in said
    assert said.rstrip().endswith("bytes identical")


# UX-1, AG-3
@pytest.mark.timeout(600)
async def test_with_a_key_an_agent_repairs_what_nothing_free_can() -> None:
    async with serve(oracle({"tally/sales.py": MISTAKE})) as model:
        said = await demo(ANTHROPIC_API_KEY=model.key, ANTHROPIC_BASE_URL=model.url)
        reviews = [is_review(one.body) for one in model.asked]
        assert reviews == [False, True], "the answer and its review were paid for once, also after the head had moved"
    assert re.search(r"1  fix:[0-9a-f]{12}", said)
    assert "unfixable" not in said
    assert "5 other suggestions still stand, 0 were posted again" in said


# UX-1
@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_a_person_can_click_along_the_page_and_every_byte_comes_back() -> None:
    async with stage_in() as story:
        pull = break_it(story.scene)
        await story.runner.wait()
        await heal_is_done(story, pull.head_sha)
        before = tree_of(story, pull)
        page = f"/{story.scene.repo.full_name}/pull/{pull.number}"
        await picture(f"{story.github.url}{page}")
        async with httpx.AsyncClient(
            base_url=story.github.url, headers={"Origin": story.github.url}, cookies={"localhub_you": MAINTAINER}
        ) as client:
            for number in range(4):
                form = re.findall(
                    r'<form method="post" action="([^"]+)"><input type="hidden" name="(\w+)" value="([^"]+)">'
                    r'<button class="go small">(?:Commit the first|Write <code>/heal)',
                    (await client.get(page)).text,
                )[0]
                assert (await client.post(form[0], data={form[1]: form[2]})).status_code == 303
                if number:
                    asked = story.hub.conversation(pull)[-1]
                    while asked.author.login != MAINTAINER:
                        asked = story.hub.conversation(pull)[story.hub.conversation(pull).index(asked) - 1]
                    assert await answered(story, pull, asked.id)
                else:
                    await story.runner.wait()
                    await settled(story, story.hub.pull(story.scene.repo, pull.number).head_sha)
            assert (await client.get(page)).text.count('<li class="done">') == 4
        await story.runner.wait()
        await story.hub.settled()
        assert tree_of(story, pull) == before


async def picture(page: str) -> None:
    """The README's picture, made anew into the folder that HEAL_PICTURES names."""
    chromium, folder = shutil.which("chromium") or shutil.which("google-chrome"), os.environ.get("HEAL_PICTURES")
    if not chromium or not folder:
        return
    async with async_playwright() as player:
        browser = await player.chromium.launch(executable_path=chromium, args=list(FLAGS))
        shown = await browser.new_page(viewport={"width": 1180, "height": 1400}, device_scale_factor=1.5)
        await shown.goto(page)
        await shown.screenshot(path=Path(folder, "pull-request.png"))
        await browser.close()
