"""Whatever is lost, late or repeated: each thing is posted once, read back, and only on the head it was made for."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.github.commits import content_of
from bot.github.transport import Unsure
from bot.store.database import Database
from handlers.model import HeadMoved, Refused
from handlers.model.plans import CheckPlan, CommitPlan, FileChange, FixupPlan, ReviewPlan, SuggestionPlan
from lab.localhub import apps, pulls, pushes, repos, reviews
from lab.localhub.reviews import Draft
from tests.bot.conftest import Clock
from tests.bot.hub import CHANGED, Place, place

LOST = (502,)  # performed, but the answer never came


@pytest.fixture
async def here(tmp_path: Path, database: Database, clock: Clock) -> AsyncIterator[Place]:
    async with place(tmp_path, database, clock) as made:
        yield made


def suggestion(name: str, line: int, start: int | None = None) -> SuggestionPlan:
    body = f"Use this\n```suggestion\nx\n```\n<!-- heal:v1 id={name} -->"
    return SuggestionPlan(proposal_id=name, path="a.txt", start_line=start or line, end_line=line, body=body)


def review(here: Place, *comments: SuggestionPlan) -> ReviewPlan:
    marker = "<!-- heal:v1 review=r1 -->"
    return ReviewPlan(
        number=here.pull.number,
        commit_sha=here.pull.head_sha,
        marker=marker,
        body=f"Fixes\n{marker}",
        comments=comments,
    )


def change(text: str, mode: str = "100644", path: str = "a.txt") -> FileChange:
    return FileChange(path=path, content=content_of(text.encode()), mode=mode)


def commit(here: Place, *changes: FileChange) -> CommitPlan:
    return CommitPlan(
        branch="topic#1",
        expected_head=here.pull.head_sha,
        headline="Fix the line",
        body="Because.\n\nCo-authored-by: Mona <mona@example.com>",
        changes=changes or (change(CHANGED.replace("line 7", "line seven")),),
    )


def fixup(here: Place, *commits: tuple[str, str, tuple[FileChange, ...]]) -> FixupPlan:
    return FixupPlan(
        branch="heal/r1/1",
        start_sha=here.pull.head_sha,
        base_ref="topic#1",
        title="Fix it",
        body="Why\n<!-- heal:v1 fixup=1 -->",
        marker="<!-- heal:v1 fixup=1 -->",
        commits=commits
        or (("One", "b", (change("1\n"),)), ("Two", "b", (change("2\n"), change("new\n", path="n.py")))),
        labels=("heal",),
    )


# GH-1
async def test_a_review_is_read_back_with_the_comment_of_each_proposal(here: Place) -> None:
    async with here.world() as world:
        posted = await world.publisher.review(review(here, suggestion("p1", 5), suggestion("p2", 31, start=29)))
        kept = {c.id: (c.start_line, c.line) for c in await _comments(here)}
    assert {name: kept[id_] for name, id_ in posted.extra.items()} == {"p1": (None, 5), "p2": (29, 31)}
    assert posted.id in here.hub.reviews


# GH-4
@pytest.mark.parametrize("status", LOST)
async def test_a_review_whose_answer_was_lost_is_not_posted_again(here: Place, status: int) -> None:
    here.local.faults.answer("POST", r"/reviews$", status, after=True)
    async with here.world() as world:
        first = await world.publisher.review(review(here, suggestion("p1", 5)))
        again = await world.publisher.review(review(here, suggestion("p1", 5)))
    assert first == again
    assert list(first.extra) == ["p1"]
    assert len(here.hub.reviews) == 1


async def test_a_review_that_was_not_performed_is_posted_by_the_next_try(here: Place, clock: Clock) -> None:
    here.local.faults.answer("POST", r"/reviews$", 502)
    async with here.world() as world:
        assert (await world.publisher.review(review(here, suggestion("p1", 5)))).extra
    assert len(here.hub.reviews) == 1
    assert clock.naps == [1.0]


async def test_when_nothing_comes_through_the_end_is_unsure_and_nothing_is_claimed(here: Place) -> None:
    here.local.faults.answer("POST", r"/reviews$", 502, times=9)
    async with here.world() as world:
        with pytest.raises(Unsure):
            await world.publisher.review(review(here, suggestion("p1", 5)))
    assert not here.hub.reviews


# GH-1
async def test_a_comment_that_the_diff_cant_hold_is_left_out_and_the_others_are_posted(here: Place) -> None:
    async with here.world() as world:
        posted = await world.publisher.review(review(here, suggestion("p1", 5), suggestion("p2", 17)))
        assert list(posted.extra) == ["p1"]
        with pytest.raises(Refused, match="422"):
            await world.publisher.review(review(here, suggestion("p3", 17)).model_copy(update={"marker": "<!-- x -->"}))
    assert len(here.hub.reviews) == 1


# GH-1
async def test_nothing_is_reviewed_when_the_head_moved(here: Place) -> None:
    plan = review(here, suggestion("p1", 5))
    pushes.commit(here.hub, "mona", here.repo, "topic#1", {"b.txt": "b\n"})
    async with here.world() as world:
        with pytest.raises(HeadMoved):
            await world.publisher.review(plan)
    assert not here.hub.reviews


# GH-4
async def test_the_sticky_comment_is_made_once_and_edited_in_place(here: Place) -> None:
    here.local.faults.answer("POST", r"/issues/\d+/comments$", 502, after=True)
    number, mark = here.pull.number, "<!-- heal:v1 sticky -->"
    async with here.world() as world:
        assert await world.publisher.sticky(number, mark, "nothing", create=False) is None
        first = await world.publisher.sticky(number, mark, "one")
        assert await world.publisher.sticky(number, mark, f"two {mark}") == first
        assert await world.publisher.sticky(number, mark, f"two {mark}", create=False) == first
    assert here.bot_comments() == [f"two {mark}"]
    assert len(here.local.faults.requests("PATCH", "/comments/")) == 1, "an unchanged body is not sent again"


async def test_a_strangers_comment_with_our_marker_is_not_ours(here: Place) -> None:
    pulls.comment(here.hub, "mallory", here.pull, "mine now <!-- heal:v1 sticky -->")
    async with here.world() as world:
        await world.publisher.sticky(here.pull.number, "<!-- heal:v1 sticky -->", "real")
    bodies = {c.author.login: c.body for c in here.hub.comments.values()}
    assert bodies["mallory"].startswith("mine now")
    assert bodies["heal[bot]"].startswith("real")


# SC-2
async def test_a_command_is_answered_once_where_it_was_given(here: Place) -> None:
    here.local.faults.answer("POST", r"/replies$", 502, after=True)
    asked = reviews.create_comment(here.hub, "mona", here.pull, Draft("a.txt", "/heal show", line=5))
    async with here.world() as world:
        await world.publisher.react(asked.id, "review", "eyes")
        await world.publisher.react(asked.id, "review", "eyes")
        first = await world.publisher.answer(here.pull.number, "<!-- heal:v1 c=1 -->", "working", asked.id)
        last = await world.publisher.answer(here.pull.number, "<!-- heal:v1 c=1 -->", "done", asked.id)
    assert first == last
    replies = [c for c in await _comments(here) if c.in_reply_to == asked.id]
    assert [c.body for c in replies] == ["done\n\n<!-- heal:v1 c=1 -->"]
    assert len(here.hub.reactions) == 1


# GH-3
async def test_the_check_run_of_a_head_is_made_once_and_updated(here: Place) -> None:
    here.local.faults.answer("POST", r"/check-runs$", 502, after=True)
    plan = CheckPlan(
        sha=here.pull.head_sha, external_id="heal:1", status="in_progress", conclusion=None, title="t", summary="s"
    )
    done = plan.model_copy(
        update={"status": "completed", "conclusion": "neutral", "actions": (("Retry", "Again", "r"),)}
    )
    async with here.world() as world:
        first = await world.publisher.check(plan)
        assert await world.publisher.check(done) == first
    (run,) = here.hub.check_runs.values()
    assert (run.id, run.status, run.conclusion) == (first.id, "completed", "neutral")


# GH-11
async def test_a_check_run_only_goes_forward_and_a_new_attempt_has_one_of_its_own(here: Place) -> None:
    first = CheckPlan(
        sha=here.pull.head_sha, external_id="heal:1", status="queued", conclusion=None, title="t", summary="s"
    )
    began = first.model_copy(update={"status": "in_progress", "title": "began"})
    done = first.model_copy(update={"status": "completed", "conclusion": "neutral", "title": "done"})
    for plan in (first, began, first, done, began):
        async with here.world() as world:  # each as a process of its own
            await world.publisher.check(plan)
    async with here.world() as world:
        await world.publisher.check(first.model_copy(update={"external_id": "heal:2"}))
    runs = [(run.external_id, run.status, run.title) for run in here.hub.check_runs.values()]
    assert runs == [("heal:1", "completed", "done"), ("heal:2", "queued", "t")]


# GH-11
async def test_two_who_make_the_same_check_run_at_once_make_one(here: Place) -> None:
    plan = CheckPlan(
        sha=here.pull.head_sha, external_id="heal:1", status="queued", conclusion=None, title="t", summary="s"
    )
    async with here.world() as one, here.world() as other:
        began = plan.model_copy(update={"status": "in_progress"})
        await asyncio.gather(one.publisher.check(plan), other.publisher.check(began))
    (run,) = here.hub.check_runs.values()
    assert run.status == "in_progress"


# SC-4
@pytest.mark.parametrize("mode", ["100644", "100755"], ids=["signed, by GraphQL", "with its mode, by git objects"])
@pytest.mark.parametrize("lost", [True, False])
async def test_a_commit_is_made_once_and_given_back_when_asked_for_again(here: Place, mode: str, lost: bool) -> None:
    if lost:
        here.local.faults.answer("POST", r"/graphql$", 502, after=True)
        here.local.faults.answer("PATCH", r"/git/refs/", 502, after=True)
    plan = commit(here, change("echo there\n", mode, "run.sh"))
    async with here.world() as world:
        made = await world.publisher.commit(plan, "apply:7")
        assert await world.publisher.commit(plan, "apply:7") == made
        later = plan.model_copy(update={"expected_head": made})
        assert await world.publisher.commit(later, "apply:7") == made, "also where the plan was made after it"
    bare = here.hub.bare(here.repo)
    assert bare.branch("topic#1") == made
    assert bare.commits(here.pull.base_sha, made)[-1] == made
    assert len(bare.commits(here.pull.base_sha, made)) == 2
    message = bare.info(made).message
    assert message.splitlines()[-2:] == ["Co-authored-by: Mona <mona@example.com>", "Heal-Id: apply:7"]


# SC-4
@pytest.mark.parametrize("mode", ["100644", "100755"])
async def test_nothing_is_committed_on_a_head_that_moved_even_at_the_last_moment(here: Place, mode: str) -> None:
    plan = commit(here, change("x\n", mode, "run.sh"))
    moved: list[str] = []

    def push() -> None:
        moved.append(pushes.commit(here.hub, "mona", here.repo, "topic#1", {"b.txt": "b\n"}))

    here.local.faults.before("POST" if mode == "100644" else "PATCH", r"/graphql$|/git/refs/", push)
    async with here.world() as world:
        with pytest.raises(HeadMoved):
            await world.publisher.commit(plan, "apply:7")
        with pytest.raises(HeadMoved):
            await world.publisher.commit(plan, "apply:8")
    assert here.hub.bare(here.repo).branch("topic#1") == moved[0]


async def test_a_strangers_commit_with_our_trailer_is_not_ours(here: Place) -> None:
    plan = commit(here)
    pushes.commit(here.hub, "mallory", here.repo, "topic#1", {"b.txt": "b\n"}, "Trust me\n\nHeal-Id: apply:7")
    async with here.world() as world:
        with pytest.raises(HeadMoved):
            await world.publisher.commit(plan, "apply:7")


# GH-5
async def test_a_fixup_pull_request_survives_every_lost_answer(here: Place) -> None:
    for method, where in (("POST", r"/git/refs$"), ("POST", r"/graphql$"), ("POST", r"/pulls$"), ("POST", r"/labels$")):
        here.local.faults.answer(method, where, 502, after=True)
    async with here.world() as world:
        first = await world.publisher.fixup(fixup(here))
        assert await world.publisher.fixup(fixup(here)) == first
    assert len(here.hub.pulls_of(here.repo)) == 2
    made = here.hub.pull(here.repo, first.id)
    bare = here.hub.bare(here.repo)
    assert [bare.info(sha).message.splitlines()[0] for sha in bare.commits(here.pull.head_sha, made.head_sha)] in (
        ["One", "Two"],
        ["Two", "One"],
    )


# GH-5
async def test_a_closed_fixup_says_why_and_leaves_no_branch(here: Place) -> None:
    async with here.world() as world:
        made = await world.publisher.fixup(fixup(here))
        for _ in range(2):
            await world.publisher.close_fixup(made.id, "heal/r1/1", "The pull request was merged.")
        with pytest.raises(Refused, match="not a branch of Heal's"):
            await world.publisher.close_fixup(here.pull.number, "topic#1", "no")
    assert here.hub.pull(here.repo, made.id).state == "closed"
    assert here.hub.bare(here.repo).branch("heal/r1/1") is None
    assert here.hub.pull(here.repo, here.pull.number).state == "open"
    assert [body.split("\n")[0] for body in here.bot_comments()] == ["The pull request was merged."]


# GH-5
async def test_a_fixup_is_closed_also_where_nobody_may_say_why(here: Place) -> None:
    async with here.world() as world:
        made = await world.publisher.fixup(fixup(here))
        locked = {"message": "Unable to create comment because issue is locked."}
        here.local.faults.answer("POST", r"/issues/\d+/comments$", 403, locked, times=10)
        await world.publisher.close_fixup(made.id, "heal/r1/1", "The pull request was merged.")
    assert here.hub.pull(here.repo, made.id).state == "closed"
    assert here.hub.bare(here.repo).branch("heal/r1/1") is None


# GH-7
async def test_reading_and_writing_have_tokens_of_their_own_for_this_repository_only(here: Place) -> None:
    repos.create_repo(here.hub, "octo", "other", {"a.txt": "a\n"})
    async with here.world() as world:
        await world.github.pull(here.pull.number)
        await world.publisher.sticky(here.pull.number, "<!-- m -->", "x")
    tokens = [token for token in here.hub.tokens.values() if token.installation_id]
    assert {frozenset(token.repo_ids or ()) for token in tokens} == {frozenset({here.repo.id})}
    levels = [set((token.permissions or {}).values()) for token in tokens]
    assert sorted(levels, key=len) == [{"read"}, {"read", "write"}]


# GH-7
async def test_a_revoked_token_is_replaced_and_an_uninstalled_app_is_refused(here: Place) -> None:
    async with here.world() as world:
        await world.github.pull(here.pull.number)
        apps.revoke_tokens(here.hub, here.installation)
        assert await world.github.pull(here.pull.number) is not None
        apps.uninstall(here.hub, here.installation)
        with pytest.raises(Refused) as caught:
            await world.github.pull(here.pull.number)
    assert caught.value.status in (401, 403, 404)
    assert "ghs_" not in str(caught.value)


async def _comments(here: Place) -> list[reviews.ReviewComment]:
    return here.hub.review_comments_of(here.pull)
