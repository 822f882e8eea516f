"""GitHub as it also is: renamed repositories, lists that lag, limits told by GraphQL, one bad comment among many."""

import gzip
from collections.abc import AsyncIterator
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from starlette.responses import JSONResponse, Response

from bot.github.client import RepoClient
from bot.github.reader import Reader
from bot.github.tokens import App
from bot.github.transport import Unsure
from bot.store.database import Database
from handlers.model import HeadMoved, Refused
from handlers.model.plans import CheckPlan
from tests.bot.conftest import Clock
from tests.bot.hub import Place, place
from tests.bot.peer import Peer
from tests.bot.test_publisher import change, commit, fixup, review, suggestion

HERE = "/repos/octo/demo"
GONE = {"message": "Not Found"}
NO_LINE = {"message": "Unprocessable Entity", "errors": ["Line could not be resolved"]}


@pytest.fixture
async def here(tmp_path: Path, database: Database, clock: Clock) -> AsyncIterator[Place]:
    async with place(tmp_path, database, clock) as made:
        yield made


def check(here: Place) -> CheckPlan:
    sha = here.pull.head_sha
    return CheckPlan(sha=sha, external_id="heal:1", status="in_progress", conclusion=None, title="t", summary="s")


# GH-7
@pytest.mark.parametrize("status", [301, 307, 308])
@pytest.mark.parametrize("relative", [False, True])
async def test_what_is_written_to_a_renamed_repository_arrives(
    peer: Peer, client: RepoClient, status: int, relative: bool
) -> None:
    where = f"{'' if relative else peer.url}/repositories/7/thing"
    peer.script("POST", f"{HERE}/thing", Response(status_code=status, headers={"location": where}))
    peer.script("POST", "/repositories/7/thing", JSONResponse({"id": 9}, 201))
    assert await client.write("POST", "/thing", {"a": 1}) == {"id": 9}


async def test_what_is_sent_elsewhere_or_in_circles_is_refused_and_never_taken_for_done(
    peer: Peer, client: RepoClient
) -> None:
    for where in ("http://127.0.0.1:9/thing", f"{peer.url}{HERE}/thing"):
        peer.script("POST", f"{HERE}/thing", Response(status_code=307, headers={"location": where}))
        with pytest.raises(Refused, match="307"):
            await client.write("POST", "/thing", {})


async def test_a_next_page_may_be_named_relatively(peer: Peer, client: RepoClient) -> None:
    peer.script("GET", f"{HERE}/things", JSONResponse([1], headers={"link": f'<{HERE}/more>; rel="next"'}))
    peer.script("GET", f"{HERE}/more", JSONResponse([2]))
    assert [item async for item in client.pages("/things")] == [1, 2]


# GH-7
@pytest.mark.parametrize("elsewhere", ["https://api.github.com/repositories/7/things", "http://evil.test"])
async def test_a_next_page_that_another_host_is_named_for_is_asked_of_this_one(
    peer: Peer, client: RepoClient, elsewhere: str
) -> None:
    more = {"link": f'<{elsewhere}?per_page=100&page=2>; rel="next", <{elsewhere}?page=9>; rel="last"'}
    peer.script("GET", f"{HERE}/things", JSONResponse([1], headers=more), JSONResponse([2]))
    assert [item async for item in client.pages("/things")] == [1, 2]
    assert peer.heard[-1][1] == f"{HERE}/things?per_page=100&page=2"


async def test_pages_that_go_round_in_circles_end(peer: Peer, client: RepoClient, pem: str, clock: Clock) -> None:
    round_ = JSONResponse([1], headers={"link": f'<{peer.url}/x?page=1>; rel="next"'})
    peer.script("GET", f"{HERE}/things", round_)
    peer.script("GET", "/x", round_)
    assert [item async for item in client.pages("/things")] == [1, 1]
    app = App(client.transport, "1", SecretStr(pem), clock)
    assert [item async for item in app.pages("/x")] == [1, 1]


