"""Artifacts and second attempts of the local Actions, in GitHub's shapes (the fixture holds every answer to them)."""

import io
import zipfile
from pathlib import Path

import httpx

from lab.localhub import actions, apps, artifacts
from lab.localhub.ci_state import WorkflowRun
from tests.localhub.conftest import World

WORKFLOW = b"""\
on: push
jobs:
  test:
    runs-on: self-hosted
    steps:
      - uses: actions/checkout@v4
      - run: pytest --junitxml=reports/junit.xml
      - uses: actions/upload-artifact@v4
        if: always()
        with:
          name: test results
          path: |
            reports/
            *.log
      - uses: actions/upload-artifact@v4
        with: {name: wheel, path: dist/*.whl}
"""


def failed_run(world: World) -> WorkflowRun:
    run = actions.begin_run(world.hub, world.repo, ".github/workflows/ci.yml", "CI", world.pull.head_sha, "feature")
    for name, conclusion in (("lint", "success"), ("test", "failure")):
        actions.finish_job(world.hub, actions.begin_job(world.hub, run, name), conclusion, [], b"log")
    actions.finish_run(world.hub, run)
    return run


async def test_an_artifact_is_listed_and_downloaded_from_another_host_for_a_minute(world: World) -> None:
    run = failed_run(world)
    made = artifacts.store(world.hub, run, "junit", {"reports/junit.xml": b"<testsuites/>"})
    async with world.raw() as client:
        (listed,) = (await client.get(f"/actions/runs/{run.id}/artifacts")).json()["artifacts"]
        assert (listed["name"], listed["expired"]) == ("junit", False)
        assert (await client.get(f"/actions/artifacts/{made.id}")).json() == listed
        answer = await client.get(f"/actions/artifacts/{made.id}/zip")
        assert answer.status_code == 302
        async with httpx.AsyncClient(trust_env=False, timeout=60) as other:
            data = (await other.get(answer.headers["location"])).content
            world.clock.forward(minutes=2)
            assert (await other.get(answer.headers["location"])).status_code != 200
        made.expired = True
        assert (await client.get(f"/actions/artifacts/{made.id}/zip")).status_code == 410
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.read("reports/junit.xml") == b"<testsuites/>"


async def test_only_who_may_write_actions_starts_the_failed_jobs_again(world: World) -> None:
    run = failed_run(world)
    async with world.raw() as client:
        assert (await client.post(f"/actions/runs/{run.id}/rerun-failed-jobs")).status_code == 403
    world.app.permissions["actions"] = world.installation.permissions["actions"] = "write"
    async with world.raw(apps.mint(world.hub, world.installation).value) as client:
        assert (await client.post(f"/actions/runs/{run.id}/rerun-failed-jobs")).status_code == 201
        assert (run.attempt, run.status, run.again) == (2, "in_progress", frozenset({"test"}))
        assert (await client.post(f"/actions/runs/{run.id}/rerun-failed-jobs")).status_code == 403


def test_upload_steps_are_understood_by_name_globs_and_condition(tmp_path: Path) -> None:
    for name in ("reports/junit.xml", "reports/deep/a.txt", "build.log", "dist/x.whl"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "reports/link").symlink_to("/etc/passwd")
    found = artifacts.uploads(WORKFLOW, "test")
    assert [(n, u.name, u.after_failure) for n, u in found.items()] == [(3, "test results", True), (4, "wheel", False)]
    assert list(found[3].files(tmp_path)) == ["build.log", "reports/deep/a.txt", "reports/junit.xml"]
    assert list(found[4].files(tmp_path)) == ["dist/x.whl"]
