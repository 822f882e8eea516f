"""git over HTTP with tokens, as Heal and a person use it."""

import asyncio
import gzip
import os
import subprocess
from pathlib import Path

import httpx

from lab.localhub import pull_heads, pushes
from lab.localhub.apps import mint, person_token
from tests.localhub.conftest import World


async def git(folder: Path, *args: str, ok: bool = True) -> str:
    env = {
        "PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0",
        "GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "a@b.c", "GIT_COMMITTER_NAME": "Ada",
        "GIT_COMMITTER_EMAIL": "a@b.c",
    }  # fmt: skip
    run = subprocess.run
    done = await asyncio.to_thread(
        run, ["git", *args], cwd=folder, env=env, capture_output=True, text=True, check=False
    )
    assert (done.returncode == 0) is ok, done.stderr
    return done.stdout + done.stderr


def address(world: World, token: str) -> str:
    return world.local.url.replace("://", f"://x-access-token:{token}@") + "/octo/demo.git"


async def test_a_token_clones_and_pushes_and_the_push_is_received(world: World, tmp_path: Path) -> None:
    token = mint(world.hub, world.installation).value
    await git(tmp_path, "clone", "-q", "-b", "feature", address(world, token), "work")
    work = tmp_path / "work"
    (work / "new.py").write_text("import os\n")
    await git(work, "commit", "-qam", "Remove an import")
    await git(work, "push", "-q", "origin", "feature", "HEAD:refs/heads/other")
    new = world.hub.bare(world.repo).branch("feature")
    assert world.pull.head_sha == new == world.hub.bare(world.repo).branch("other")
    assert (world.hub.bare(world.repo).refs("refs/pull/1/")["refs/pull/1/head"]) == new
    await world.hub.settled()
    assert sorted(world.ear.events) == ["check_suite", "pull_request", "push", "push"]


async def test_anybody_reads_what_is_public_and_a_bad_token_reads_nothing(world: World, tmp_path: Path) -> None:
    await git(tmp_path, "clone", "-q", f"{world.local.url}/octo/demo", "anonymous")
    world.repo.private = True
    assert "Authentication failed" in await git(tmp_path, "clone", "-q", address(world, "ghs_bad"), "bad", ok=False)
    await git(tmp_path, "clone", "-q", f"{world.local.url}/octo/demo", "private", ok=False)
    stranger = person_token(world.hub, "mallory").value
    assert "not found" in (await git(tmp_path, "clone", "-q", address(world, stranger), "x", ok=False)).lower()


async def test_githubs_refusals_of_a_push(world: World, tmp_path: Path) -> None:
    hub = world.hub
    await git(tmp_path, "clone", "-q", f"{world.local.url}/octo/demo", "work")
    work = tmp_path / "work"
    (work / ".github/workflows").mkdir(parents=True)
    (work / ".github/workflows/evil.yml").write_text("on: push\n")
    await git(work, "add", ".")
    await git(work, "commit", "-qm", "Take over")
    app, ada = mint(hub, world.installation).value, person_token(hub, "ada").value
    reader = mint(hub, world.installation, {"contents": "read"}).value
    assert "403" in await git(work, "push", address(world, reader), "HEAD:new", ok=False)
    output = await git(work, "push", address(world, app), "HEAD:new", ok=False)
    assert "refusing to allow a GitHub App to create or update workflow `.github/workflows/evil.yml`" in output
    assert "hidden ref" in await git(work, "push", address(world, app), "origin/main:refs/pull/1/head", ok=False)
    world.repo.protected.add("main")
    assert "GH006" in await git(work, "push", address(world, ada), "HEAD:main", ok=False)
    assert hub.bare(world.repo).branch("new") is None
    await git(work, "push", "-q", address(world, ada), "HEAD:new")
    assert hub.bare(world.repo).branch("new")


async def test_a_commit_can_be_fetched_by_its_sha_and_so_can_the_test_merge(world: World, tmp_path: Path) -> None:
    hub = world.hub
    pushes.commit(hub, "octo", world.repo, "main", {"other.py": "1\n"})
    merge = pull_heads.merge_sha(hub, world.pull)
    assert merge
    await git(tmp_path, "init", "-q", "work")
    work = tmp_path / "work"
    await git(work, "fetch", "-q", "--depth", "1", world.local.url + "/octo/demo.git", world.pull.head_sha, merge)
    await git(work, "fetch", "-q", world.local.url + "/octo/demo.git", "refs/pull/1/merge")
    assert f"parent {world.pull.head_sha}" in await git(work, "cat-file", "-p", merge)
    assert "other.py" in await git(work, "ls-tree", "--name-only", merge)


async def test_a_conflict_has_no_test_merge(world: World) -> None:
    pushes.commit(world.hub, "octo", world.repo, "main", {"new.py": "import json\n"})
    assert pull_heads.merge_sha(world.hub, world.pull) is None
    async with world.raw() as client:
        assert (await client.get("/pulls/1")).json()["mergeable_state"] == "dirty"


async def test_a_compressed_request_is_understood(world: World) -> None:
    lines = [f"want {world.pull.head_sha} no-progress\n", "", "done\n"]
    body = "".join(f"{len(line) + 4:04x}{line}" if line else "0000" for line in lines).encode()
    headers = {"Content-Type": "application/x-git-upload-pack-request", "Content-Encoding": "gzip"}
    async with httpx.AsyncClient(trust_env=False, verify=False, timeout=60) as client:
        url = f"{world.local.url}/octo/demo.git/git-upload-pack"
        answer = await client.post(url, content=gzip.compress(body), headers=headers)
    assert b"PACK" in answer.content
