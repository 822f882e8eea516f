"""Buttons of the dashboard: each stores one ask for the worker; forged and foreign forms store none."""

import re

import httpx
import pytest
from playwright.async_api import Browser, expect
from sqlalchemy import select

from bot.store.deliveries import DASHBOARD, deliveries
from handlers.events import AskedOfCommit, AskedOnDashboard
from tests.web.axe import faults
from tests.web.conftest import Stage, csrf_of
from tests.web.rows import pull, reported_run
from tests.web.windows import opened, opened_live, signed_in

pytestmark = pytest.mark.asyncio(loop_scope="session")

SHA, WAITING = "4f1c09d2" * 5, "ab12cd34" * 5
RUN = f"/runs/corner-shop/tally/{SHA}/1"
ASK, ASK_FIXES = f"/ask{RUN}", "/ask/fixes/corner-shop/tally/7"
FIX, OTHER = "0a1b2c3d4e5f6071", "feed0123beef4567"
_ONCE = re.compile(r'name="once" value="([^"]+)"')


async def asked(stage: Stage) -> list[AskedOnDashboard]:
    """Everything that was asked for, as the worker will read it."""
    async with stage.database.read() as connection:
        rows = (await connection.execute(select(deliveries).order_by(deliveries.c.received_at))).mappings().all()
    assert {row["event"] for row in rows} <= {DASHBOARD}
    return [AskedOnDashboard.model_validate_json(row["body"]) for row in rows]


async def form_of(client: httpx.AsyncClient, path: str = RUN) -> dict[str, str]:
    """What every form of a page holds."""
    page = (await client.get(path)).text
    found = _ONCE.search(page)
    return {"csrf": csrf_of(page), "once": found[1] if found else "none"}


# OP-11
async def test_each_button_stores_what_the_slash_command_would_say(stage: Stage) -> None:
    await reported_run(stage.store("tally"), SHA)
    async with stage.signed_in("maya") as maya:
        for fields in (
            {"do": "retry", "why": "keep the\nold name"},
            {"do": "apply", "fix": FIX},
            {"do": "reject", "fix": OTHER, "why": "  not <b>here</b> "},
            {"do": "cancel"},
        ):
            answer = await maya.post(ASK, data={**await form_of(maya), **fields})
            assert (answer.status_code, answer.headers["location"]) == (303, f"{RUN}?asked={fields['do']}#asked")
            page = (await maya.get(answer.headers["location"])).text
            assert "You asked to " in page
        both = {**await form_of(maya, "/fixes"), "do": "apply", "fix": [FIX, OTHER]}
        assert (await maya.post(ASK_FIXES, data=both)).headers["location"] == "/fixes?asked=apply#asked"
    reported = await asked(stage)
    assert [(one.word, one.args) for one in reported] == [
        ("retry", ("how:", "keep", "the", "old", "name")),
        ("apply", (FIX,)),
        ("reject", (OTHER, "why:", "not", "<b>here</b>")),
        ("cancel", ()),
        ("apply", (FIX, OTHER)),
    ]
    repo, maya_id = stage.repos["tally"], stage.hub.person("maya").id
    assert {(one.installation_id, one.repo.id, one.repo.full_name, one.number) for one in reported} == {
        (stage.installations["corner-shop"].id, repo.id, "corner-shop/tally", 7)
    }
    assert {(one.sender.id, one.sender.login) for one in reported} == {(maya_id, "maya")}
    assert len({one.ask_id for one in reported}) == 5


# OP-11
async def test_a_form_that_is_sent_twice_asks_once(stage: Stage) -> None:
    await reported_run(stage.store("tally"), SHA)
    async with stage.signed_in("maya") as maya:
        form = {**await form_of(maya), "do": "retry"}
        codes = [(await maya.post(ASK, data=form)).status_code for _ in range(3)]
        assert codes == [303] * 3
        assert len(await asked(stage)) == 1
        await maya.post(ASK, data={**await form_of(maya), "do": "retry"})
        assert len(await asked(stage)) == 2


