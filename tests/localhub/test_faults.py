"""The switches that make the local GitHub misbehave."""

import asyncio

import httpx
import pytest
from githubkit.exception import RequestFailed, SecondaryRateLimitExceeded

from lab.localhub import apps
from tests.localhub.conftest import World

COMMENTS = r"/issues/1/comments$"


async def post(world: World, body: str = "hi") -> httpx.Response:
    async with world.raw() as client:
        return await client.post("/issues/1/comments", json={"body": body})


async def test_an_answer_can_get_lost_before_or_after_the_work_was_done(world: World) -> None:
    world.local.faults.answer("POST", COMMENTS, 502)
    assert (await post(world)).status_code == 502
    assert world.hub.conversation(world.pull) == []
    world.local.faults.answer("POST", COMMENTS, 502, after=True)
    assert (await post(world)).status_code == 502
    assert len(world.hub.conversation(world.pull)) == 1
    assert (await post(world)).status_code == 201


async def test_the_nth_request_alone_is_hit(world: World) -> None:
    world.local.faults.answer("POST", COMMENTS, 500, nth=2, times=2, contains="hi")
    assert [(await post(world, body)).status_code for body in ("hi", "no", "hi", "hi", "hi")] == [
        201,
        201,
        500,
        500,
        201,
    ]
    assert [seen.status for seen in world.local.faults.requests("POST", COMMENTS)] == [201, 201, 500, 500, 201]


async def test_a_secondary_limit_is_an_exception_of_githubkit_only_with_retry_after(world: World) -> None:
    client = world.client()
    async with client:
        world.local.faults.secondary_limit("POST", COMMENTS, retry_after=60)
        with pytest.raises(SecondaryRateLimitExceeded):
            await client.rest.issues.async_create_comment("octo", "demo", 1, body="hi")
        world.local.faults.secondary_limit("POST", COMMENTS)
        with pytest.raises(RequestFailed) as raised:
            await client.rest.issues.async_create_comment("octo", "demo", 1, body="hi")
        assert raised.value.response.status_code == 403
        assert "secondary rate limit" in raised.value.response.text


async def test_a_request_can_hang_before_or_after_it_was_performed(world: World) -> None:
    world.local.faults.hang("POST", COMMENTS, after=True)
    with pytest.raises(httpx.ReadTimeout):
        async with world.raw() as client:
            await client.post("/issues/1/comments", json={"body": "hi"}, timeout=0.3)
    assert len(world.hub.conversation(world.pull)) == 1


async def test_a_callback_runs_around_a_request(world: World) -> None:
    counts: list[int] = []

    def count() -> None:
        counts.append(len(world.hub.conversation(world.pull)))

    async def slow_count() -> None:
        await asyncio.sleep(0)
        count()

    world.local.faults.before("POST", COMMENTS, count)
    world.local.faults.after("POST", COMMENTS, slow_count)
    assert (await post(world)).status_code == 201
    assert counts == [0, 1]


async def test_a_token_can_be_revoked_between_two_requests(world: World) -> None:
    token = apps.mint(world.hub, world.installation).value
    async with world.raw(token) as client:
        assert (await client.get("/pulls/1")).status_code == 200
        apps.revoke_tokens(world.hub, world.installation)
        assert (await client.get("/pulls/1")).status_code == 401
