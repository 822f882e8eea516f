"""Lighthouse in CI, on pages that have no run to tell of (test_real_runs.py has the others): accessibility, best
practices and what search engines need."""

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from bot.web.answers import asset, headers
from bot.web.setup.pages import COOKIE
from tests.model_standin.server import running
from tests.npm import needs_lighthouse
from tests.web.conftest import Stage
from tests.web.lighthouse import THEMES, Judgement, PageToJudge, judged
from tests.web.test_setup import Fresh, app_made, fresh
from tests.web.windows import PUBLIC

__all__ = ["fresh"]

pytestmark = pytest.mark.asyncio(loop_scope="session")
LEAST = {"accessibility": 100, "best-practices": 95, "seo": 95}
REFUSALS = PUBLIC[1:]  # nothing that a search should find


# OP-4 OP-11
@pytest.mark.timeout(600)
@pytest.mark.parametrize("path", PUBLIC)
async def test_lighthouse_gives_a_page_95_and_more_in_both_themes_and_at_both_widths(stage: Stage, path: str) -> None:
    needs_lighthouse()
    judgements = await judged([PageToJudge(path, f"{stage.url}{path}")], LEAST)
    assert below(judgements, path in REFUSALS) == []


def below(judgements: list[Judgement], refused: bool = False) -> list[str]:
    """What has too few points; a refusal is nothing that a search should find."""
    assert [(one.theme, one.width) for one in judgements] == [(t, w) for t in THEMES for w in (390, 1280)]
    return [
        f"{one.theme}, {one.width} px: {name} {one.scores[name]}: {one.found}"
        for one in judgements
        for name, least in LEAST.items()
        if (one.scores[name] or 0) < least and not (name == "seo" and refused)
    ]


# OP-1 OP-11
@pytest.mark.timeout(900)
async def test_lighthouse_gives_the_set_up_95_and_more_from_its_first_page_to_its_last(fresh: Fresh) -> None:
    needs_lighthouse()
    async with fresh.heal(), fresh.you(fresh.url) as you:
        await you.get(await fresh.printed())
        cookie = f"{COOKIE}={you.cookies[COOKIE]}"
        assert below(await judged([PageToJudge("/setup", f"{fresh.url}/setup", cookie)], LEAST)) == []
        done = await you.get(await app_made(fresh, you))
    assert "Heal is set up" in done.text

    async def again(_request: Request) -> Response:
        """What Heal answered: it makes an App once, and Lighthouse looks four times."""
        return HTMLResponse(done.text, done.status_code, headers())

    async with running(Starlette(routes=[Route("/", again), Route("/assets/{name}", asset)])) as url:
        assert below(await judged([PageToJudge("after the set-up", url)], LEAST)) == []


UNREADABLE_IN_THE_DARK = """<!doctype html><html lang="en"><head><title>Shop</title>
<style>@media (prefers-color-scheme: dark) { body { background: #111; color: #222 } }</style></head>
<body><main><h1>Shop</h1><p>Open from nine to five.</p></main></body></html>"""


# OP-11
@pytest.mark.timeout(300)
async def test_a_page_that_can_not_be_read_in_the_dark_has_all_points_in_the_light_only() -> None:
    needs_lighthouse()

    async def page(_request: Request) -> Response:
        return HTMLResponse(UNREADABLE_IN_THE_DARK)

    async with running(Starlette(routes=[Route("/", page)])) as url:
        judgements = await judged([PageToJudge("shop", url)], ("accessibility",))
    perfect = {(one.theme, one.width): one.scores["accessibility"] == 100 for one in judgements}
    assert perfect == {("light", 390): True, ("light", 1280): True, ("dark", 390): False, ("dark", 1280): False}
