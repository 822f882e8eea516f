"""The scoreboard shows what was measured, and nothing else."""

import json
from datetime import date
from pathlib import Path
from xml.etree import ElementTree

from benchmarks import capacity, house, written
from benchmarks.__main__ import NAMES
from benchmarks.keeping import keep, kept
from benchmarks.peers import PEERS
from benchmarks.pictures import bars
from benchmarks.scoreboard import DOCS, PICTURES, pages, write
from benchmarks.shape import Bars, Goal, Result

RESULT = Result(
    "demo",
    seed=7,
    rows=[{"way": "ours | \n<b>", "seconds": 1.5}, {"way": "peer's", "seconds": 3}],
    goals=[Goal("fast", "< 2", 1.5, True), Goal("small", "< 1", None, False)],
    bars=(Bars("Seconds", ("way",), "seconds"),),
)


def test_the_page_and_its_pictures_are_those_of_the_kept_results() -> None:
    made = pages(kept())
    assert {name: (DOCS / name).read_text() for name in made} == made, "run `python -m benchmarks.scoreboard`"
    assert {f"{PICTURES}/{file.name}" for file in (DOCS / PICTURES).glob("*")} == set(made) - {"scoreboard.md"}


def test_how_far_it_goes_is_written_up_as_it_was_measured() -> None:
    text = written.PAGE.read_text()
    assert written.page(text, kept()) == text, "run `python -m benchmarks.written`"


def test_a_plan_names_the_first_limit_and_what_lifts_it(tmp_path: Path) -> None:
    rows = [capacity._row(scale, capacity.Costs(10.0, 40, 200, 1000.0)) for scale in (100, 1_000_000)]
    assert [row["first limit"] for row in rows] == ["none", capacity.WRITES_OF_ALL]
    costs = {"seconds of a worker": 10, "GitHub calls": 40, "database rows": 200, "database writes/s": 1000}
    made = Result("capacity", 1, [*rows, costs], bars=(Bars("Workers", ("repositories",), "workers"),))
    keep(made.as_json(), "A plan.", tmp_path, date(2026, 1, 2))
    reported = written.section(kept(tmp_path))
    assert "one PostgreSQL took 1000 writes a second" in reported
    assert capacity.LIFTS[capacity.WRITES_OF_ALL] in reported
    assert "capacity-1.svg" in reported


def test_what_was_measured_is_kept_with_day_load_and_what_it_compares(tmp_path: Path) -> None:
    file = keep(RESULT.as_json(), "Ours beside theirs.", tmp_path / "results", date(2026, 1, 2))
    (value,) = kept(tmp_path / "results")
    assert value == json.loads(file.read_text())
    assert (value["date"], value["about"], value["rows"]) == ("2026-01-02", "Ours beside theirs.", RESULT.rows)
    assert value["load"] >= 0


def test_a_page_names_goals_that_are_met_not_met_and_not_measured(tmp_path: Path) -> None:
    keep(RESULT.as_json(), "Ours beside theirs.", tmp_path / "results", date(2026, 1, 2))
    write(tmp_path / "results", tmp_path)
    page = (tmp_path / "scoreboard.md").read_text()
    assert "## Goals: 1 of 2 met" in page
    assert "| [demo](#demo) | fast | &lt; 2 | 1.5 | met |" in page
    assert "| [demo](#demo) | small | &lt; 1 | not measured here | **not met** |" in page
    assert "| ours \\|  &lt;b> | 1.5 |" in page


def test_every_peer_stands_beside_a_benchmark_that_there_is(tmp_path: Path) -> None:
    assert {peer.benchmark for peer in PEERS} <= set(NAMES)
    write(tmp_path / "results", tmp_path)
    page = (tmp_path / "scoreboard.md").read_text()
    for wanted in (
        "errorformat",
        "grimp",
        "madge and dependency-cruiser",
        "go list",
        "git merge-tree",
        "Probot",
        "ruff --fix",
        "eslint --fix",
        "one agent",
    ):
        assert wanted in page.partition("## Peers")[2]


def test_a_picture_has_a_bar_for_each_row_and_is_well_formed(tmp_path: Path) -> None:
    root = ElementTree.fromstring(bars("Seconds & more", [("a<b", 1.5), ("peer", 3.0)]))  # our own text
    assert len([node for node in root.iter() if node.tag.endswith("rect")]) == 2
    assert "a<b" in [node.text for node in root.iter()]


async def test_the_house_keeps_its_budget() -> None:
    assert [goal.name for goal in (await house.measure()).goals if not goal.ok] == []
