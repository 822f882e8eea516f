"""Fixup pull requests on GitHub: each step of their life once, whatever answers are lost (GH-5)."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.github.fixups import UNPROVEN
from bot.store.database import Database
from handlers.model import HeadMoved, Refused
from handlers.model.plans import FixupPlan, Reviewers
from lab.localhub import pushes, repos
from tests.bot.conftest import Clock
from tests.bot.hub import Place, place
from tests.bot.test_publisher import change, fixup


@pytest.fixture
async def here(tmp_path: Path, database: Database, clock: Clock) -> AsyncIterator[Place]:
    async with place(tmp_path, database, clock) as made:
        yield made


MONA = Reviewers(people=("mona",))


def moved_on(here: Place) -> FixupPlan:
    """The same fixes, on a newer head of the branch below."""
    made = pushes.commit(here.hub, "mona", here.repo, "topic#1", {"later.txt": "later\n"})
    return fixup(here).model_copy(update={"start_sha": made, "body": "Anew\n<!-- heal:v1 fixup=1 -->"})


# GH-5
async def test_it_is_a_draft_whose_commits_github_signed(here: Place) -> None:
    async with here.world() as world:
        made = await world.publisher.fixup(fixup(here))
    pull = here.hub.pull(here.repo, made.id)
    bare = here.hub.bare(here.repo)
    assert (pull.draft, pull.labels, pull.head_sha) == (True, ["heal"], made.sha)
    commits = [bare.info(sha) for sha in bare.commits(here.pull.head_sha, made.sha)]
    assert {commit.committer_email for commit in commits} == {"noreply@github.com"}
    assert len(commits) == 2


# GH-5
async def test_it_is_stacked_again_on_a_newer_head_whatever_answer_is_lost(here: Place) -> None:
    async with here.world() as world:
        first = await world.publisher.fixup(fixup(here))
        again = moved_on(here)
        for method, where in (("POST", r"/git/commits$"), ("PATCH", r"/git/refs/"), ("PATCH", r"/pulls/\d+$")):
            here.local.faults.answer(method, where, 502, after=True)
        second = await world.publisher.fixup(again)
        assert await world.publisher.fixup(again) == second
    pull, bare = here.hub.pull(here.repo, first.id), here.hub.bare(here.repo)
    assert (second.id, pull.state, pull.head_sha) == (first.id, "open", second.sha)
    assert len(bare.commits(again.start_sha, second.sha)) == 2
    assert bare.read(second.sha, "later.txt") == b"later\n"
    assert (pull.body or "").startswith("Anew")


# GH-5
async def test_the_branch_never_stands_where_github_would_close_the_pull_request(here: Place) -> None:
    """A branch with nothing of its own for a moment closes its pull request for good."""
    async with here.world() as world:
        made = await world.publisher.fixup(fixup(here))
        states: list[str] = []
        pull = here.hub.pull(here.repo, made.id)
        here.local.faults.after("*", r"/git/refs", lambda: states.append(pull.state), times=99)
        await world.publisher.fixup(moved_on(here))
    assert set(states) == {"open"}


# GH-5
async def test_what_somebody_else_pushed_stays(here: Place) -> None:
    async with here.world() as world:
        made = await world.publisher.fixup(fixup(here))
        theirs = pushes.commit(here.hub, "mona", here.repo, "heal/r1/1", {"mine.txt": "mine\n"})
        with pytest.raises(HeadMoved, match="somebody else pushed"):
            await world.publisher.fixup(moved_on(here))
    assert here.hub.pull(here.repo, made.id).head_sha == theirs


# GH-5
async def test_where_drafts_are_refused_a_label_stands_for_it_until_it_is_ready(here: Place) -> None:
    here.repo.drafts = False
    async with here.world() as world:
        made = await world.publisher.fixup(fixup(here))
        pull = here.hub.pull(here.repo, made.id)
        assert (pull.draft, sorted(pull.labels)) == (False, ["heal", UNPROVEN])
        for _ in range(2):
            await world.publisher.ready(made.id, Reviewers())
    assert pull.labels == ["heal"]


# GH-5
async def test_another_refusal_is_no_reason_to_do_without_a_draft(here: Place) -> None:
    here.local.faults.answer("POST", r"/pulls$", 422, {"message": "Validation Failed"}, times=9)
    async with here.world() as world:
        with pytest.raises(Refused, match="Validation Failed"):
            await world.publisher.fixup(fixup(here))
    assert len(here.hub.pulls_of(here.repo)) == 1


# GH-5
async def test_ready_ends_the_draft_and_asks_who_can_be_asked_once(here: Place) -> None:
    repos.add_collaborator(here.repo, "mona", "write")
    async with here.world() as world:
        made = await world.publisher.fixup(fixup(here))
        wish = Reviewers(people=("mona", "stranger", "heal-app[bot]"), teams=("nobody",))
        for _ in range(2):
            await world.publisher.ready(made.id, wish)
    pull = here.hub.pull(here.repo, made.id)
    assert pull.draft is False
    assert [account.login for account in pull.reviewers] == ["mona"]


# GH-5 GH-14
@pytest.mark.parametrize("granted", [False, True])
async def test_teams_are_asked_where_the_app_may_read_members_and_else_named(here: Place, granted: bool) -> None:
    if granted:
        (installation,) = here.hub.installations.values()
        installation.permissions["members"] = "read"
    here.repo.teams.add("payments")
    async with here.world() as world:
        made = await world.publisher.fixup(fixup(here))
        wish = Reviewers(teams=("payments", "strangers"))
        unasked = [await world.publisher.ready(made.id, wish) for _ in range(2)]
    assert unasked == [("strangers",) if granted else wish.teams] * 2
    assert here.hub.pull(here.repo, made.id).teams == (["payments"] if granted else [])


# GH-5
async def test_what_was_closed_meanwhile_is_not_made_ready(here: Place) -> None:
    async with here.world() as world:
        made = await world.publisher.fixup(fixup(here))
        await world.publisher.close_fixup(made.id, "heal/r1/1", "Because.")
        await world.publisher.ready(made.id, MONA)
        await world.publisher.ready(9_999, MONA)
    pull = here.hub.pull(here.repo, made.id)
    assert (pull.draft, pull.reviewers) == (True, [])


# GH-5
async def test_a_file_that_a_fix_deletes_and_one_that_may_be_run(here: Place) -> None:
    gone = change("", path="a.txt").model_copy(update={"content": None})
    plan = fixup(here, ("One", "b", (gone, change("#!/bin/sh\n", "100755", "run.sh"))))
    async with here.world() as world:
        made = await world.publisher.fixup(plan)
    modes = {entry.path: entry.mode for entry in here.hub.bare(here.repo).entries(made.sha)}
    assert "a.txt" not in modes
    assert modes["run.sh"] == "100755"
