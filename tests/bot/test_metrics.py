"""/metrics: the numbers come from the database, each true exactly once, and only the operator's token opens them."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families
from pydantic import SecretStr
from starlette.applications import Starlette
from starlette.routing import Route

from bot.metrics.collecting import cache_share, collect
from bot.metrics.tally import Tally
from bot.store import metric_names as names
from bot.store.beats import Heartbeat
from bot.store.counters import Count, add, counted
from bot.store.counting import of_outcome
from bot.store.database import Database
from bot.store.deliveries import Deliveries
from bot.store.repo import RepoStore
from bot.store.steps import StoredSteps
from bot.store.workers import Workers
from bot.web.metrics import FRESH_SECONDS, Metrics
from handlers.model import Run
from healing.llm.protocol import Usage
from healing.llm.usage_records import Booking
from healing.model import Outcome, Resolution, Unfixable
from tests.bot.conftest import Clock

TOKEN = "operators-own"
ROOT = Path(__file__).parents[2]


@pytest.fixture
async def client(database: Database, clock: Clock) -> AsyncIterator[httpx.AsyncClient]:
    route = Route("/metrics", Metrics(database, SecretStr(TOKEN), clock).get)
    transport = httpx.ASGITransport(Starlette(routes=[route]))
    async with httpx.AsyncClient(transport=transport, base_url="http://heal") as opened:
        yield opened


async def scraped(client: httpx.AsyncClient) -> dict[str, float]:
    """`name{labels}` → value, as Prometheus's own parser reads the answer."""
    answer = await client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    assert answer.status_code == 200, answer.text
    return {
        sample.name + "".join(f" {key}={value}" for key, value in sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


def outcome(run_id: str) -> Outcome:
    return Outcome(
        verdict="partly",
        run_id=run_id,
        resolutions=(
            Resolution(error_id="E1", how="autofix:ruff"),
            Resolution(error_id="E2", how="unfixable:U1"),
            Resolution(error_id="E3", how="unfixable:U1"),
        ),
        unfixables=(
            Unfixable(id="U1", error_ids=("E2", "E3"), reason="no-key", tried="nothing", why="none", advice="set one"),
        ),
        seconds={"total": 42.0},
        regressions_prevented=2,
    )


def run(clock: Clock, **more: object) -> Run:
    known = {"repo_id": 7, "full_name": "octo/demo", "installation_id": 1, "sha": "a" * 40, "attempt": 1, "number": 3}
    return Run.model_validate({**known, "state": "running", **more})


# OP-5
@pytest.mark.parametrize("given", ["", "Bearer", "Bearer wrong", f"Basic {TOKEN}", f"Bearer {TOKEN}x"])
async def test_without_the_operators_token_nothing_is_reported(client: httpx.AsyncClient, given: str) -> None:
    answer = await client.get("/metrics", headers={"Authorization": given})
    assert answer.status_code == 401
    assert "HEAL_METRICS_TOKEN" in answer.text
    assert "heal_" not in answer.text


# OP-5
async def test_where_the_operator_names_no_token_metrics_are_off(database: Database, clock: Clock) -> None:
    app = Starlette(routes=[Route("/metrics", Metrics(database, SecretStr(""), clock).get)])
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://heal") as client:
        answer = await client.get("/metrics", headers={"Authorization": "Bearer "})
    assert (answer.status_code, "HEAL_METRICS_TOKEN" in answer.text) == (404, True)


# OP-5
async def test_every_metric_is_told_with_its_documented_name(client: httpx.AsyncClient, database: Database) -> None:
    async with database.write() as connection:
        await add(connection, [Count(m, ("x",) * len(m.labels), 1.0) for m in names.COUNTED])
    answer = await client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    reported = {line.split()[2] for line in answer.text.splitlines() if line.startswith("# TYPE ")}
    assert {name.removesuffix("_total") for name in reported} == {m.name.removesuffix("_total") for m in names.ALL}


# OP-5
async def test_a_run_and_what_its_errors_ended_in_are_counted_once_however_often_it_is_saved(
    client: httpx.AsyncClient, store: RepoStore, clock: Clock
) -> None:
    await store.save_run(run(clock))
    ended = run(clock, outcome=outcome("r1"), run_id="r1")
    for one in (ended, ended, ended.model_copy(update={"state": "done"})):
        await store.save_run(one)
    reported = await scraped(client)
    assert reported["heal_runs state=done"] == 1
    assert reported["heal_runs_ended_total verdict=partly"] == 1
    assert reported["heal_errors_total resolution=autofix"] == 1
    assert reported["heal_errors_total resolution=unfixable: no-key"] == 2
    assert reported["heal_regressions_prevented_total"] == 2
    assert reported["heal_run_seconds_count verdict=partly"] == 1
    assert reported["heal_run_seconds_sum verdict=partly"] == 42.0
    assert reported["heal_run_seconds_bucket le=40.0 verdict=partly"] == 0
    assert reported["heal_run_seconds_bucket le=80.0 verdict=partly"] == 1


# OP-5, LM-6
async def test_a_model_call_counts_once_with_its_tokens_dollars_and_time(
    client: httpx.AsyncClient, store: RepoStore
) -> None:
    usage = Usage(input_tokens=10, cache_read_tokens=30, output_tokens=5)
    call = Booking(key="k", model="some-model", usage=usage, dollars=0.25, lost=1, seconds=3.0)
    for _ in range(2):
        await store.usage_records("r1", 3).book(call)
    reported = await scraped(client)
    assert reported["heal_model_calls_total model=some-model"] == 1
    assert reported["heal_model_calls_lost_total model=some-model"] == 1
    assert reported["heal_model_dollars_total model=some-model"] == 0.25
    assert reported["heal_model_tokens_total kind=cache_read model=some-model"] == 30
    assert reported["heal_model_cache_share model=some-model"] == 0.75
    assert reported["heal_model_call_seconds_bucket le=5.0 model=some-model"] == 1


# OP-5, OP-3
async def test_a_check_counts_when_it_was_run_not_when_its_result_is_read_back(
    client: httpx.AsyncClient, database: Database, clock: Clock
) -> None:
    async def red() -> dict[str, object]:
        return {"exit_code": 1, "seconds": 7.5}

    for _ in range(2):
        await StoredSteps(database, 7, "r1", clock).run("check", ["pytest", "tree"], red)
    reported = await scraped(client)
    assert reported["heal_check_seconds_count ended=red"] == 1
    assert reported["heal_check_seconds_sum ended=red"] == 7.5


# OP-5, IN-2
async def test_what_waits_is_told_with_its_depth_and_age(
    client: httpx.AsyncClient, database: Database, clock: Clock
) -> None:
    kept = Deliveries(database)
    for guid in ("a", "a", "b", "c"):
        await kept.store(guid, "check_run", b"{}", clock())
        clock.at += 10
    await kept.done("a")
    await Heartbeat(database, "worker", clock).beat()
    await Heartbeat(database, "redelivery", clock).beat()
    await Workers(database, clock).begin("one")
    clock.at += 4
    reported = await scraped(client)
    assert reported["heal_deliveries_stored_total event=check_run"] == 3
    assert reported["heal_queue_depth of=deliveries"] == 2
    assert reported["heal_queue_oldest_seconds of=deliveries"] == 24
    assert reported["heal_queue_oldest_seconds of=runs"] == 0
    assert reported["heal_worker_silence_seconds"] == 4
    assert reported["heal_workers"] == 1


# OP-5
async def test_requests_to_github_are_written_down_with_the_beat_and_what_is_left_of_the_limit(
    client: httpx.AsyncClient, database: Database
) -> None:
    tally = Tally()
    for left in ("4000", "3999", "nonsense"):
        headers = {"x-ratelimit-remaining": left, "x-ratelimit-resource": "core"}
        tally.observe("GET", httpx.Response(200, headers=headers))
    tally.observe("POST", None)
    for _ in range(2):
        await tally.write_down(database)
    reported = await scraped(client)
    assert reported["heal_github_requests_total method=GET status=200"] == 3
    assert reported["heal_github_requests_total method=POST status=none"] == 1
    assert reported["heal_github_rate_limit_remaining resource=core"] == 3999


async def test_many_writers_at_once_lose_no_count(database: Database) -> None:
    async def one() -> None:
        async with database.write() as connection:
            await add(connection, [Count(names.PREVENTED), Count(names.PREVENTED)])

    await asyncio.gather(*(one() for _ in range(20)))
    assert (await counted(database))[names.PREVENTED.name] == {(): 40.0}


# OP-9
async def test_counters_only_grow_also_where_a_repository_is_forgotten(
    database: Database, store: RepoStore, clock: Clock
) -> None:
    await store.save_run(run(clock, outcome=outcome("r1"), run_id="r1"))
    before = await counted(database)
    await store.forget_repo()
    assert await counted(database) == before
    assert "octo" not in str(before)


async def test_an_answer_is_given_again_for_some_seconds(
    client: httpx.AsyncClient, database: Database, clock: Clock
) -> None:
    await scraped(client)
    await Deliveries(database).store("a", "check_run", b"{}", clock())
    assert (await scraped(client))["heal_queue_depth of=deliveries"] == 0
    clock.at += FRESH_SECONDS
    assert (await scraped(client))["heal_queue_depth of=deliveries"] == 1


async def test_a_strangers_word_is_no_label(database: Database, clock: Clock) -> None:
    hostile = outcome("r1").model_copy(
        update={"resolutions": tuple(Resolution(error_id=f"E{n}", how=f"fix:{n}") for n in range(50))}
    )
    assert {count.labels for count in of_outcome(hostile) if count.metric is names.ERRORS} == {("fix",)}
    assert await collect(database, clock)


def test_without_tokens_there_is_no_share() -> None:
    assert cache_share({}) == {}
    assert cache_share({("m", "output"): 5.0}) == {}


# OP-5
def test_the_documented_names_are_those_of_the_code() -> None:
    from bot.metrics.table import PAGE, written

    page = PAGE.read_text()
    assert written(page) == page, "write it anew: python -m bot.metrics.table"


# OP-5
def test_the_grafana_dashboard_asks_only_for_metrics_and_labels_that_exist_and_shows_all_of_them() -> None:
    board = json.loads((ROOT / "docs" / "grafana.json").read_text())
    asked: set[str] = set()
    for panel in board["panels"]:
        for target in panel["targets"]:
            used = [m for m in names.ALL if re.search(rf"\b{m.name}(_bucket)?\b", target["expr"])]
            assert used, target["expr"]
            known = {"le", *(label for metric in used for label in metric.labels)}
            reported = re.findall(r"by \(([^)]*)\)|\{(\w+)[=!]|\{\{(\w+)\}\}", target["expr"] + target["legendFormat"])
            assert {word.strip() for found in reported for part in found for word in part.split(",") if word} <= known
            assert set(re.findall(r"\bheal_\w+", target["expr"])) <= {m.name for m in used} | {
                f"{m.name}_bucket" for m in used if m.kind == "histogram"
            }
            asked |= {metric.name for metric in used}
    assert asked == {metric.name for metric in names.ALL}
    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"])
