"""Who may do what: App JWTs, narrowed and expiring tokens, GitHub's refusals."""

import time
from typing import Any

import httpx
import jwt

from lab.localhub import apps, repos
from lab.localhub.apps import mint, person_token
from tests.localhub.conftest import World


async def status_of(
    world: World, token: str, path: str = "/pulls/1", method: str = "GET", **body: Any
) -> httpx.Response:
    async with world.raw(token) as client:
        return await client.request(method, path, json=body or None)


async def test_a_token_is_of_the_long_kind_with_dots(world: World) -> None:
    token = mint(world.hub, world.installation).value
    assert token.startswith(f"ghs_{world.app.id}_")
    assert token.count(".") == 2
    assert 400 < len(token) < 600


async def test_a_read_token_cannot_write_and_is_told_what_it_lacks(world: World) -> None:
    token = mint(world.hub, world.installation, {"pull_requests": "read"}).value
    assert (await status_of(world, token)).status_code == 200
    answer = await status_of(world, token, "/issues/1/comments", "POST", body="hi")
    assert answer.status_code == 403
    assert answer.json()["message"] == "Resource not accessible by integration"
    assert answer.headers["x-accepted-github-permissions"] == "issues=write; pull_requests=write"
    assert world.hub.conversation(world.pull) == []


async def test_a_token_dies_after_an_hour(world: World) -> None:
    token = mint(world.hub, world.installation).value
    world.clock.forward(minutes=59)
    assert (await status_of(world, token)).status_code == 200
    world.clock.forward(minutes=2)
    assert (await status_of(world, token)).status_code == 401


async def test_other_repositories_are_as_if_not_there(world: World) -> None:
    other = repos.create_repo(world.hub, "octo", "secret", {"a": "b"}, private=True)
    token = mint(world.hub, world.installation, repo_ids={other.id}).value
    assert (await status_of(world, token)).status_code == 404
    assert (await status_of(world, person_token(world.hub, "mallory").value)).status_code == 200
    async with world.raw(person_token(world.hub, "mallory").value) as client:
        assert (await client.get(f"{world.local.api}repos/octo/secret")).status_code == 404


async def test_garbage_and_nothing_are_refused(world: World) -> None:
    assert (await status_of(world, "ghs_made_up")).json()["message"] == "Bad credentials"
    async with httpx.AsyncClient(trust_env=False, verify=False, timeout=60) as client:
        assert (await client.get(f"{world.local.api}repos/octo/demo")).status_code == 401


async def test_suspending_and_uninstalling_stop_a_token_at_once(world: World) -> None:
    token = mint(world.hub, world.installation).value
    apps.suspend(world.hub, world.installation)
    assert (await status_of(world, token)).status_code == 403
    apps.suspend(world.hub, world.installation, False)
    assert (await status_of(world, token)).status_code == 200
    apps.uninstall(world.hub, world.installation)
    assert (await status_of(world, token)).status_code == 401


async def ask_token(world: World, bearer: str, **body: Any) -> httpx.Response:
    url = f"{world.local.api}app/installations/{world.installation.id}/access_tokens"
    async with httpx.AsyncClient(trust_env=False, verify=False, timeout=60) as client:
        return await client.post(url, headers={"Authorization": f"Bearer {bearer}"}, json=body)


def signed(world: World, key: str | None = None, life: int = 540, **claims: Any) -> str:
    now = int(time.time())
    full = {"iat": now - 60, "exp": now + life, "iss": world.app.client_id, **claims}
    return jwt.encode(full, key or world.app.private_key, algorithm="RS256")


async def test_more_than_was_granted_is_refused(world: World) -> None:
    good = signed(world)
    assert (await ask_token(world, good, permissions={"administration": "write"})).status_code == 422
    assert (await ask_token(world, good, permissions={"actions": "write"})).status_code == 422
    assert (await ask_token(world, good, repository_ids=[1])).status_code == 422
    answer = await ask_token(world, good, permissions={"contents": "read"}, repositories=["demo"])
    assert answer.status_code == 201
    assert answer.json()["permissions"] == {"contents": "read", "metadata": "read"}
    assert answer.json()["expires_at"].endswith("Z")


async def test_a_wrong_jwt_is_refused(world: World) -> None:
    wrong: list[dict[str, Any]] = [{"exp": 1}, {"life": 3600}, {"iss": "Iv1.nobody"}, {"iat": 2**40}]
    for claims in wrong:
        assert (await ask_token(world, signed(world, **claims))).status_code == 401, claims


async def test_a_jwt_signed_by_another_key_is_refused(world: World) -> None:
    other = apps.register(world.hub, "other")
    assert (await ask_token(world, signed(world, other.private_key))).status_code == 401


async def test_people_write_only_where_they_may(world: World) -> None:
    ada, mallory = person_token(world.hub, "ada").value, person_token(world.hub, "mallory").value
    assert (await status_of(world, mallory, "/issues/1/comments", "POST", body="hi")).status_code == 201
    ref = {"ref": "refs/heads/mine", "sha": world.pull.head_sha}
    assert (await status_of(world, mallory, "/git/refs", "POST", **ref)).status_code == 403
    assert (await status_of(world, ada, "/git/refs", "POST", **ref)).status_code == 201
    check = {"name": "x", "head_sha": world.pull.head_sha}
    answer = await status_of(world, ada, "/check-runs", "POST", **check)
    assert (answer.status_code, answer.json()["message"]) == (403, "You must authenticate via a GitHub App.")


async def test_only_its_app_changes_a_check_run(world: World) -> None:
    other = apps.register(world.hub, "other", permissions={"checks": "write"}, private_key=world.app.private_key)
    theirs = mint(world.hub, apps.install(world.hub, other, "octo")).value
    ours = mint(world.hub, world.installation).value
    made = (await status_of(world, ours, "/check-runs", "POST", name="Heal", head_sha=world.pull.head_sha)).json()
    assert (await status_of(world, theirs, f"/check-runs/{made['id']}", "PATCH", status="queued")).status_code == 403
