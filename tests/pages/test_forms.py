"""The forms over plain HTTP: who may do what, where a form must come from, and what a refusal looks like."""

import asyncio
import time

import httpx
import pytest

from lab.localhub import checks, pull_heads, pushes, suggestions
from tests.pages.conftest import AFTER, Stage

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_who_may_not_push_sees_a_dead_button_with_the_reason(stage: Stage) -> None:
    made = stage.suggest(10, "line10 = ten\n")
    async with stage.client("sam") as sam:
        page = (await sam.get(stage.path)).text
        assert "sam may not push to this branch." in page
        assert f'action="{stage.path}/suggestion"><input' not in page
        answer = await sam.post(f"{stage.path}/suggestion", data={"comment": made.id})
    assert answer.status_code == 403
    assert "You don&#39;t have permission to push to this branch." in answer.text
    assert stage.content() == AFTER


async def test_a_refused_form_says_why_and_keeps_what_was_typed(stage: Stage) -> None:
    made = stage.suggest(10, "line10 = ten\n")
    async with stage.client() as maya:
        empty = await maya.post(f"{stage.path}/comment", data={"body": "  "})
        long = await maya.post(f"{stage.path}/comment", data={"body": "long & wide " * 6000})
        reply = await maya.post(f"{stage.path}/reply", data={"body": "hm", "comment": "x"})
        nothing = await maya.post(f"{stage.path}/suggestion", data={})
        other = await maya.post(f"{stage.path}/suggestion", data={"comment": made.id + 999})
    assert (empty.status_code, "A comment needs some words." in empty.text) == (422, True)
    assert (long.status_code, "maximum is 65536 characters" in long.text) == (422, True)
    assert "long &amp; wide long &amp; wide" in long.text
    assert (reply.status_code, "Choose at least one comment." in reply.text) == (422, True)
    assert (nothing.status_code, "Choose at least one comment." in nothing.text) == (422, True)
    assert (other.status_code, "This comment is gone." in other.text) == (404, True)
    assert stage.hub.conversation(stage.pull) == []


async def test_a_form_that_is_too_long_is_refused(stage: Stage) -> None:
    async with stage.client() as maya:
        long = await maya.post(f"{stage.path}/comment", data={"body": "x" * 1_000_001})
        many = await maya.post(f"{stage.path}/comment", content="a=1&" * 1001)
    assert (long.status_code, "This form is too long." in long.text) == (413, True)
    assert (many.status_code, "This form has too many fields." in many.text) == (400, True)


async def test_two_suggestions_for_one_line_are_refused_in_githubs_words(stage: Stage) -> None:
    both = [stage.suggest(10, "line10 = ten\n"), stage.suggest(10, "line10 = TEN\n")]
    async with stage.client() as maya:
        answer = await maya.post(f"{stage.path}/suggestion", data={"comment": [one.id for one in both]})
    assert "Only one suggestion per line can be applied in a batch." in answer.text
    assert stage.content() == AFTER


async def test_a_form_of_another_site_does_nothing(stage: Stage) -> None:
    made = stage.suggest(10, "line10 = ten\n")
    wrong = [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site", "Origin": stage.local.url},
        {"Sec-Fetch-Site": "same-site"},
        {},
        {"Host": "evil.example", "Origin": "http://evil.example"},
        {"Host": "[", "Origin": "http://["},
    ]
    async with httpx.AsyncClient(base_url=stage.local.url, trust_env=False) as stranger:
        for headers in wrong:
            answer = await stranger.post(f"{stage.path}/suggestion", data={"comment": made.id}, headers=headers)
            assert answer.status_code in (400, 403), headers
        rebound = await stranger.get(stage.path, headers={"Host": "evil.example"})
        assert (rebound.status_code, "Numbers in words" in rebound.text) == (403, False)
    assert stage.content() == AFTER


async def test_a_thread_is_answered_resolved_and_opened_again(stage: Stage) -> None:
    made = stage.suggest(10, "line10 = ten\n")
    thread = stage.hub.threads[made.thread_id]
    async with stage.client("sam") as sam, stage.client("noor") as noor:
        answer = await sam.post(f"{stage.path}/reply", data={"comment": made.id, "body": "/heal reject it is fine"})
        assert answer.headers["location"].startswith(f"{stage.path}#discussion_r")
        assert (await sam.post(f"{stage.path}/resolve", data={"comment": made.id})).status_code == 403
        states = [thread.resolved]
        await noor.post(f"{stage.path}/resolve", data={"comment": made.id, "resolved": "yes"})
        states.append(thread.resolved)
        page = (await noor.get(stage.path)).text
        await noor.post(f"{stage.path}/resolve", data={"comment": made.id, "resolved": "no"})
    assert "/heal reject it is fine" in page
    assert '<span class="tag">resolved</span>' in page
    assert [*states, thread.resolved] == [False, True, False]
    assert [one.subject["comment"].in_reply_to for one in stage.events("pull_request_review_comment")] == [
        None,
        made.id,
    ]


