"""Signing in by GitHub, and out again: state, PKCE, cookies, sessions."""

import pytest

from tests.web.conftest import Stage, consent

pytestmark = pytest.mark.asyncio(loop_scope="session")


# OP-4
async def test_a_person_signs_in_by_github_and_comes_back_to_the_page_they_wanted(stage: Stage) -> None:
    async with stage.stranger() as client:
        asked = await client.get("/repositories?x=1")
        assert (asked.status_code, asked.headers["location"]) == (303, "/sign-in?next=%2Frepositories%3Fx%3D1")
        begun = await client.get("/auth/start", params={"next": "/repositories?x=1"})
        back = await client.get(await consent(stage, "maya", begun.headers["location"]))
        assert (back.status_code, back.headers["location"]) == (303, "/repositories?x=1")
        page = await client.get("/repositories")
    assert page.status_code == 200
    assert "corner-shop/tally" in page.text
