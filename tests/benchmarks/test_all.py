"""All benchmarks in one command: each within its time, none in another's way."""

import sys
from datetime import date
from typing import Any

from benchmarks.__main__ import _bounded, _expected, _left, _planned


def test_each_is_planned_with_its_own_options_and_within_its_own_time() -> None:
    planned = [(argv[3:], minutes) for _, argv, minutes in _planned(["house", "resilience", "not there"])]
    house, disasters = (["house"], 10.0), (["resilience", "--points", "200"], 60.0)
    assert planned == [house, disasters, (["not there"], 10.0)]  # whose own process says that there is none


def test_what_ends_well_fails_or_takes_too_long_is_reported() -> None:
    says = [("raise SystemExit", 1.0), ("raise SystemExit(1)", 1.0), ("import time; time.sleep(60)", 0.002)]
    assert [_bounded([sys.executable, "-c", code], minutes)[0] for code, minutes in says] == [
        "kept", "failed", "out of time",
    ]  # fmt: skip


def test_what_was_broken_off_goes_on_with_what_is_not_kept_yet() -> None:
    kept = [{"name": "house", "date": "2026-01-02"}, {"name": "guard", "date": "2026-01-01"}]
    assert _left(["guard", "house", "start"], date(2026, 1, 2), kept) == ["guard", "start"]
    assert _left(["guard", "house"], None, kept) == ["guard", "house"]


def test_how_long_it_will_take_is_told_before() -> None:
    plans = list(_planned(["house", "resilience"]))
    assert _expected(plans, []) == "2 benchmarks: 70 minutes at most"
    kept: list[dict[str, Any]] = [{"name": "resilience", "took": 2520}, {"name": "house", "took": None}]
    assert _expected(plans, kept) == "2 benchmarks: 42 minutes when last kept (1 of them known), 70 minutes at most"
