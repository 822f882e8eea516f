"""A walk through every operation: each answer must look as GitHub's description says."""

import base64

from githubkit import AppAuthStrategy, GitHub
from githubkit.cache import MemCacheStrategy

from lab.localhub import actions, apps, checks, pulls, reviews, suggestions
from lab.localhub.ci_state import Step
from lab.localhub.reviews import Draft
from tests.localhub.conftest import World

REVIEW = "Try this\n```suggestion\nline10 = 10\n```\n"


async def test_what_is_read_looks_like_githubs(world: World) -> None:
    hub, pull, repo = world.hub, world.pull, world.repo
    pulls.comment(hub, "ada", pull, "Hello")
    pulls.add_labels(hub, hub.person("ada"), pull, ["bug"])
    review = reviews.create_review(hub, "ada", pull, "See", drafts=(Draft("code.py", REVIEW, 10),))
    comment = hub.review_comments_of(pull)[0]
    run = actions.begin_run(hub, repo, ".github/workflows/ci.yml", "CI", pull.head_sha, "feature")
    job = actions.begin_job(hub, run, "test")
    note = {"path": "code.py", "start_line": 1, "end_line": 1, "annotation_level": "failure", "message": "bad"}
    actions.finish_job(hub, job, "failure", [Step(1, "Run tests", "failure", hub.now(), hub.now())], b"log", [note])
    actions.finish_run(hub, run)
    checks.set_status(hub, repo, hub.person("jenkins"), pull.head_sha, "failure", "jenkins", "broken", "http://ci/1")
    info = hub.bare(repo).info(pull.head_sha)
    paths = [
        "", "/collaborators/ada/permission", "/contents/code.py", "/contents/docs", "/contents",
        f"/commits/{pull.head_sha}", "/commits/feature/pulls", "/commits/feature/status",
        "/commits/feature/check-runs", "/compare/main...feature", "/branches/feature", "/git/ref/heads/main",
        "/git/matching-refs/heads/", f"/git/commits/{pull.head_sha}", f"/git/trees/{info.tree}?recursive=1",
        f"/git/blobs/{hub.bare(repo).sha_at('main', 'code.py')}", "/pulls", "/pulls/1", "/pulls/1/files",
        "/pulls/1/commits", "/pulls/1/comments", "/pulls/1/reviews", f"/pulls/1/reviews/{review.id}",
        f"/pulls/1/reviews/{review.id}/comments", f"/pulls/comments/{comment.id}",
        f"/pulls/comments/{comment.id}/reactions", "/issues/1/comments", "/issues/1/labels",
        f"/check-runs/{job.id}", f"/check-runs/{job.id}/annotations", f"/check-suites/{run.suite_id}",
        f"/check-suites/{run.suite_id}/check-runs", f"/actions/jobs/{job.id}", "/actions/runs",
        f"/actions/runs/{run.id}", f"/actions/runs/{run.id}/jobs", f"/actions/runs/{run.id}/attempts/1/jobs",
    ]  # fmt: skip
    async with world.raw() as client:
        for path in paths:
            answer = await client.get(path or f"{world.local.api}repos/octo/demo")
            assert answer.status_code == 200, (path, answer.text)
        for path in ("rate_limit", "users/heal[bot]", "installation/repositories"):
            assert (await client.get(world.local.api + path)).status_code == 200


