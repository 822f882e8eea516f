"""Each person sees what GitHub lets them see: on every page, in every list, search and event (OP-4)."""

import pytest

from lab.localhub import apps
from tests.web.conftest import Stage
from tests.web.rows import outcome, reported_run

pytestmark = pytest.mark.asyncio(loop_scope="session")

SHA = "4f1c09d2" * 5
RUN = f"/runs/other-firm/vault/{SHA}/1"
OF_ANOTHER = (RUN, f"{RUN}/live", "/repositories/other-firm/vault")
EVERYWHERE = (
    "/", "/runs", "/fixes", "/flaky", "/repositories", "/queue", "/runs?repo=other-firm/vault", "/runs?q=vault",
    "/runs?q=4f1c09d2", "/runs?q=0a1b2c3d", "/runs?q=%237", "/runs?q=discounts", "/runs?q=noor", "/runs?q=F821",
)  # fmt: skip


# OP-4
async def test_nobody_sees_anything_without_signing_in(stage: Stage) -> None:
    await reported_run(stage.store("vault"), SHA)
    async with stage.stranger() as client:
        for path in (*OF_ANOTHER, *EVERYWHERE, "/live"):
            answer = await client.get(path)
            assert (answer.status_code, answer.headers["location"][:9]) == (303, "/sign-in?"), path


# OP-4
async def test_what_belongs_to_others_is_not_there(stage: Stage) -> None:
    await reported_run(stage.store("vault"), SHA)
    async with stage.signed_in("maya") as maya, stage.signed_in("zoe") as zoe, stage.signed_in("sam") as sam:
        for path in OF_ANOTHER:
            nothing = await maya.get(path.replace("other-firm/vault", "other-firm/nosuch"))
            for person in (maya, sam):
                answer = await person.get(path)
                assert answer.status_code == 404, path
                assert _plain(answer.text, person.cookies) == _plain(nothing.text, maya.cookies), path
        assert (await zoe.get(RUN)).status_code == 200
        for path in EVERYWHERE:
            for person in (maya, sam):
                page = (await person.get(path)).text
                assert "other-firm" not in page.replace('value="other-firm', ""), path
                assert f"/{SHA}/" not in page, path


def _plain(page: str, _cookies: object) -> str:
    """The page without what is each person's own."""
    return page[page.index("<main") : page.index("</main>")]


# OP-4
async def test_the_same_name_of_another_repository_opens_nothing(stage: Stage) -> None:
    await reported_run(stage.store("tally"), SHA)
    async with stage.signed_in("maya") as maya:
        assert (await maya.get(f"/runs/corner-shop/tally/{SHA}/1")).status_code == 200
        for path in (f"corner-shop/ledger/{SHA}/1", f"corner-shop/tally/{SHA}/2", f"corner-shop/tally/{'0' * 40}/1",
                     f"corner-shop/tally/{SHA}/99999999999999999999", f"corner-shop/tally/{'a' * 5000}/1"):  # fmt: skip
            assert (await maya.get(f"/runs/{path}")).status_code == 404, path


# OP-4
async def test_who_loses_access_at_github_loses_it_here_within_three_minutes(stage: Stage) -> None:
    await reported_run(stage.store("tally"), SHA)
    async with stage.signed_in("noor") as noor:
        assert (await noor.get(f"/runs/corner-shop/tally/{SHA}/1")).status_code == 200
        del stage.repos["tally"].collaborators["noor"]
        stage.clock.at += 181
        assert (await noor.get(f"/runs/corner-shop/tally/{SHA}/1")).status_code == 404


# OP-4
async def test_a_token_that_github_takes_no_more_ends_the_session(stage: Stage) -> None:
    async with stage.signed_in("maya") as maya:
        for token in stage.hub.tokens.values():
            token.revoked = token.app_id is not None
        stage.clock.at += 181
        for _ in range(2):
            assert (await maya.get("/")).headers["location"].startswith("/sign-in")


# OP-4
async def test_while_github_does_not_answer_nothing_is_shown(stage: Stage) -> None:
    await reported_run(stage.store("tally"), SHA)
    async with stage.signed_in("maya") as maya:
        stage.local.faults.answer("GET", "/user/installations", 503)
        answer = await maya.get("/")
    assert answer.status_code == 502
    assert "GitHub doesn&#39;t answer" in answer.text
    assert "corner-shop" not in answer.text


# OP-1
async def test_a_permission_that_is_not_granted_is_named_with_its_use(stage: Stage) -> None:
    installation = stage.installations["corner-shop"]
    installation.permissions["checks"] = "read"
    del installation.permissions["statuses"]
    async with stage.signed_in("maya") as maya:
        page = (await maya.get("/repositories")).text
        assert "<code>checks</code>: write is wanted, read is granted" in page
        assert "<code>statuses</code>: read is wanted, nothing is granted" in page
        assert "checks" in (await maya.get("/repositories/corner-shop/tally")).text
        installation.permissions.update(checks="write", statuses="read")
        stage.clock.at += 181
        assert "does not grant everything" not in (await maya.get("/repositories")).text


# OP-4
async def test_more_repositories_than_one_page_of_github_are_all_seen(stage: Stage) -> None:
    from lab.localhub import repos

    made = [repos.create_repo(stage.hub, "corner-shop", f"part{n:03}", private=True) for n in range(205)]
    for repo in made:
        repos.add_collaborator(repo, "maya", "read")
    assert len(apps.repos_of(stage.hub, stage.installations["corner-shop"])) == 207
    async with stage.signed_in("maya") as maya:
        page = (await maya.get("/repositories")).text
    assert page.count('href="/repositories/corner-shop/') == 207


# OP-4
async def test_a_run_is_found_by_name_pull_request_commit_and_fix(stage: Stage) -> None:
    await reported_run(stage.store("tally"), SHA, 7)
    await reported_run(stage.store("ledger"), "beef" * 10, 8, outcome("heal-other", proposals=()))
    async with stage.signed_in("maya") as maya:
        for search, found in (
            ("tall", "tally"), ("#7", "tally"), ("7", "tally"), ("4f1c", "tally"), ("0a1b2c3d4e5f", "tally"),
            ("feed0123", "tally"), ("beef", "ledger"), ("8", "ledger"), ("nothing", ""),
        ):  # fmt: skip
            page = (await maya.get("/runs", params={"q": search})).text
            rows = {name for name in ("tally", "ledger") if f'href="/runs/corner-shop/{name}/' in page}
            assert rows == ({found} if found else set()), search
