"""All benchmarks speak in one shape, so that one page can show them."""

import json

from benchmarks.shape import Goal, Result

RESULT = Result(
    "demo",
    seed=7,
    rows=[{"phase": "look", "seconds": 1.5}],
    goals=[Goal("fast", "< 2", 1.5, True)],
    packages=("dulwich",),
)


def test_json_has_exactly_the_agreed_keys() -> None:
    value = json.loads(RESULT.as_json())
    assert set(value) == {"name", "machine", "versions", "seed", "rows", "goals"}
    assert value["goals"] == [{"name": "fast", "goal": "< 2", "value": 1.5, "ok": True}]
    assert set(value["versions"]) == {"heal", "dulwich"}
    assert value["rows"] == [{"phase": "look", "seconds": 1.5}]


def test_the_table_shows_rows_and_whether_goals_are_met() -> None:
    assert RESULT.as_table().splitlines() == ["phase  seconds", "look   1.500  ", "met: fast: 1.5 (goal < 2)"]
