"""The client's manners: what it repeats, what it never repeats, and where its token goes (GH-7)."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response

from bot.github.client import RepoClient
from bot.github.logs import _both_ends
from bot.github.names import path, segment
from bot.github.pace import Pace
from bot.github.reader import Reader
from bot.github.tokens import App
from bot.github.transport import Transport, Unsure
from handlers.delivery.diff_hunks import carries, read_hunks
from handlers.model import ChangedFile, Refused
from handlers.model.plans import SuggestionPlan
from tests.bot.conftest import Clock
from tests.bot.peer import Peer

HERE = "/repos/octo/demo"
OK = JSONResponse({"ok": True})
BROKEN = JSONResponse({"message": "Server Error"}, 502)


async def test_a_get_is_tried_three_times_and_a_write_once(peer: Peer, client: RepoClient, clock: Clock) -> None:
    peer.script("GET", f"{HERE}/thing", BROKEN, BROKEN, OK)
    assert await client.get("/thing") == {"ok": True}
    assert clock.naps == [1.0, 4.0]
    peer.script("POST", f"{HERE}/thing", BROKEN)
    with pytest.raises(Unsure, match="502"):
        await client.write("POST", "/thing", {})
    assert peer.count("POST", f"{HERE}/thing") == 1


async def test_no_answer_at_all_is_unsure_and_tells_no_secret(clock: Clock, pem: str) -> None:
    async with Transport("http://127.0.0.1:9", Pace(clock, clock.sleep)) as transport:
        with pytest.raises(Unsure, match="is GitHub reachable") as caught:
            await App(transport, "1", SecretStr(pem), clock).slug()
    assert "Bearer" not in repr(caught.value) + repr(caught.value.__context__)


# GH-7
@pytest.mark.parametrize(
    ("answer", "wait"),
    [
        (JSONResponse({"message": "limit"}, 429, {"retry-after": "7"}), 7),
        (JSONResponse({"message": "You have exceeded a secondary rate limit"}, 403), 60),
        (
            JSONResponse(
                {"message": "API rate limit exceeded"},
                403,
                {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "9", "date": "Thu, 01 Jan 1970 00:00:09 GMT"},
            ),
            1,
        ),
        (JSONResponse({"message": "Resource not accessible by integration"}, 403), None),
    ],
)
async def test_a_rate_limit_says_how_long_to_wait_and_a_plain_refusal_doesnt(
    peer: Peer, client: RepoClient, answer: Response, wait: float | None
) -> None:
    peer.script("GET", f"{HERE}/thing", answer)
    with pytest.raises(Refused) as caught:
        await client.get("/thing")
    assert caught.value.retry_after == wait


# GH-14
async def test_a_refusal_carries_the_permissions_that_github_names(peer: Peer, client: RepoClient) -> None:
    named = {"x-accepted-github-permissions": "issues=write; pull_requests=write"}
    peer.script("GET", f"{HERE}/thing", JSONResponse({"message": "Resource not accessible by integration"}, 403, named))
    with pytest.raises(Refused) as caught:
        await client.get("/thing")
    assert caught.value.needs == named["x-accepted-github-permissions"]
    assert caught.value.request == f"GET {HERE}/thing"
    assert peer.count("GET", f"{HERE}/thing") == 1


# GH-7
async def test_however_many_ask_at_once_one_narrowed_token_is_minted(peer: Peer, client: RepoClient) -> None:
    peer.script("GET", f"{HERE}/thing", OK)
    await asyncio.gather(*(client.get("/thing") for _ in range(10)))
    assert peer.minted == 1


# GH-7
async def test_a_refused_token_is_replaced_once(peer: Peer, client: RepoClient) -> None:
    peer.script("POST", f"{HERE}/thing", JSONResponse({"message": "Bad credentials"}, 401), OK)
    assert await client.write("POST", "/thing", {}) == {"ok": True}
    assert [who for method, p, who in peer.heard if p.endswith("/thing")] == ["token ghs_1", "token ghs_2"]
    peer.script("GET", f"{HERE}/thing", JSONResponse({"message": "Bad credentials"}, 401))
    with pytest.raises(Refused, match="401"):
        await client.get("/thing")


async def test_an_address_that_ends_like_the_apps_own_is_still_asked_with_the_repositorys_token(
    peer: Peer, client: RepoClient
) -> None:
    peer.script("GET", f"{HERE}/contents/installation", OK)
    await client.get("/contents/installation")
    assert peer.heard[-1][2] == "token ghs_1"


async def test_a_log_is_followed_without_our_token_and_asked_for_again_while_it_isnt_there(
    peer: Peer, client: RepoClient, clock: Clock
) -> None:
    missing = JSONResponse({"message": "Not Found"}, 404)
    peer.script("GET", f"{HERE}/actions/jobs/31/logs", missing, missing, RedirectResponse(f"{peer.url}/blob", 302))
    peer.script("GET", "/blob", PlainTextResponse("the log"))
    assert await Reader(client, 7).job_log(31) == b"the log"
    assert peer.heard[-1] == ("GET", "/blob", "")
    assert clock.naps == [2.0, 5.0]
    assert await Reader(client, 7).job_log(32) is None


async def test_a_renamed_repository_is_followed_but_never_to_another_host(peer: Peer, client: RepoClient) -> None:
    peer.script("GET", f"{HERE}/thing", RedirectResponse(f"{peer.url}/repositories/7/thing", 301))
    peer.script("GET", "/repositories/7/thing", OK)
    assert await client.get("/thing") == {"ok": True}
    peer.script("GET", f"{HERE}/thing", RedirectResponse("http://127.0.0.1:9/thing", 301))
    answer = await client.ask("/thing")
    assert answer is not None
    assert answer.status_code == 301


async def test_all_pages_are_read_and_a_next_page_elsewhere_is_not(peer: Peer, client: RepoClient) -> None:
    more = {"link": f'<{peer.url}{HERE}/more>; rel="next"'}
    peer.script("GET", f"{HERE}/things", JSONResponse([1, 2], headers=more))
    peer.script("GET", f"{HERE}/more", JSONResponse([3], headers={"link": '<http://evil.test/x>; rel="next"'}))
    assert [item async for item in client.pages("/things")] == [1, 2, 3]
    assert [item async for item in client.pages("/things", most=1)] == [1]


@pytest.mark.parametrize("name", ["", ".", "..", "a\nb"])
def test_names_that_would_lead_elsewhere_are_refused(name: str) -> None:
    with pytest.raises(Refused, match="can't be part of an address"):
        segment(name)
    with pytest.raises(Refused):
        path(f"heads/{name}/x")


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1).filter(lambda s: s not in (".", "..")))
def test_any_other_name_is_one_segment_that_says_nothing_else(name: str) -> None:
    assert not set(segment(name)) & set("/#?& ")


@given(data=st.binary(max_size=300), head=st.integers(0, 60), tail=st.integers(1, 60), size=st.integers(1, 50))
async def test_of_a_huge_log_exactly_both_ends_are_kept(data: bytes, head: int, tail: int, size: int) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        for start in range(0, len(data), size):
            yield data[start : start + size]

    kept = await _both_ends(chunks(), head, tail)
    if len(data) <= head + tail:
        assert kept == data
    else:
        note = f"\n##[heal] {len(data) - head - tail} bytes of this log were left out here\n".encode()
        assert kept == data[:head] + note + data[-tail:]


PATCH = "@@ -1,4 +1,4 @@\n a\n+b\n c\n-was\n d\n@@ -10 +11,2 @@ def f():\n-x\n+y\n+z"


@pytest.mark.parametrize(
    ("start", "end", "sits"),
    [
        (1, 3, True),
        (2, 2, True),
        (4, 4, True),
        (11, 12, True),
        (3, 4, False),
        (4, 11, False),
        (5, 5, False),
        (3, 2, False),
    ],
)
def test_a_suggestion_is_only_on_lines_of_one_hunk_without_a_deleted_line_between(
    start: int, end: int, sits: bool
) -> None:
    assert read_hunks(PATCH) == ((1, 4, {4}), (11, 12, {11}))
    files = {"a.py": ChangedFile(path="a.py", status="modified", patch=PATCH)}
    assert carries(files, SuggestionPlan(proposal_id="p", path="a.py", start_line=start, end_line=end, body="")) is sits
