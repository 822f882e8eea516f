"""Lighthouse in CI, on pages with weeks of real data: accessibility, best practices and what search engines need. How
fast a page is depends on the machine that looks, so `python -m benchmarks pages` keeps that; what a page costs its
browser is counted in test_weight.py."""

import pytest

from tests.npm import needs_lighthouse
from tests.web.conftest import Stage, sign_in
from tests.web.lighthouse import PageToJudge, judged
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
async def test_lighthouse_gives_a_page_95_and_more_at_both_widths(stage: Stage, path: str) -> None:
    needs_lighthouse()
    cookie = ""
    if path in KINDS:
        await busy_weeks(stage, 8)
        async with stage.stranger() as client:
            await sign_in(stage, client, "maya")
            cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    judgements = await judged([PageToJudge(path, f"{stage.url}{path}", cookie)], LEAST)
    assert [one.width for one in judgements] == [390, 1280]
    low = [
        f"{one.width} px: {name} {one.scores[name]}: {one.found}"
        for one in judgements
        for name, least in LEAST.items()
        if (one.scores[name] or 0) < least and not (name == "seo" and path in REFUSALS)
    ]
    assert low == []
