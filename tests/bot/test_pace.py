"""How fast Heal writes: one at a time for an installation, a second apart, within GitHub's limits, and silent where
GitHub asked for it (GH-7)."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import SecretStr
from starlette.responses import JSONResponse, Response

from bot.github.access import Latest
from bot.github.client import RepoClient
from bot.github.etags import EtagCache, Etags
from bot.github.pace import CONTENT_LIMITS, HOUR, Pace, creates_content
from bot.github.tokens import READ, App, RepoToken
from bot.github.transport import Transport
from bot.store.database import Database
from bot.store.switches import Stop
from handlers.model import Refused
from tests.bot.conftest import Clock
from tests.bot.hub import place
from tests.bot.peer import Peer, serving

HERE = "/repos/octo/demo"
COMMENTS = f"{HERE}/issues/7/comments"
OK = JSONResponse({"ok": True})
LIMIT = JSONResponse({"message": "You have exceeded a secondary rate limit"}, 403)
TOO_QUICK = JSONResponse(
    {"message": "Validation Failed", "errors": [{"code": "custom", "message": "body was submitted too quickly"}]}, 422
)


@asynccontextmanager
async def client(peer: Peer, pace: Pace, clock: Clock, pem: str) -> AsyncIterator[RepoClient]:
    async with Transport(peer.url, pace) as transport:
        own = App(Transport(peer.url, Pace(clock, clock.sleep)), "1", SecretStr(pem), clock)
        yield RepoClient(transport, RepoToken(own, 5, 7, READ, clock), "octo/demo")


@pytest.fixture
async def peer() -> AsyncIterator[Peer]:
    async with serving(Peer()) as served:
        served.script("POST", COMMENTS, OK)
        served.script("GET", f"{HERE}/thing", OK)
        yield served


# GH-7
async def test_writes_of_an_installation_go_one_by_one_a_second_apart_and_reads_wait_for_nobody(
    peer: Peer, clock: Clock, pem: str
) -> None:
    pace = Pace(clock, clock.sleep, gap=1.0)
    async with client(peer, pace, clock, pem) as one, client(peer, pace, clock, pem) as other:
        await asyncio.gather(*(c.write("POST", "/issues/7/comments", {}) for c in (one, other, one)))
        await one.get("/thing")
    assert clock.naps == [1.0, 1.0]


# GH-7
async def test_after_a_pause_nobody_waits(peer: Peer, clock: Clock, pem: str) -> None:
    async with client(peer, Pace(clock, clock.sleep, gap=1.0), clock, pem) as one:
        await one.write("POST", "/issues/7/comments", {})
        clock.at += 5
        await one.write("POST", "/issues/7/comments", {})
    assert clock.naps == []


# GH-7
@pytest.mark.parametrize("answer", [LIMIT, TOO_QUICK], ids=["secondary limit", "422 for haste"])
async def test_a_limit_closes_the_whole_installation_and_nothing_is_sent_until_it_opens(
    peer: Peer, clock: Clock, pem: str, answer: Response
) -> None:
    peer.script("POST", COMMENTS, answer, answer, OK)
    pace = Pace(clock, clock.sleep)
    async with client(peer, pace, clock, pem) as one, client(peer, pace, clock, pem) as other:
        for seconds in (60.0, 120.0):  # doubled: asking again and again is what GitHub punishes
            with pytest.raises(Refused) as caught:
                await one.write("POST", "/issues/7/comments", {})
            assert (caught.value.status, caught.value.retry_after) == (429, seconds)
            with pytest.raises(Refused, match="nothing was sent") as caught:
                await other.get("/thing")
            assert (caught.value.retry_after, peer.count("GET", f"{HERE}/thing")) == (seconds, 0)
            clock.at += seconds
        assert await one.write("POST", "/issues/7/comments", {}) == {"ok": True}


# GH-7
async def test_a_plain_422_is_no_limit(peer: Peer, clock: Clock, pem: str) -> None:
    peer.script("POST", COMMENTS, JSONResponse({"message": "Validation Failed"}, 422))
    async with client(peer, Pace(clock, clock.sleep), clock, pem) as one:
        with pytest.raises(Refused) as caught:
            await one.write("POST", "/issues/7/comments", {})
        assert (caught.value.status, caught.value.retry_after) == (422, None)
        assert await one.get("/thing") == {"ok": True}


# GH-7
@settings(max_examples=30, deadline=None)
@given(pauses=st.lists(st.sampled_from([0.0, 0.0, 0.0, 0.3, 2.0, 70.0]), min_size=300, max_size=700))
def test_within_no_minute_and_no_hour_more_is_posted_than_github_allows(pauses: list[float]) -> None:
    posted = asyncio.run(_post(pauses))
    for span, most in CONTENT_LIMITS:
        for first, last in zip(posted, posted[most:], strict=False):
            assert last - first >= span - 1e-6


async def _post(pauses: list[float]) -> list[float]:
    clock, posted = Clock(), []
    pace = Pace(clock, clock.sleep)
    for pause in pauses:
        clock.at += pause
        while True:
            try:
                async with pace.turn(content=True):
                    posted.append(clock.at)
                break
            except Refused as refused:
                clock.at += refused.retry_after or HOUR
    return posted


def test_what_people_are_told_of_is_content_and_nothing_else() -> None:
    root = "/repos/o/r"
    for path in (
        "/issues/1/comments",
        "/pulls/1/reviews",
        "/pulls",
        "/pulls/1/comments",
        "/pulls/1/comments/2/replies",
    ):
        assert creates_content("POST", root + path)
    for method, path in (("POST", "/check-runs"), ("PATCH", "/issues/comments/1"), ("POST", "/git/blobs")):
        assert not creates_content(method, root + path)


# GH-7
async def test_what_has_not_changed_is_asked_for_by_its_etag_and_costs_nothing(
    peer: Peer, clock: Clock, pem: str
) -> None:
    first = JSONResponse([1], headers={"etag": '"a"', "link": f'<{peer.url}{HERE}/more>; rel="next"'})
    peer.script("GET", f"{HERE}/list", first, Response(status_code=304, headers={"etag": '"a"'}))
    peer.script("GET", f"{HERE}/more", JSONResponse([2], headers={"etag": '"b"'}), Response(status_code=304))
    async with client(peer, Pace(clock, clock.sleep), clock, pem) as one:
        for _ in range(2):
            assert [item async for item in one.pages("/list")] == [1, 2]
    assert peer.tags[-2:] == ['"a"', '"b"']


def test_answers_are_kept_up_to_so_many_bytes_for_all_repositories_together() -> None:
    from httpx import Request
    from httpx import Response as Answer

    def answer(number: int, of: int = 10_000) -> Answer:
        made = Answer(200, headers={"etag": f'"{number}"'}, content=b"x" * of)
        made.request = Request("GET", f"https://api.github.com/{number}")
        return made

    etag_cache = EtagCache(200_000)
    one, two = Etags(etag_cache, "one"), Etags(etag_cache, "two")
    for number in range(4):
        one.settled((f"/{number}", ()), answer(number))
    assert two.kept(("/3", ())) is None  # what one may see is nothing for the other
    kept = one.kept(("/0", ()))
    assert kept is not None
    assert (kept.headers["etag"], kept.content) == ('"0"', b"x" * 10_000)
    for number in range(10):  # the other's answers, while ours is on its way
        two.settled((f"/{number}", ()), answer(number))
    assert [one.kept((f"/{number}", ())) for number in range(4)] == [None] * 4
    assert one.settled(("/0", ()), Answer(304), kept) is kept
    assert one.kept(("/0", ())) is kept
    one.settled(("/0", ()), Answer(404))
    assert one.kept(("/0", ())) is None


# OP-8
async def test_while_the_operator_has_stopped_heal_nothing_is_written_and_reading_goes_on(
    tmp_path: Path, database: Database, clock: Clock
) -> None:
    async with place(tmp_path, database, clock) as here, here.world() as world:
        stop = Stop(database, clock)
        await stop.set("the models are on fire")
        with pytest.raises(Refused, match="on fire") as caught:
            await world.publisher.sticky(here.pull.number, "<!-- m -->", "x")
        assert caught.value.retry_after == 30
        assert await world.github.pull(here.pull.number) is not None
        assert here.bot_comments() == []
        await stop.lift()
        await world.publisher.sticky(here.pull.number, "<!-- m -->", "x")
        assert here.bot_comments() == ["x\n\n<!-- m -->"]


def test_what_was_not_used_for_longest_is_dropped_first() -> None:
    kept: Latest[int, str] = Latest(2)
    for key in (1, 2, 1, 3, 1):
        assert kept.get(key, lambda key=key: f"made for {key}") == f"made for {key}"  # type: ignore[misc]
    assert len(kept) == 2
    assert kept.get(2, lambda: "anew") == "anew"
