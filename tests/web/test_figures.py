"""What the queue page and a run's timeline say is true (OP-4)."""

import re

import pytest

from bot.repo_config import read_repo_config
from bot.store.beats import REDELIVERY, REDELIVERY_SECONDS, WORKER, Heartbeat
from tests.web.conftest import Stage
from tests.web.rows import outcome, reported_run

pytestmark = pytest.mark.asyncio(loop_scope="session")
SHA = "4f1c09d2" * 5


def states(page: str) -> dict[str, str]:
    """Whether the queue page calls each part alive or silent."""
    found = re.findall(r'<li><span class="badge[^"]*">.*?</span>(\w+)</span> ([^:<]+):', page)
    return {name: state for state, name in found}


# OP-4
@pytest.mark.parametrize(
    ("since", "worker", "search"),
    [
        (0.0, "alive", "alive"),
        (REDELIVERY_SECONDS, "silent", "alive"),
        (7 * REDELIVERY_SECONDS, "silent", "silent"),
    ],
)
async def test_the_queue_page_calls_a_part_silent_only_after_several_of_its_own_intervals(
    stage: Stage, since: float, worker: str, search: str
) -> None:
    for part in (WORKER, REDELIVERY):
        await Heartbeat(stage.database, part, stage.clock).beat()
    async with stage.signed_in("maya") as maya:
        stage.clock.at += since
        page = (await maya.get("/queue")).text
    assert states(page) == {"Worker": worker, "Search for webhooks that never arrived": search}


# OP-4
async def test_the_timeline_of_a_run_draws_its_phases_and_not_the_total_as_one_more(stage: Stage) -> None:
    seconds = {"baseline": 40.0, "waiting": 0.01, "autofix": 20.0, "total": 3600.0}
    run = await reported_run(stage.store("tally"), SHA, made=outcome(seconds=seconds, routings=()))
    async with stage.signed_in("maya") as maya:
        page = (await maya.get(f"/runs/corner-shop/tally/{SHA}/{run.attempt}")).text
    label = re.search(r'aria-label="(Timeline of [^"]*)"', page)
    assert label is not None, page[:3000]
    assert "Reproduce the failure 40 s; Run the tools&#39; own fixes 20 s" in label[1]
    assert "total" not in label[1]


# OP-11
async def test_the_axes_of_the_plots_say_what_they_count_and_count_no_half_runs(stage: Stage) -> None:
    for number in range(3):
        await reported_run(stage.store("tally"), f"{number:040x}", number + 1)
    async with stage.signed_in("maya") as maya:
        page = (await maya.get("/repositories/corner-shop/tally")).text
    figures = {re.findall("<h2>([^<]*)", one)[0]: one for one in page.split("<figure>")[1:]}
    ticks = {name: re.findall(r'<text class="tick"[^>]*>([^<]*)<', one) for name, one in figures.items()}
    assert ticks["Runs"][:5] == ["runs per week", "0", "1", "2", "3"]
    assert ticks["Acceptance"][:3] == ["decisions per week", "0", "1"]
    assert ticks["Cost"][:2] == ["US dollars per week", "$0.00"]
    assert all(tick.startswith("$") for tick in ticks["Cost"][1:5])
    assert ticks["Time to the first suggestion"][0] == "from the first failure, median"
    assert all("week that begins on" in one for one in ticks.values())


# OP-11 OP-7
async def test_settings_with_errors_say_what_is_wrong_and_what_is_kept(stage: Stage) -> None:
    read = read_repo_config(b"checsk: []\nnever_touch:\n  paths: [migrations/]\n")
    await stage.store("tally").save_settings(read.as_settings(), "main", "ab" * 20)
    async with stage.signed_in("maya") as maya:
        page = (await maya.get("/repositories/corner-shop/tally")).text
    told = page.partition('id="settings"')[2]
    assert "<b>The file has errors, so the defaults apply, except for the keys listed here:</b>" in told
    assert "line 1: unknown key <code>checsk</code>" in told
    assert "<code>never_touch</code></td>" in told.partition("</table>")[0]


# OP-11
async def test_before_the_first_run_no_settings_are_made_up(stage: Stage) -> None:
    async with stage.signed_in("maya") as maya:
        page = (await maya.get("/repositories/corner-shop/tally")).text
    assert "when a check fails here for the first time" in page.partition('id="settings"')[2]
