"""Paging, caching, versions, logs, and the refusals of the git database and of checks."""

from typing import Any
from urllib.parse import quote

import httpx

from lab.localhub import actions, pulls, pushes, repos
from lab.localhub.ci_state import Job, Step
from tests.localhub.conftest import World


def job_with_log(world: World, log: bytes | None) -> Job:
    hub = world.hub
    run = actions.begin_run(hub, world.repo, ".github/workflows/ci.yml", "CI", world.pull.head_sha, "feature")
    job = actions.begin_job(hub, run, "test")
    actions.finish_job(hub, job, "failure", [Step(1, "Run", "failure", hub.now(), hub.now())], log)
    actions.finish_run(hub, run)
    return job


async def test_lists_come_in_pages_with_link_headers(world: World) -> None:
    for number in range(5):
        pulls.comment(world.hub, "ada", world.pull, str(number))
    client = world.client()
    async with client:
        listing = client.rest.paginate(
            client.rest.issues.async_list_comments, owner="octo", repo="demo", issue_number=1, per_page=2
        )
        assert [comment.body async for comment in listing] == ["0", "1", "2", "3", "4"]
    assert len(world.local.faults.requests("GET", "/issues/1/comments")) == 3
    async with world.raw() as raw:
        answer = await raw.get("/issues/1/comments", params={"per_page": 2, "page": 2})
        assert set(answer.links) == {"prev", "next", "last", "first"}


async def test_what_did_not_change_is_304(world: World) -> None:
    async with world.raw() as client:
        tag = (await client.get("/pulls/1")).headers["etag"]
        answer = await client.get("/pulls/1", headers={"If-None-Match": tag})
        assert (answer.status_code, answer.content) == (304, b"")
        pulls.comment(world.hub, "ada", world.pull, "new")
        assert (await client.get("/pulls/1", headers={"If-None-Match": tag})).status_code == 200


async def test_an_unknown_path_is_a_loud_404(world: World) -> None:
    async with world.raw() as client:
        answer = await client.put("/topics", json={})
    assert answer.status_code == 404
    assert "the local GitHub has no PUT /api/v3/repos/octo/demo/topics" in answer.json()["message"]


async def test_githubkits_own_types_take_the_newest_version(world: World) -> None:
    client = world.client()
    async with client:
        pull = (await client.rest.pulls.async_get("octo", "demo", 1)).parsed_data
        assert (pull.head.sha, pull.mergeable) == (world.pull.head_sha, True)
        raw = (await client.rest.pulls.async_get("octo", "demo", 1)).json()
        assert "merge_commit_sha" not in raw
        files = (await client.rest.pulls.async_list_files("octo", "demo", 1)).parsed_data
        assert [(one.filename, one.status, one.additions) for one in files] == [
            ("code.py", "modified", 3),
            ("new.py", "added", 2),
        ]


async def test_a_log_is_behind_a_link_to_elsewhere_that_takes_no_credential_and_lives_a_minute(world: World) -> None:
    job = job_with_log(world, b"\xef\xbb\xbf2026-11-21T10:00:00.1234567Z boom\n")
    client = world.client()
    async with client:
        answer = await client.rest.actions.async_download_job_logs_for_workflow_run("octo", "demo", job.id)
        assert "boom" in answer.text
    async with world.raw() as raw:
        link = (await raw.get(f"/actions/jobs/{job.id}/logs")).headers["location"]
        assert httpx.URL(link).port != httpx.URL(world.local.url).port
        assert (await raw.get(link)).status_code == 403
    async with httpx.AsyncClient(trust_env=False, verify=False, timeout=60) as bare:
        assert (await bare.get(link)).status_code == 200
        world.clock.forward(seconds=61)
        assert (await bare.get(link)).status_code == 403


async def test_a_log_that_is_not_there_is_404(world: World) -> None:
    job = job_with_log(world, None)
    async with world.raw() as client:
        assert (await client.get(f"/actions/jobs/{job.id}/logs")).status_code == 404
        world.local.faults.answer("GET", r"/jobs/\d+/logs", 404, {"message": "BlobNotFound"}, times=2)
        job.log = b"late"
        path = f"/actions/jobs/{job.id}/logs"
        assert [(await client.get(path)).status_code for _ in range(3)] == [404, 404, 302]


async def test_the_git_database_refuses_as_github_does(world: World) -> None:
    hub, head = world.hub, world.pull.head_sha
    main = hub.bare(world.repo).branch("main")
    world.repo.protected.add("main")
    evil = {"path": ".github/workflows/x.yml", "mode": "100644", "type": "blob", "content": "on: push"}
    async with world.raw() as client:

        async def answer(method: str, path: str, **body: Any) -> tuple[int, str]:
            response = await client.request(method, path, json=body)
            return response.status_code, str(response.json().get("sha") or response.json()["message"])

        assert await answer("POST", "/git/refs", ref="refs/heads/feature", sha=head) == (
            422,
            "Reference already exists",
        )
        assert await answer("POST", "/git/refs", ref="refs/heads/x", sha="0" * 40) == (422, "Object does not exist")
        assert await answer("PATCH", "/git/refs/heads/feature", sha=main) == (422, "Update is not a fast forward")
        assert (await answer("PATCH", "/git/refs/heads/main", sha=head))[0] == 422
        assert await answer("DELETE", "/git/refs/heads/absent") == (422, "Reference does not exist")
        _, tree = await answer("POST", "/git/trees", base_tree=head, tree=[evil])
        _, commit = await answer("POST", "/git/commits", message="evil", tree=tree, parents=[head])
        status, message = await answer("PATCH", "/git/refs/heads/feature", sha=commit)
        assert (status, "without `workflows` permission" in message) == (403, True)
        gone = {"path": "absent", "mode": "100644", "type": "blob", "sha": None}
        assert (await answer("POST", "/git/trees", base_tree=head, tree=[gone]))[0] == 422
    assert hub.bare(world.repo).branch("feature") == head


