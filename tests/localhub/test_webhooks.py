"""Signed deliveries, and everything that can go wrong with them."""

import hashlib
import hmac
import json

import httpx
from githubkit import AppAuthStrategy, GitHub, webhooks
from githubkit.cache import MemCacheStrategy

from lab.localhub import checks, pulls
from lab.localhub.state import Delivery
from tests.localhub.conftest import World


def app_client(world: World) -> GitHub[AppAuthStrategy]:
    auth = AppAuthStrategy(world.app.id, world.app.private_key)
    own = MemCacheStrategy()
    return GitHub(auth, base_url=world.local.api, http_cache=False, auto_retry=False, cache_strategy=own)


async def test_a_delivery_is_signed_over_its_raw_bytes_and_names_the_installation(world: World) -> None:
    made = pulls.comment(world.hub, "ada", world.pull, "/heal list")
    await world.hub.settled()
    ((headers, body),) = world.ear.heard
    digest = hmac.new(world.app.webhook_secret.encode(), body, hashlib.sha256).hexdigest()
    assert headers["x-hub-signature-256"] == f"sha256={digest}"
    assert (headers["x-github-event"], headers["content-type"]) == ("issue_comment", "application/json")
    assert headers["x-github-delivery"] == world.hub.deliveries[0].guid
    output = json.loads(body)
    assert output["installation"]["id"] == world.installation.id
    assert (output["comment"]["id"], output["sender"]["login"]) == (made.id, "ada")
    assert "pull_request" in output["issue"]
    assert webhooks.parse("issue_comment", body).action == "created"


async def test_a_failed_delivery_is_never_tried_again_but_can_be_redelivered_under_the_same_id(world: World) -> None:
    world.ear.status = 500
    pulls.comment(world.hub, "ada", world.pull, "first")
    await world.hub.settled()
    assert len(world.ear.heard) == 1
    world.ear.status = 202
    client = app_client(world)
    async with client:
        (item,) = (await client.rest.apps.async_list_webhook_deliveries()).parsed_data
        assert (item.status_code, item.redelivery) == (500, False)
        await client.rest.apps.async_redeliver_webhook_delivery(item.id)
        await world.hub.settled()
        again = (await client.rest.apps.async_list_webhook_deliveries()).parsed_data
    assert [(one.guid == item.guid, one.status, one.redelivery) for one in again] == [
        (True, "OK", True),
        (True, "Invalid HTTP Response: 500", False),
    ]
    assert world.ear.heard[0][1] == world.ear.heard[1][1]


async def test_deliveries_can_be_held_reordered_doubled_and_lost(world: World) -> None:
    def bodies() -> list[str]:
        return [json.loads(body)["comment"]["body"] for _, body in world.ear.heard]

    def is_lost(delivery: Delivery) -> bool:
        return b"lost" in delivery.payload

    world.local.webhooks.pause()
    for text in "abc":
        pulls.comment(world.hub, "ada", world.pull, text)
    await world.hub.settled()
    assert bodies() == []
    world.local.webhooks.resume(lambda held: held[::-1])
    await world.hub.settled()
    assert bodies() == ["c", "b", "a"]
    world.local.webhooks.copies = 2
    pulls.comment(world.hub, "ada", world.pull, "d")
    await world.hub.settled()
    assert bodies()[3:] == ["d", "d"]
    world.local.webhooks.drop = is_lost
    pulls.comment(world.hub, "ada", world.pull, "lost")
    await world.hub.settled()
    assert len(bodies()) == 5
    assert world.hub.deliveries[-1].attempts[-1].status == "failed to connect to host"


async def test_the_list_of_deliveries_goes_on_by_cursor(world: World) -> None:
    for text in "abc":
        pulls.comment(world.hub, "ada", world.pull, text)
    await world.hub.settled()
    client = app_client(world)
    async with client:
        page = await client.arequest("GET", "/app/hook/deliveries", params={"per_page": 2})
        cursor = httpx.Response(200, headers=page.headers).links["next"]["url"].partition("cursor=")[2]
        rest = await client.arequest("GET", "/app/hook/deliveries", params={"per_page": 2, "cursor": cursor})
    assert (len(page.json()), len(rest.json())) == (2, 1)


async def test_a_button_is_received_by_its_app_alone_and_pressed_only_with_write_access(world: World) -> None:
    button = {"label": "Apply", "description": "all", "identifier": "apply"}
    fields = {"name": "Heal", "head_sha": world.pull.head_sha, "conclusion": "neutral", "actions": [button]}
    run = checks.create_run(world.hub, world.repo, "heal", world.app.bot, fields)
    checks.press_button(world.hub, "ada", run, "apply")
    await world.hub.settled()
    output = json.loads(world.ear.heard[-1][1])
    assert (output["action"], output["requested_action"], output["sender"]["login"]) == (
        "requested_action",
        {"identifier": "apply"},
        "ada",
    )
    assert world.ear.events[:3] == ["check_run", "check_run", "check_suite"]
