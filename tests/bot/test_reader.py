"""What the reader gives of a repository on the local GitHub: pull requests by three ways, jobs, logs, files, people."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.store.database import Database
from lab.localhub import actions, pulls, pushes, repos
from tests.bot.conftest import Clock
from tests.bot.hub import CHANGED, LINES, Place, place


@pytest.fixture
async def here(tmp_path: Path, database: Database, clock: Clock) -> AsyncIterator[Place]:
    async with place(tmp_path, database, clock) as made:
        yield made


async def test_a_pull_request_is_found_by_its_commit_also_from_a_fork(here: Place) -> None:
    fork = repos.fork(here.hub, here.repo, "felix")
    sha = pushes.commit(here.hub, "felix", fork, "topic#1", {"a.txt": "fork\n"})
    forked = pulls.open_pull(here.hub, "felix", here.repo, "felix:topic#1", "main", "From a fork")
    async with here.world() as world:
        (mine,) = await world.github.pulls_of(here.pull.head_sha, "topic#1", "octo")
        (theirs,) = await world.github.pulls_of(sha, "topic#1", "felix")
        (last_resort,) = await world.github.pulls_of(sha, None, None)
        assert await world.github.pulls_of(here.pull.base_sha, "main", "octo") == ()
    assert (mine.number, mine.head_ref, mine.is_fork_of("octo/demo")) == (here.pull.number, "topic#1", False)
    assert theirs.number == last_resort.number == forked.number
    assert theirs.is_fork_of("octo/demo")


async def test_a_closed_pull_request_or_an_older_head_is_not_found(here: Place) -> None:
    old = here.pull.head_sha
    new = pushes.commit(here.hub, "mona", here.repo, "topic#1", {"b.txt": "b\n"})
    async with here.world() as world:
        assert await world.github.pulls_of(old, "topic#1", "octo") == ()
        assert len(await world.github.pulls_of(new, "topic#1", "octo")) == 1
        pulls.close_pull(here.hub, "mona", here.pull)
        assert await world.github.pulls_of(new, "topic#1", "octo") == ()


async def test_failed_jobs_come_with_their_steps_workflow_and_log(here: Place) -> None:
    path, sha = ".github/workflows/ci.yml", here.pull.head_sha
    run = actions.begin_run(here.hub, here.repo, path, "CI", sha, "topic#1")
    good, bad = (actions.begin_job(here.hub, run, name) for name in ("build", "lint"))
    actions.finish_job(here.hub, good, "success", [], b"fine\n")
    actions.finish_job(here.hub, bad, "failure", [], b"E501 line too long\n")
    actions.finish_run(here.hub, run)
    async with here.world() as world:
        (job,) = await world.github.failed_jobs(run.id)
        assert await world.github.job(bad.id) == job
        assert await world.github.job(1) is None
        log = await world.github.job_log(bad.id)
    assert (job.name, job.conclusion, job.workflow_path) == ("lint", "failure", run.path)
    assert log is not None
    assert b"E501 line too long" in log


# EX-8
async def test_the_last_green_log_is_that_of_the_same_job_on_the_base_branch(here: Place) -> None:
    path, base = ".github/workflows/ci.yml", here.pull.base_sha
    for number, (name, ending) in enumerate([("lint", "success"), ("build", "success"), ("lint", "failure")]):
        run = actions.begin_run(here.hub, here.repo, path, "CI", base, "main")
        job = actions.begin_job(here.hub, run, name)
        actions.finish_job(here.hub, job, ending, [], f"log {number}\n".encode())
        actions.finish_run(here.hub, run)
    red = actions.begin_run(here.hub, here.repo, path, "CI", here.pull.head_sha, "topic#1")
    lint, other = (actions.begin_job(here.hub, red, name) for name in ("lint", "never seen"))
    async with here.world() as world:
        jobs = [await world.github.job(job.id) for job in (lint, other)]
        found = [await world.github.green_job(job, "main") for job in jobs if job]
    assert found[0] is not None
    assert found[0].sha == base
    assert b"log 0" in (found[0].log or b"")
    assert found[1] is None


# IN-5 EX-8
async def test_a_forks_green_log_is_no_measure_for_the_branch_of_the_same_name(here: Place) -> None:
    path, fork = ".github/workflows/ci.yml", repos.fork(here.hub, here.repo, "mallory")
    for head_repo, log in ((here.repo, b"ours\n"), (fork, b"theirs\n")):
        run = actions.begin_run(here.hub, here.repo, path, "CI", here.pull.base_sha, "main", head_repo=head_repo)
        job = actions.begin_job(here.hub, run, "lint")
        actions.finish_job(here.hub, job, "success", [], log)
        actions.finish_run(here.hub, run)
    red = actions.begin_run(here.hub, here.repo, path, "CI", here.pull.head_sha, "topic#1")
    lint = actions.begin_job(here.hub, red, "lint")
    async with here.world() as world:
        known = await world.github.job(lint.id)
        assert known is not None
        green = await world.github.green_job(known, "main")
        assert green is not None
        assert b"ours" in (green.log or b"")


async def test_files_are_read_at_a_ref_whatever_their_size_or_name(here: Place) -> None:
    big = "x" * 1_500_000
    pushes.commit(here.hub, "mona", here.repo, "topic#1", {"big": big, "döcs/a b#c.txt": "ü\n"})
    async with here.world() as world:
        assert await world.github.file("a.txt", "main") == LINES.encode()
        assert await world.github.file("a.txt", "topic#1") == CHANGED.encode()
        assert await world.github.file("big", "topic#1") == big.encode()
        assert await world.github.file("döcs/a b#c.txt", "topic#1") == "ü\n".encode()
        assert await world.github.file("döcs", "topic#1") is None
        assert await world.github.file("nowhere", "main") is None


async def test_changed_files_merge_base_and_messages_are_gits(here: Place) -> None:
    async with here.world() as world:
        (file,) = await world.github.changed_files(here.pull.number)
        assert await world.github.merge_base("main", here.pull.head_sha) == here.pull.base_sha
        assert await world.github.commit_message(here.pull.head_sha) == "Change things"
    assert (file.path, file.status) == ("a.txt", "modified")
    assert file.patch is not None
    assert "+line five" in file.patch


# SC-3
@pytest.mark.parametrize(("login", "permission"), [("mona", "write"), ("mallory", "read"), ("octo", "admin")])
async def test_permission_is_asked_of_github(here: Place, login: str, permission: str) -> None:
    here.hub.person(login)
    async with here.world() as world:
        assert await world.github.permission(login) == permission
        assert await world.github.permission("nobody-at-all") in ("none", "read")


# GH-14 SC-5
@pytest.mark.parametrize(
    ("rules", "protected"),
    [
        (("deletion", "non_fast_forward", "required_linear_history"), False),
        (("deletion", "pull_request"), True),
        (("required_status_checks",), True),
        (("update",), True),
        (("required_signatures",), True),
        (("merge_queue",), True),
        ((), False),
    ],
)
async def test_only_rules_that_keep_an_ordinary_commit_off_a_branch_count_as_its_protection(
    here: Place, rules: tuple[str, ...], protected: bool
) -> None:
    here.repo.rules["topic#1"] = rules
    async with here.world() as world:
        assert await world.github.branch_protected("topic#1") is protected
        here.repo.protected.add("topic#1")
        assert await world.github.branch_protected("topic#1")


async def test_comments_say_whether_a_bot_wrote_them(here: Place) -> None:
    pulls.comment(here.hub, "mona", here.pull, "/heal")
    async with here.world() as world:
        await world.publisher.sticky(here.pull.number, "<!-- m -->", "hello")
        found = await world.github.comments(here.pull.number)
        assert await world.github.branch_protected("topic#1") is False
    assert [(c.author, c.author_is_bot) for c in found] == [("mona", False), ("heal[bot]", True)]