async def test_what_is_written_looks_like_githubs(world: World) -> None:
    hub, pull = world.hub, world.pull
    async with world.raw() as client:

        async def send(method: str, at: str, expected: int, **body: object) -> dict[str, object]:
            answer = await client.request(method, at, json=body)
            assert answer.status_code == expected, (at, answer.text)
            return dict(answer.json()) if answer.text.startswith("{") else {}

        made = await send("POST", "/issues/1/comments", 201, body="Hi")
        await send("PATCH", f"/issues/comments/{made['id']}", 200, body="Hi again")
        await send("POST", f"/issues/comments/{made['id']}/reactions", 201, content="eyes")
        await send("POST", f"/issues/comments/{made['id']}/reactions", 200, content="eyes")
        await send("POST", "/issues/1/labels", 200, labels=["heal"])
        await send("DELETE", "/issues/1/labels/heal", 200)
        place = {"path": "code.py", "line": 10, "side": "RIGHT", "body": REVIEW}
        review = await send("POST", "/pulls/1/reviews", 200, event="COMMENT", body="Fixes", comments=[place])
        await send("PUT", f"/pulls/1/reviews/{review['id']}", 200, body="Better fixes")
        comment = await send("POST", "/pulls/1/comments", 201, commit_id=pull.head_sha, **place)
        await send("POST", f"/pulls/1/comments/{comment['id']}/replies", 201, body="Why?")
        await send("PATCH", f"/pulls/comments/{comment['id']}", 200, body="Because")
        await send("POST", f"/pulls/comments/{comment['id']}/reactions", 201, content="rocket")
        await send("POST", "/pulls/1/requested_reviewers", 201, reviewers=["octo"])
        output = {"title": "Healing", "summary": "…"}
        run = await send("POST", "/check-runs", 201, name="Heal", head_sha=pull.head_sha, output=output)
        button = {"label": "Apply", "description": "Apply all", "identifier": "apply"}
        done = {"conclusion": "neutral", "actions": [button]}
        await send("PATCH", f"/check-runs/{run['id']}", 200, status="completed", output=output, **done)
        await send("POST", f"/statuses/{pull.head_sha}", 201, state="success", context="heal")
        blob = await send("POST", "/git/blobs", 201, content=base64.b64encode(b"x = 1\n").decode(), encoding="base64")
        entry = {"path": "code.py", "mode": "100644", "type": "blob", "sha": blob["sha"]}
        tree = await send("POST", "/git/trees", 201, base_tree=pull.head_sha, tree=[entry])
        commit = await send("POST", "/git/commits", 201, message="Fix", tree=tree["sha"], parents=[pull.head_sha])
        await send("POST", "/git/refs", 201, ref="refs/heads/heal/1", sha=pull.head_sha)
        await send("PATCH", "/git/refs/heads/heal/1", 200, sha=commit["sha"])
        fixup = await send("POST", "/pulls", 201, title="Fixup", head="heal/1", base="feature", body="…")
        await send("PATCH", f"/pulls/{fixup['number']}", 200, state="closed")
        await send("DELETE", "/git/refs/heads/heal/1", 204)
        await send("DELETE", f"/pulls/comments/{comment['id']}", 204)
    assert hub.bare(world.repo).branch("heal/1") is None


async def test_every_webhook_looks_like_githubs(world: World) -> None:
    hub, pull = world.hub, world.pull
    ada = hub.person("ada")
    comment = pulls.comment(hub, "ada", pull, "/heal list")
    pulls.edit_comment(hub, ada, comment, "/heal show")
    pulls.add_labels(hub, ada, pull, ["bug"])
    pulls.remove_label(hub, ada, pull, "bug")
    reviews.create_review(hub, "heal[bot]", pull, "See", drafts=(Draft("code.py", REVIEW, 10), Draft("new.py", "?", 2)))
    first, second = hub.review_comments_of(pull)
    reviews.reply(hub, "ada", second, "hm")
    reviews.edit_comment(hub, ada, second, "??")
    reviews.resolve_thread(hub, "ada", hub.threads[second.thread_id])
    reviews.set_resolved(hub, ada, hub.threads[second.thread_id], False)
    suggestions.commit_suggestion(hub, "ada", [first.id])
    run = actions.begin_run(hub, world.repo, ".github/workflows/ci.yml", "CI", pull.head_sha, "feature")
    job = actions.begin_job(hub, run, "test")
    actions.finish_job(hub, job, "failure", [Step(1, "Run tests", "failure", hub.now(), hub.now())], b"log")
    actions.finish_run(hub, run)
    button = {"label": "Apply", "description": "Apply all", "identifier": "apply"}
    fields = {"name": "Heal", "head_sha": pull.head_sha, "conclusion": "neutral", "actions": [button]}
    ours = checks.create_run(hub, world.repo, "heal", world.app.bot, fields)
    checks.press_button(hub, "ada", ours, "apply")
    checks.rerequest(hub, "ada", ours)
    checks.set_status(hub, world.repo, ada, pull.head_sha, "failure")
    pulls.set_draft(hub, ada, pull, True)
    pulls.set_draft(hub, ada, pull, False)
    pulls.close_pull(hub, "ada", pull)
    pulls.reopen_pull(hub, "ada", pull)
    pulls.merge_pull(hub, "octo", pull)
    apps.suspend(hub, world.installation)
    apps.suspend(hub, world.installation, False)
    apps.uninstall(hub, world.installation)
    await hub.settled()
    assert len(world.ear.heard) == len(hub.deliveries) > 30


async def test_an_apps_own_calls_look_like_githubs(world: World) -> None:
    auth = AppAuthStrategy(world.app.id, world.app.private_key)
    own = MemCacheStrategy()
    client = GitHub(auth, base_url=world.local.api, http_cache=False, auto_retry=False, cache_strategy=own)
    pulls.comment(world.hub, "ada", world.pull, "so that there is a delivery")
    await world.hub.settled()
    attempt = world.hub.deliveries[0].attempts[0]
    async with client:
        for path in (
            "/app", "/app/installations", f"/app/installations/{world.installation.id}",
            "/repos/octo/demo/installation", "/app/hook/deliveries", f"/app/hook/deliveries/{attempt.id}",
        ):  # fmt: skip
            assert (await client.arequest("GET", path)).status_code == 200
        body = {"repository_ids": [world.repo.id], "permissions": {"contents": "read"}}
        path = f"/app/installations/{world.installation.id}/access_tokens"
        assert (await client.arequest("POST", path, json=body)).status_code == 201
