"""Where a comment may sit, and what becomes of it when the code moves."""

from typing import Any

import httpx

from lab.localhub import pull_heads, pulls, pushes, repos, reviews
from lab.localhub.reviews import Draft
from tests.localhub.conftest import AFTER, World

OUTSIDE = (
    "Pull request review thread line must be part of the diff, Pull request review thread start line must be part "
    "of the same hunk as the line., and Pull request review thread diff hunk can't be blank"
)


def at(line: int, start: int | None = None, **more: Any) -> dict[str, Any]:
    place = {"path": "code.py", "line": line, "side": "RIGHT", "body": "hm", **more}
    return place | ({"start_line": start, "start_side": "RIGHT"} if start else {})


async def review(world: World, *comments: dict[str, Any], **more: Any) -> httpx.Response:
    body = {"event": "COMMENT", "body": "See", "commit_id": world.pull.head_sha, "comments": list(comments), **more}
    async with world.raw() as client:
        return await client.post("/pulls/1/reviews", json=body)


async def test_one_bad_comment_fails_the_whole_review_and_nothing_is_posted(world: World) -> None:
    answer = await review(world, at(10), at(20, 18))
    assert answer.status_code == 422
    assert answer.json()["errors"] == [OUTSIDE]
    assert world.hub.reviews_of(world.pull) == []
    assert world.hub.review_comments_of(world.pull) == []
    assert not any(event.startswith("pull_request_review") for event in world.ear.events)


async def test_github_refuses_such_places(world: World) -> None:
    bad = [
        at(20), at(30, 10), at(10, 10), at(10, 11), at(1000), at(10, path="absent.py"), at(10, body="x" * 65537),
        at(9, side="LEFT"), at(10, side="MIDDLE"), {"path": "code.py", "position": 3, "body": "old style"},
    ]  # fmt: skip
    for place in bad:
        assert (await review(world, place)).status_code == 422, place
    assert world.hub.reviews_of(world.pull) == []


async def test_github_takes_such_places(world: World) -> None:
    good = [at(10), at(7), at(13, 7), at(31, 30), at(10, side="LEFT"), at(2, 1, path="new.py")]
    for place in good:
        assert (await review(world, place)).status_code == 200, place


async def test_a_single_comment_is_refused_with_objects(world: World) -> None:
    async with world.raw() as client:
        answer = await client.post("/pulls/1/comments", json=at(20) | {"commit_id": world.pull.head_sha})
    assert answer.status_code == 422
    assert {error["field"] for error in answer.json()["errors"]} == {
        "pull_request_review_thread.line",
        "pull_request_review_thread.diff_hunk",
    }


async def test_a_review_without_event_is_pending_and_unseen(world: World) -> None:
    answer = await review(world, at(10), event=None)
    assert answer.json()["state"] == "PENDING"
    async with world.raw() as client:
        assert (await client.get("/pulls/1/comments")).json() == []
    assert "pull_request_review" not in world.ear.events


async def test_a_commit_that_is_not_in_the_pull_request_is_refused(world: World) -> None:
    assert (await review(world, at(10), commit_id="0" * 40)).status_code == 422


async def test_comments_move_along_or_become_outdated_with_a_push(world: World) -> None:
    await review(world, at(10), at(31, 30), at(10, side="LEFT"))
    changed = AFTER.replace("line9 = 9\n", "line9 = 9\nnew = 1\nnewer = 2\n")
    pushes.commit(world.hub, "ada", world.repo, "feature", {"code.py": changed})
    first, second, left = world.hub.review_comments_of(world.pull)
    assert (first.line, second.start_line, second.line, left.line) == (12, 32, 33, 10)
    assert first.commit_id == world.pull.head_sha
    pushes.commit(world.hub, "ada", world.repo, "feature", {"code.py": changed.replace("line10 = ten", "line10 = 0")})
    async with world.raw() as client:
        shown = (await client.get("/pulls/1/comments")).json()
    assert [(c["line"], c["position"] is None, c["original_line"]) for c in shown] == [
        (None, True, 10),
        (33, False, 31),
        (10, False, 10),
    ]


async def test_a_comment_on_an_older_commit_is_outdated_at_birth(world: World) -> None:
    old = world.pull.head_sha
    pushes.commit(world.hub, "ada", world.repo, "feature", {"code.py": AFTER.replace("line10 = ten", "line10 = 0")})
    assert (await review(world, at(10), commit_id=old)).status_code == 200
    assert world.hub.review_comments_of(world.pull)[0].line is None


async def test_replies_hang_on_the_first_comment_of_the_thread(world: World) -> None:
    await review(world, at(10))
    top = world.hub.review_comments_of(world.pull)[0]
    answer = reviews.reply(world.hub, "ada", top, "Why?")
    again = reviews.reply(world.hub, "ada", answer, "Really")
    assert (answer.in_reply_to, again.in_reply_to) == (top.id, top.id)
    async with world.raw() as client:
        path = f"/pulls/1/comments/{answer.id}/replies"
        assert (await client.post(path, json={"body": "to a reply"})).status_code == 404


async def test_every_body_is_cut_off_at_65536_characters(world: World) -> None:
    async with world.raw() as client:
        assert (await client.post("/issues/1/comments", json={"body": "x" * 65537})).status_code == 422
        assert (await client.post("/issues/1/comments", json={"body": "x" * 65536})).status_code == 201
    assert (await review(world, body="x" * 65537)).status_code == 422


async def test_a_fork_can_be_healed_by_review_but_has_no_pull_requests_in_its_checks(world: World) -> None:
    hub = world.hub
    fork = repos.fork(hub, world.repo, "stranger")
    pushes.commit(hub, "stranger", fork, "patch", {"new.py": "import sys\n"})
    pull = pulls.open_pull(hub, "stranger", world.repo, "stranger:patch")
    assert pull_heads.merge_sha(hub, pull)
    async with world.raw() as client:
        assert (await client.get(f"/commits/{pull.head_sha}/pulls")).json() == []
        found = (await client.get("/pulls", params={"head": "stranger:patch"})).json()
        assert [one["number"] for one in found] == [2]
        await client.post("/check-runs", json={"name": "Heal", "head_sha": pull.head_sha})
        shown = (await client.get(f"/commits/{pull.head_sha}/check-runs")).json()
    assert shown["check_runs"][0]["pull_requests"] == []
    made = reviews.create_comment(hub, "heal[bot]", pull, Draft("new.py", "hm", 1))
    pushes.commit(hub, "stranger", fork, "patch", {"new.py": "import sys\nimport os\n"})
    assert (pull.head_sha, made.line) == (hub.bare(fork).branch("patch"), 1)
