"""Suggestions are taken off GitHub's page: their threads resolved in one request, their comments edited."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.github.transport import Unsure
from bot.store.database import Database
from handlers.model import ReviewThread
from handlers.model.plans import Withdrawal
from lab.localhub import reviews, suggestions
from lab.localhub.reviews import Draft
from lab.localhub.state import ReviewComment
from tests.bot.conftest import Clock
from tests.bot.hub import Place, place

RESOLVE, EDIT = ("POST", "/graphql$"), ("PATCH", r"/pulls/comments/\d+$")


@pytest.fixture
async def here(tmp_path: Path, database: Database, clock: Clock) -> AsyncIterator[Place]:
    async with place(tmp_path, database, clock) as made:
        yield made


def suggested(here: Place, count: int) -> list[ReviewComment]:
    """As many suggestions of Heal's on one line."""
    drafts = tuple(Draft("a.txt", "```suggestion\nx\n```", 5) for _ in range(count))
    reviews.create_review(here.hub, "heal[bot]", here.pull, "fixes", drafts=drafts)
    return here.hub.review_comments_of(here.pull)


async def plans(here: Place, comments: list[ReviewComment]) -> tuple[Withdrawal, ...]:
    async with here.world() as world:
        threads = {thread.comment_id: thread.id for thread in await world.github.review_threads(here.pull.number)}
    return tuple(Withdrawal(comment_id=one.id, body="Rejected.", thread_id=threads[one.id]) for one in comments)


def bodies(comments: list[ReviewComment]) -> list[str]:
    return [one.body for one in comments]


def resolved(here: Place, comments: list[ReviewComment]) -> list[bool]:
    return [here.hub.threads[one.thread_id].resolved for one in comments]


# GH-12
async def test_threads_say_who_resolved_them_and_all_pages_are_read(here: Place) -> None:
    comments = suggested(here, 101)
    reviews.resolve_thread(here.hub, "mona", here.hub.threads[comments[100].thread_id])
    async with here.world() as world:
        threads = await world.github.review_threads(here.pull.number)
    ids = [here.hub.threads[one.thread_id].node_id for one in comments]
    assert len(threads) == 101
    assert threads[0] == ReviewThread(id=ids[0], comment_id=comments[0].id, resolved=False)
    assert threads[100] == ReviewThread(id=ids[100], comment_id=comments[100].id, resolved=True, resolved_by="mona")


# GH-12
async def test_threads_are_resolved_together_and_each_comment_is_edited(here: Place) -> None:
    comments = suggested(here, 21)
    wanted = await plans(here, comments)
    before = len(here.local.log)
    async with here.world() as world:
        await world.publisher.withdraw(wanted)
        await world.publisher.withdraw(wanted)
    sent = [one.method for one in here.local.log[before:] if "access_tokens" not in one.path]
    assert sent == 2 * (["POST"] * 2 + ["PATCH"] * 21)
    assert bodies(comments) == ["Rejected."] * 21
    assert resolved(here, comments) == [True] * 21


# GH-12
async def test_where_github_refuses_to_resolve_the_edit_stays(here: Place) -> None:
    comments = suggested(here, 2)
    wanted = await plans(here, comments)
    async with here.world() as world:
        await world.publisher.react(comments[0].id, "review", "eyes")  # the token is there already
        here.installation.permissions["contents"] = "read"
        await world.publisher.withdraw(wanted)
    assert resolved(here, comments) == [False, False]
    assert bodies(comments) == ["Rejected.", "Rejected."]


# GH-12
@pytest.mark.parametrize("status", [401, 403, 404, 409, 410, 422])
@pytest.mark.parametrize(
    "refused", [("POST", "/graphql$"), ("PATCH", r"/pulls/comments/\d+$")], ids=["resolve", "edit"]
)
async def test_whichever_of_the_two_acts_github_refuses_nobody_can_commit_the_suggestion(
    here: Place, status: int, refused: tuple[str, str]
) -> None:
    comments = suggested(here, 2)
    wanted = await plans(here, comments)
    assert [suggestions.why_not(here.hub, one) for one in comments] == [None, None]
    here.local.faults.answer(*refused, status, {"message": "No."}, times=100)
    async with here.world() as world:
        await world.publisher.withdraw(wanted)
    assert None not in [suggestions.why_not(here.hub, one) for one in comments]


# GH-12
async def test_a_comment_that_was_deleted_meanwhile_costs_the_others_nothing(here: Place) -> None:
    comments = suggested(here, 2)
    wanted = await plans(here, comments)
    comments[0].deleted = True
    async with here.world() as world:
        await world.publisher.withdraw(wanted)
    assert bodies(comments) == ["```suggestion\nx\n```", "Rejected."]


# GH-12 OP-3
async def test_a_lost_answer_is_asked_for_again(here: Place) -> None:
    comments = suggested(here, 1)
    wanted = await plans(here, comments)
    here.local.faults.answer("POST", "/graphql$", 502, after=True)
    here.local.faults.answer("PATCH", r"/pulls/comments/\d+$", 502, after=True)
    async with here.world() as world:
        await world.publisher.withdraw(wanted)
    assert (resolved(here, comments), bodies(comments)) == ([True], ["Rejected."])


# GH-12 OP-3
async def test_while_github_is_down_nothing_is_edited_so_that_it_is_tried_again_later(here: Place) -> None:
    comments = suggested(here, 1)
    wanted = await plans(here, comments)
    here.local.faults.answer("POST", "/graphql$", 502, times=3)
    async with here.world() as world:
        with pytest.raises(Unsure):
            await world.publisher.withdraw(wanted)
    assert (resolved(here, comments), bodies(comments)) == ([False], ["```suggestion\nx\n```"])