# GH-7
async def test_the_last_request_of_the_hour_is_the_last_one_until_the_reset(
    peer: Peer, client: RepoClient, clock: Clock
) -> None:
    spent = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(clock.at) + 90), "Date": formatdate(clock.at)}
    peer.script("GET", f"{HERE}/thing", JSONResponse({"a": 1}, headers=spent))
    assert await client.get("/thing") == {"a": 1}
    with pytest.raises(Refused, match="nothing was sent") as caught:
        await client.get("/thing")
    assert (caught.value.retry_after, peer.count("GET", f"{HERE}/thing")) == (90, 1)


# EX-1
async def test_a_log_may_come_later_from_another_address_or_never(peer: Peer, client: RepoClient, clock: Clock) -> None:
    logs = f"{HERE}/actions/jobs/31/logs"
    later = JSONResponse({"message": "Accepted"}, 202)
    peer.script("GET", logs, later, Response(status_code=302, headers={"location": "/store/31"}))
    peer.script("GET", "/store/31", Response(status_code=307, headers={"location": f"{peer.url}/blob"}))
    packed = gzip.compress(b"the log")
    peer.script("GET", "/blob", Response(packed, headers={"content-encoding": "gzip"}))
    assert await Reader(client, 7).job_log(31) == b"the log"
    assert [who for method, path, who in peer.heard if path in ("/store/31", "/blob")] == ["", ""]
    assert clock.naps == [2.0]
    peer.script("GET", logs, JSONResponse({"message": "Gone"}, 410))
    assert await Reader(client, 7).job_log(31) is None
    assert clock.naps == [2.0], "what has expired is not waited for"
    peer.script("GET", logs, Response(status_code=302, headers={"location": "/round"}))
    peer.script("GET", "/round", Response(status_code=302, headers={"location": "/round"}))
    with pytest.raises(Unsure):
        await Reader(client, 7).job_log(31)


async def test_refusals_are_read_in_every_shape(peer: Peer, client: RepoClient) -> None:
    for errors in ("not so", ["not so"], [{"message": "not so"}], {"message": "not so"}, [None, "not so"]):
        peer.script("POST", f"{HERE}/thing", JSONResponse({"message": "Validation Failed", "errors": errors}, 422))
        with pytest.raises(Refused, match="not so"):
            await client.write("POST", "/thing", {})


# GH-7
@pytest.mark.parametrize(
    ("errors", "headers", "wait"),
    [
        ([{"type": "RATE_LIMITED", "message": "API rate limit exceeded"}], {"x-ratelimit-remaining": "0"}, 60),
        ([{"type": "RATE_LIMITED", "message": "API rate limit exceeded"}], {"retry-after": "7"}, 7),
        ([{"message": "You have exceeded a secondary rate limit."}], {}, 60),
        ([{"type": "FORBIDDEN", "message": "Resource not accessible by integration"}], {}, None),
    ],
)
async def test_a_limit_that_graphql_tells_of_with_200_is_a_limit(
    peer: Peer, client: RepoClient, errors: list[dict[str, Any]], headers: dict[str, str], wait: float | None
) -> None:
    peer.script("POST", "/graphql", JSONResponse({"data": None, "errors": errors}, 200, headers))
    with pytest.raises(Refused) as caught:
        await client.graphql("{ x }", {})
    assert caught.value.retry_after == wait


async def test_graphql_that_does_not_know_how_far_it_came_is_unsure(peer: Peer, client: RepoClient) -> None:
    errors = [{"message": "Something went wrong while executing your query."}]
    peer.script("POST", "/graphql", JSONResponse({"data": None, "errors": errors}))
    with pytest.raises(Unsure):
        await client.graphql("{ x }", {})


# GH-5
async def test_statuses_are_read_to_the_last_page(peer: Peer, client: RepoClient) -> None:
    more = {"link": f'<{peer.url}/page2>; rel="next"'}
    peer.script("GET", f"{HERE}/commits/abc/check-runs", JSONResponse({"check_runs": []}))
    peer.script("GET", f"{HERE}/commits/abc/status", JSONResponse({"statuses": [{"state": "success"}]}, headers=more))
    peer.script("GET", "/page2", JSONResponse({"statuses": [{"state": "failure"}]}))
    assert await Reader(client, 7).ci_state("abc", "heal") == "red"