async def test_a_second_or_empty_pull_request_is_refused(world: World) -> None:
    pushes.create_branch(world.hub, "ada", world.repo, "empty")
    async with world.raw() as client:

        async def refusal(head: str, base: str = "main") -> str:
            answer = await client.post("/pulls", json={"title": "x", "head": head, "base": base})
            assert answer.status_code == 422
            return str(answer.json()["errors"][0].get("message") or answer.json()["errors"][0]["field"])

        assert await refusal("feature") == "A pull request already exists for octo:feature."
        assert await refusal("empty") == "No commits between main and empty"
        assert [await refusal("absent"), await refusal("feature", "absent")] == ["head", "base"]


async def test_a_completed_check_run_is_never_opened_again(world: World) -> None:
    output = {"title": "t", "summary": "s"}
    done = {"name": "Heal", "head_sha": world.pull.head_sha, "status": "completed", "conclusion": "neutral"}
    async with world.raw() as client:
        made = (await client.post("/check-runs", json={**done, "output": output})).json()
        for fields in (
            {"status": "in_progress"},
            {"status": "queued"},
            {"status": "completed", "conclusion": "success"},
        ):
            answer = await client.patch(f"/check-runs/{made['id']}", json={**fields, "output": output})
            assert (answer.status_code, answer.json()["status"], answer.json()["conclusion"]) == (
                200,
                "completed",
                "neutral",
            )
        printed = await client.patch(f"/check-runs/{made['id']}", json={"output": {"title": "u", "summary": "s"}})
        assert printed.json()["output"]["title"] == "u"


async def test_check_runs_have_githubs_limits(world: World) -> None:
    note = {"path": "code.py", "start_line": 1, "end_line": 1, "annotation_level": "notice", "message": "hm"}
    button = {"label": "Apply", "description": "all", "identifier": "apply"}
    output = {"title": "t", "summary": "s"}
    bad: list[dict[str, Any]] = [
        {"output": {"title": "t", "summary": "x" * 65536}},
        {"output": {"title": "t", "summary": "s", "text": "x" * 65536}},
        {"output": {"title": "t"}},
        {"output": output | {"annotations": [note] * 51}},
        {"actions": [button] * 4},
        {"actions": [button | {"label": "x" * 21}]},
        {"actions": [button | {"description": "x" * 41}]},
        {"actions": [button | {"identifier": "x" * 21}]},
        {"status": "completed"},
        {"conclusion": "stale"},
        {"head_sha": "0" * 40},
        {"name": None},
    ]
    async with world.raw() as client:
        for fields in bad:
            body = {"name": "Heal", "head_sha": world.pull.head_sha, **fields}
            assert (await client.post("/check-runs", json=body)).status_code == 422, fields
        assert not world.hub.check_runs
        good = {"name": "Heal", "head_sha": world.pull.head_sha, "output": output | {"annotations": [note] * 50}}
        made = (await client.post("/check-runs", json=good)).json()
        more = {"output": output | {"annotations": [note]}}
        assert (await client.patch(f"/check-runs/{made['id']}", json=more)).json()["output"]["annotations_count"] == 51


async def test_branch_names_with_odd_signs_survive(world: World) -> None:
    for name in ("fix#1", "heal/1-ünï", "50%25", "a+b"):
        pushes.create_branch(world.hub, "ada", world.repo, name)
        async with world.raw() as client:
            answer = await client.get(f"/git/ref/heads/{quote(name)}")
            assert answer.json()["ref"] == f"refs/heads/{name}"
            assert (await client.get(f"/branches/{quote(name)}")).json()["name"] == name


async def test_a_rule_refuses_only_the_pushes_that_it_is_about(world: World) -> None:
    bare = world.hub.bare(world.repo)
    head, base = bare.branch("feature") or "", bare.branch("main") or ""
    on = repos.commit_object(world.hub, world.repo, [head], {"a": "1"}, "On", world.hub.person("ada"))
    ways: dict[str, tuple[str, dict[str, Any]]] = {
        "force": ("PATCH", {"sha": base, "force": True}),
        "commit": ("PATCH", {"sha": on}),
        "delete": ("DELETE", {}),
    }
    refused = {
        "deletion": {"delete"},
        "non_fast_forward": {"force"},
        "required_linear_history": set(),
        "pull_request": {"commit", "force"},
    }
    async with world.raw() as client:
        for rule, kinds in refused.items():
            world.repo.rules["feature"] = (rule,)
            shown = (await client.get("/branches/feature")).json()
            assert (shown["protected"], shown["protection"]["enabled"]) == (True, False)
            assert [one["type"] for one in (await client.get("/rules/branches/feature")).json()] == [rule]
            for way, (method, body) in ways.items():
                answer = await client.request(method, "/git/refs/heads/feature", json=body)
                assert (answer.status_code == 422) is (way in kinds), (rule, way, answer.text)
                if way in kinds:
                    assert answer.json()["message"].startswith("Repository rule violations found")
                bare.set_ref("refs/heads/feature", head)