async def test_an_outdated_suggestion_says_so(stage: Stage) -> None:
    stage.suggest(10, "line10 = ten\n")
    pushes.commit(stage.hub, "noor", stage.repo, "spelling", {"code.py": AFTER.replace("tne", "other")})
    async with stage.client() as maya:
        page = (await maya.get(stage.path)).text
    assert '<span class="tag care">outdated</span>' in page
    assert "Outdated suggestions cannot be applied." in page


async def test_close_reopen_and_merge_with_their_permissions(stage: Stage) -> None:
    async with stage.client("sam") as sam, stage.client("noor") as noor, stage.client() as maya:
        assert (await sam.post(f"{stage.path}/close")).status_code == 403
        assert (await sam.post(f"{stage.path}/merge")).status_code == 403
        await noor.post(f"{stage.path}/close")
        states: list[str] = [stage.pull.state]
        assert (await maya.post(f"{stage.path}/merge")).status_code == 405
        await noor.post(f"{stage.path}/close", data={"reopen": "yes"})
        states.append(stage.pull.state)
        assert (await maya.post(f"{stage.path}/merge")).status_code == 303
        page = (await maya.get(stage.path)).text
    assert states == ["closed", "open"]
    assert stage.pull.merged_by == stage.hub.person("maya")
    assert '<span class="pill merged">Merged</span>' in page


async def test_a_button_of_a_check_run_is_pressed(stage: Stage) -> None:
    button = {"label": "Apply all", "description": "Commit every fix", "identifier": "apply-all"}
    fields = {"name": "Heal", "head_sha": stage.pull.head_sha, "conclusion": "neutral", "actions": [button]}
    run = checks.create_run(stage.hub, stage.repo, stage.app.slug, stage.app.bot, fields)
    path = f"/{stage.repo.full_name}/checks/{run.id}"
    async with stage.client("sam") as sam, stage.client() as maya:
        assert "Only people with write access can press these." in (await sam.get(path)).text
        assert (await sam.post(f"{path}/press", data={"identifier": "apply-all"})).status_code == 403
        assert (await maya.post(f"{path}/press", data={"identifier": "apply-all"})).status_code == 303
        assert (await maya.post(f"{path}/rerun")).status_code == 303
    reported = [one for one in stage.events("check_run") if one.action in ("requested_action", "rerequested")]
    assert [(one.action, one.sender.login) for one in reported] == [
        ("requested_action", "maya"),
        ("rerequested", "maya"),
    ]
    assert reported[0].subject["identifier"] == "apply-all"


async def test_another_person_is_chosen_and_nobody_is_sent_off_the_site(stage: Stage) -> None:
    async with stage.client() as maya:
        for back, goes in (("/a/b", "/a/b"), ("//evil.example", "/"), ("/\\evil.example", "/"), ("http://x", "/")):
            answer = await maya.post("/you", data={"login": "sam", "next": back})
            assert answer.headers["location"] == goes
        assert "localhub_you=sam; HttpOnly" in answer.headers["set-cookie"]
        assert (await maya.post("/you", data={"login": "heal[bot]", "next": "/"})).status_code == 422


async def test_a_page_that_waits_for_the_hub_does_not_stop_the_server(stage: Stage) -> None:
    held = asyncio.Event()
    loop = asyncio.get_running_loop()

    def hold() -> None:
        with stage.hub.lock:
            loop.call_soon_threadsafe(held.set)
            time.sleep(0.6)

    async with stage.client() as maya:
        holding = asyncio.create_task(asyncio.to_thread(hold))
        await held.wait()
        waiting = asyncio.create_task(maya.get(stage.path))
        began = time.monotonic()
        assert (await maya.get("/assets/page.css")).status_code == 200
        assert time.monotonic() - began < 0.5
        assert not waiting.done()
        assert (await waiting).status_code == 200
        await holding


async def test_what_the_page_shows_is_what_the_button_commits(stage: Stage) -> None:
    decoy = "A fix.\n\n<!--\n```suggestion\nevil = 1\n```\n-->\n\n```suggestion\nline10 = ten\n```\n"
    made = stage.suggest(10, "line10 = ten\n")
    made.body = decoy
    committed = suggestions.suggested_lines(made.body)
    assert committed == ("evil = 1",)
    async with stage.client() as maya:
        page = (await maya.get(stage.path)).text
    shown = page[page.index('class="suggestion"') :]
    assert "evil = 1" in shown[: shown.index("Commit suggestion</button>")]


async def test_a_gone_branch_and_a_fork_are_reported(stage: Stage) -> None:
    made = stage.suggest(10, "line10 = ten\n")
    pushes.move_branch(stage.hub, stage.repo, "spelling", None, stage.hub.person("noor"))
    async with stage.client() as maya:
        page = (await maya.get(stage.path)).text
        answer = await maya.post(f"{stage.path}/suggestion", data={"comment": made.id})
    assert "Suggestions cannot be applied while the pull request is closed." in page
    assert answer.status_code == 422
    assert pull_heads.merge_sha(stage.hub, stage.pull) is None