# OP-11
async def test_forged_and_foreign_forms_ask_for_nothing(stage: Stage) -> None:
    await reported_run(stage.store("tally"), SHA)
    async with stage.signed_in("maya") as maya, stage.signed_in("noor") as noor, stage.stranger() as nobody:
        good = {**await form_of(maya), "do": "retry"}
        for changes in ({"csrf": "forged"}, {"csrf": ""}, {"csrf": csrf_of((await noor.get(RUN)).text)}):
            assert (await maya.post(ASK, data={**good, **changes})).status_code == 403
        for origin in ({"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}):
            assert (await maya.post(ASK, data=good, headers=origin)).status_code == 403
        silent = httpx.AsyncClient(base_url=stage.url, cookies=dict(maya.cookies), trust_env=False, timeout=60)
        async with silent:
            assert (await silent.post(ASK, data=good)).status_code == 403
        answer = await nobody.post(ASK, data=good)
        assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")
        assert (await maya.get(ASK)).status_code == 405
    assert await asked(stage) == []


# OP-11 OP-9
async def test_what_a_person_does_not_see_is_not_there_for_their_forms_either(stage: Stage) -> None:
    await reported_run(stage.store("tally"), SHA)
    await reported_run(stage.store("vault"), SHA, 9)
    await reported_run(stage.store("ledger"), "beef" * 10, 8)
    async with stage.signed_in("maya") as maya:
        good = {**await form_of(maya), "do": "apply", "fix": FIX}
        nothing = [
            (await maya.post(path, data=good)).status_code
            for path in (
                f"/ask/runs/other-firm/vault/{SHA}/1", "/ask/fixes/other-firm/vault/9", f"/ask{RUN[:-1]}2",
                "/ask/fixes/corner-shop/tally/8", f"/ask/runs/corner-shop/tally/{'beef' * 10}/1",
                "/ask/fixes/corner-shop/tally/0", "/ask/fixes/corner-shop/tally/99999999999999999999",
                f"/ask/runs/corner-shop/tally/{'a' * 5000}/1",
            )
        ]  # fmt: skip
        assert nothing == [404] * 8
        for fix in ("ffffffffffffffff", "", "all", "../x", [FIX, "ffffffffffffffff"]):
            assert (await maya.post(ASK, data={**good, "fix": fix})).status_code == 404, fix
    async with stage.signed_in("sam") as sam:
        form = {"csrf": csrf_of((await sam.get("/")).text), "once": "x", "do": "retry"}
        assert (await sam.post(ASK, data=form)).status_code == 404
    assert await asked(stage) == []


# OP-11
async def test_what_a_form_may_not_hold_is_refused_with_a_reason(stage: Stage) -> None:
    await reported_run(stage.store("tally"), SHA)
    async with stage.signed_in("maya") as maya:
        good = {**await form_of(maya), "do": "reject", "fix": FIX}
        for changes, words in (
            ({"why": "x" * 1001}, "at most 1000 characters"), ({"do": "rollback"}, "not one of this page"),
            ({"do": ""}, "not one of this page"), ({"once": ""}, "not one of this page"),
            ({"once": "x" * 65}, "not one of this page"), ({"fix": [FIX] * 51}, "not one of this page"),
        ):  # fmt: skip
            answer = await maya.post(ASK, data={**good, **changes})
            assert answer.status_code == 400, changes
            assert words in answer.text
        no_fix = {name: value for name, value in good.items() if name != "fix"}
        assert "No fix was chosen" in (await maya.post(ASK, data=no_fix)).text
        assert (await maya.post(ASK, data={**good, "why": "x" * 70_000})).status_code == 403
        assert await asked(stage) == []
        control = "a\x00b\u202ec\x1b[31m\ud7ff"
        assert (await maya.post(ASK, data={**good, "why": control})).status_code == 303
    assert (await asked(stage))[0].args[:3] == (FIX, "why:", "a")
    assert "\x00" not in " ".join((await asked(stage))[0].args)


# OP-11
async def test_who_asks_is_asked_of_github_when_the_form_comes(stage: Stage) -> None:
    """A token that was revoked, and a login that became somebody else's, ask for nothing."""
    await reported_run(stage.store("tally"), SHA)
    async with stage.signed_in("maya") as maya:
        form = {**await form_of(maya), "do": "retry"}
        for token in stage.hub.tokens.values():
            token.revoked = token.app_id is not None
        answer = await maya.post(ASK, data=form)
        assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")
        assert (await maya.get(RUN)).headers["location"].startswith("/sign-in")
    assert await asked(stage) == []


# OP-11
async def test_an_address_that_asks_too_often_is_told_to_wait(stage: Stage) -> None:
    async with stage.stranger() as nobody:
        codes = [(await nobody.post(ASK)).status_code for _ in range(31)]
        assert codes == [303] * 30 + [429]
        assert (await nobody.get("/sign-in")).status_code == 200


# OP-11
async def test_buttons_are_there_only_for_whom_and_where_they_do_something(stage: Stage) -> None:
    from lab.localhub import repos

    store = stage.store("tally")
    repos.add_collaborator(stage.repos["tally"], "sam", "read")
    await reported_run(store, SHA)
    async with stage.signed_in("maya") as maya, stage.signed_in("sam") as sam:
        page = (await maya.get(RUN)).text
        assert [page.count(f'value="{word}"') for word in ("retry", "cancel", "apply", "reject")] == [1, 0, 2, 2]
        assert 'action="/ask/' not in (await sam.get(RUN)).text + (await sam.get("/fixes")).text
        (one, _) = await store.proposals(7)
        await store.update_proposal(one, {"status": "applied"}, only=("offered",))
        page = (await maya.get(RUN)).text
        assert [page.count(f'value="{word}"') for word in ("apply", "reject")] == [1, 1]
        again = await store.open_attempt("again", 5, SHA, {"source": "asked", "by": "maya", "where": "dashboard"})
        await store.save_run(again.model_copy(update={"number": 7, "state": "running"}))
        assert 'value="retry"' not in (await maya.get(RUN)).text
        page = (await maya.get(RUN[:-1] + "2")).text
        assert [page.count(f'value="{word}"') for word in ("retry", "cancel")] == [0, 1]
        assert "maya asked for this run on the dashboard." in page
        await store.name_run(SHA, 2, "heal-2")
        assert not await store.cancel(SHA, 2, "`maya` cancelled this run.")
        page = (await maya.get(RUN[:-1] + "2")).text
        assert 'value="cancel"' not in page
        assert "It ends after the current step." in page
        await store.note_pull(pull(7, state="closed"))
        assert 'value="apply"' not in (await maya.get(RUN)).text + (await maya.get("/fixes")).text


# OP-11
async def test_a_run_of_the_default_branch_has_buttons_that_need_no_pull_request(stage: Stage) -> None:
    store = stage.store("tally")
    failure = {"source": "check_run", "name": "tests", "head_branch": "main", "default_branch": "main"}
    run = await store.open_attempt("a", 5, SHA, failure)
    async with stage.signed_in("maya") as maya:
        page = (await maya.get(RUN)).text
        assert [page.count(f'value="{word}"') for word in ("retry", "cancel", "apply")] == [0, 1, 0]
        answer = await maya.post(ASK, data={**await form_of(maya), "do": "cancel"})
        assert "among <a href=" in (await maya.get(answer.headers["location"])).text
        await store.save_run(run.model_copy(update={"branch": "main", "state": "done"}))
        page = (await maya.get(RUN)).text
        assert [page.count(f'value="{word}"') for word in ("retry", "cancel", "apply")] == [1, 0, 0]
        wish = {**await form_of(maya), "do": "retry", "why": " keep the\nold name"}
        assert [(await maya.post(ASK, data=wish)).status_code for _ in range(2)] == [303, 303]
        for word in ("apply", "reject"):
            forged = {**await form_of(maya), "do": word, "fix": FIX}
            assert (await maya.post(ASK, data=forged)).status_code == 404
    async with stage.database.read() as connection:
        bodies = (await connection.execute(select(deliveries.c.body).order_by(deliveries.c.received_at))).scalars()
        found = [AskedOfCommit.model_validate_json(body) for body in bodies]
    assert [(one.word, one.sha, one.hint) for one in found] == [
        ("cancel", SHA, ""),
        ("retry", SHA, "keep the old name"),
    ]
    assert {(one.repo.full_name, one.sender.login) for one in found} == {("corner-shop/tally", "maya")}


# OP-11
async def test_a_commit_of_another_branch_without_a_pull_request_has_no_buttons(stage: Stage) -> None:
    failure = {"source": "check_run", "name": "tests", "head_branch": "topic", "default_branch": "main"}
    await stage.store("tally").open_attempt("a", 5, SHA, failure)
    async with stage.signed_in("maya") as maya:
        assert 'action="/ask/' not in (await maya.get(RUN)).text
        form = {"csrf": csrf_of((await maya.get("/")).text), "once": "x", "do": "cancel"}
        assert (await maya.post(ASK, data=form)).status_code == 404


# OP-11
async def test_a_run_names_its_failed_jobs_with_the_way_to_each_log(stage: Stage) -> None:
    store = stage.store("tally")
    evil = '"><script>alert(1)</script>'
    for key, failure in (
        ("a", {"source": "check_run", "name": "tests (3.12)", "check_run_id": 41}),
        ("b", {"source": "check_run", "name": "lint", "check_run_id": 42, "workflow_run_id": 9}),
        ("c", {"source": "workflow_run", "name": "CI", "workflow_run_id": 9}),
        ("d", {"source": "status", "name": evil, "html_url": "https://evil.example", "check_run_id": None}),
        ("e", {"source": "check_run", "name": "odd", "check_run_id": "42/../../evil"}),
    ):
        await store.open_attempt(key, 5, SHA, failure)
    async with stage.signed_in("maya") as maya:
        page = (await maya.get(RUN)).text
    github = f"{stage.local.url}/corner-shop/tally"
    links = re.findall(rf'href="{re.escape(github)}/([^"]*)"', page)
    assert {"runs/41", "actions/runs/9/job/42", "actions/runs/9"} <= set(links)
    assert "evil.example" not in page
    assert evil not in page
    assert "../" not in " ".join(links)


# OP-11
@pytest.mark.parametrize("script", [True, False])
async def test_a_person_rejects_and_applies_and_runs_again_by_keyboard_alone(
    stage: Stage, browser: Browser, script: bool
) -> None:
    await reported_run(stage.store("tally"), SHA)
    context = await signed_in(browser, stage, java_script_enabled=script)
    page = await opened(context, RUN)
    reason = page.get_by_label("Reason to reject it (optional)").first
    await reason.focus()
    await page.keyboard.type("we keep the old name")
    await page.keyboard.press("Enter")
    await expect(page.get_by_text("You asked to reject.")).to_be_visible()
    await page.get_by_role("button", name="Apply the fix Subtract the discount in total()").focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_text("You asked to apply.")).to_be_visible()
    await page.get_by_label("Hint for the AI agents (optional)").focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_text("You asked to run again.")).to_be_visible()
    await page.get_by_role("link", name="Open fixes", exact=True).click()
    for box in await page.get_by_role("checkbox").all():
        await box.focus()
        await page.keyboard.press("Space")
    await page.get_by_role("button", name="Apply chosen").focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_text("You asked to apply.")).to_be_visible()
    reported = [(one.word, one.args) for one in await asked(stage)]
    assert reported[:3] == [
        ("reject", (FIX, "why:", "we", "keep", "the", "old", "name")),
        ("apply", (OTHER,)),
        ("retry", ()),
    ]
    assert (reported[3][0], set(reported[3][1])) == ("apply", {FIX, OTHER})
    await context.close()


