"""Lighthouse in CI, on pages with weeks of real data: accessibility, best practices and what search engines need. How
fast a page is depends on the machine that looks, so `python -m benchmarks pages` keeps that; what a page costs its
browser is counted in test_weight.py."""

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from tests.model_standin.server import running
from tests.npm import needs_lighthouse
from tests.web.conftest import Stage, sign_in
from tests.web.lighthouse import THEMES, PageToJudge, judged
from tests.web.scene import busy_weeks
from tests.web.windows import PAGES, PUBLIC

KINDS = (*PAGES[:8], "/nosuch")  # one of each kind; axe looks at the others too
ALONE = (PUBLIC[0], PUBLIC[-1])  # for whoever is not signed in
pytestmark = pytest.mark.asyncio(loop_scope="session")
LEAST = {"accessibility": 100, "best-practices": 95, "seo": 95}
REFUSALS = ("/nosuch", PUBLIC[-1])  # nothing that a search should find


# OP-4 OP-11
@pytest.mark.timeout(600)
@pytest.mark.parametrize("path", [*KINDS, *ALONE])
async def test_lighthouse_gives_a_page_95_and_more_in_both_themes_and_at_both_widths(stage: Stage, path: str) -> None:
    needs_lighthouse()
    cookie = ""
    if path in KINDS:
        await busy_weeks(stage, 8)
        async with stage.stranger() as client:
            await sign_in(stage, client, "maya")
            cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    judgements = await judged([PageToJudge(path, f"{stage.url}{path}", cookie)], LEAST)
    assert [(one.theme, one.width) for one in judgements] == [(t, w) for t in THEMES for w in (390, 1280)]
    low = [
        f"{one.theme}, {one.width} px: {name} {one.scores[name]}: {one.found}"
        for one in judgements
        for name, least in LEAST.items()
        if (one.scores[name] or 0) < least and not (name == "seo" and path in REFUSALS)
    ]
    assert low == []


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