# IN-5
@pytest.mark.parametrize(
    ("head", "base", "fork"),
    [("octo/new", "octo/new", False), ("mona/new", "octo/new", True), (None, "octo/new", True)],
)
async def test_a_renamed_repositorys_own_pull_request_is_no_forks(
    peer: Peer, client: RepoClient, head: str | None, base: str, fork: bool
) -> None:
    side = {"sha": "a" * 40, "ref": "topic"}
    reported = {
        "number": 1, "state": "open", "user": None, "labels": [],
        "head": {**side, "repo": head and {"full_name": head}}, "base": {**side, "repo": {"full_name": base}},
    }  # fmt: skip
    peer.script("GET", f"{HERE}/pulls/1", JSONResponse(reported))
    pull = await Reader(client, 7).pull(1)
    assert pull is not None
    assert pull.author == "ghost"
    assert pull.is_fork_of("octo/demo") is fork


# GH-3
async def test_a_check_run_that_is_not_there_yet_is_updated_a_moment_later(here: Place, clock: Clock) -> None:
    async with here.world() as world:
        first = await world.publisher.check(check(here))
        here.local.faults.answer("PATCH", r"/check-runs/", 404, GONE, times=2)
        again = check(here).model_copy(update={"status": "completed", "conclusion": "neutral"})
        assert await world.publisher.check(again) == first
    assert {run.status for run in here.hub.check_runs.values()} == {"completed"}
    assert clock.naps == [1.0, 4.0]


# GH-5
async def test_a_fixup_needs_to_read_back_nothing_of_what_it_just_made(here: Place) -> None:
    """GitHub's copies may not have a commit yet that it has just confirmed."""
    here.local.faults.answer("GET", r"/git/commits/", 404, GONE, nth=2, times=9)
    async with here.world() as world:
        made = await world.publisher.fixup(fixup(here))
    assert len(here.hub.bare(here.repo).commits(here.pull.head_sha, made.sha)) == 2


async def test_a_commit_on_something_that_is_gone_is_not_made(here: Place) -> None:
    here.local.faults.answer("GET", r"/git/commits/", 404, GONE)
    async with here.world() as world:
        with pytest.raises(HeadMoved, match="is not there any more"):
            await world.publisher.commit(commit(here, change("x\n", "100755", "run.sh")), "apply:7")


# GH-1
async def test_comments_that_the_list_shows_late_are_waited_for(here: Place, clock: Clock) -> None:
    here.local.faults.answer("GET", r"/pulls/\d+/comments$", 200, [], times=1)
    async with here.world() as world:
        posted = await world.publisher.review(review(here, suggestion("p1", 5)))
    assert list(posted.extra) == ["p1"]
    assert clock.naps == [1.0]


# GH-1
@pytest.mark.parametrize("bad", [(2,), (0, 3), (0, 1, 2, 3, 4)])
async def test_of_many_comments_only_those_that_github_refuses_are_lost(here: Place, bad: tuple[int, ...]) -> None:
    """The diff could hold them all, and GitHub names none."""
    lines = (2, 3, 5, 29, 31)
    for number in bad:
        here.local.faults.answer("POST", r"/reviews$", 422, NO_LINE, times=99, contains=f"id=p{number} ")
    plan = review(here, *(suggestion(f"p{number}", line) for number, line in enumerate(lines)))
    async with here.world() as world:
        if len(bad) == len(lines):
            with pytest.raises(Refused, match="Line could not be resolved"):
                await world.publisher.review(plan)
            assert not here.hub.reviews
            return
        first = await world.publisher.review(plan)
        assert await world.publisher.review(plan) == first, "found again, and nothing is tried twice"
    good = [f"p{number}" for number in range(len(lines)) if number not in bad]
    assert sorted(first.extra) == good
    assert len(here.hub.review_comments_of(here.pull)) == len(good), "nothing twice"


async def test_a_refusal_that_is_about_no_comment_is_not_tried_in_halves(here: Place) -> None:
    here.local.faults.answer("POST", r"/reviews$", 422, {"message": "User is blocked"}, times=99)
    async with here.world() as world:
        with pytest.raises(Refused, match="blocked"):
            await world.publisher.review(review(here, suggestion("p1", 5), suggestion("p2", 31)))
    assert len(here.local.faults.requests("POST", r"/reviews$")) == 1