# OP-11
async def test_what_a_person_has_begun_to_choose_is_not_taken_away_by_an_update(stage: Stage, browser: Browser) -> None:
    await reported_run(stage.store("tally"), SHA)
    context = await signed_in(browser, stage)
    page, _marks = await opened_live(context, "/fixes")
    await page.get_by_role("checkbox").first.check()
    await page.get_by_role("heading", name="Open fixes").click()
    await reported_run(stage.store("tally"), "beef" * 10, 8)
    await expect(page.get_by_role("status").last).to_have_text("Something changed: reload to see it.")
    await expect(page.get_by_role("checkbox").first).to_be_checked()
    await context.close()


# OP-11
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
async def test_axe_finds_nothing_wrong_with_the_buttons(
    stage: Stage, browser: Browser, scheme: str, width: int
) -> None:
    store = stage.store("tally")
    await store.open_attempt(
        "check_run:x", 5, "ab12cd34" * 5, {"pull_numbers": [7], "source": "check_run", "name": "x"}
    )
    await reported_run(store, SHA)
    size = {"width": width, "height": 800}
    context = await signed_in(browser, stage, color_scheme=scheme, bypass_csp=True, viewport=size)
    found = []
    for path in (
        f"{RUN}?asked=reject#asked",
        f"/runs/corner-shop/tally/{'ab12cd34' * 5}/1",
        "/fixes?asked=apply#asked",
    ):
        page = await opened(context, path)
        assert await page.locator(".asks button").count() > 0, path
        found += [f"{path}: {fault}" for fault in await faults(page)]
        assert await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), path
    assert found == []
    await context.close()
