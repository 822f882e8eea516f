"""All benchmarks in one command: each within its time, none in another's way."""

import sys

from benchmarks.__main__ import _bounded, _planned


def test_each_is_planned_with_its_own_options_and_within_its_own_time() -> None:
    planned = [(argv[3:], minutes) for _, argv, minutes in _planned(["house", "resilience", "not there"])]
    house, disasters = (["house"], 10.0), (["resilience", "--points", "200"], 60.0)
    assert planned == [house, disasters, (["not there"], 10.0)]  # whose own process says that there is none


def test_what_ends_well_fails_or_takes_too_long_is_told() -> None:
    says = [("raise SystemExit", 1.0), ("raise SystemExit(1)", 1.0), ("import time; time.sleep(60)", 0.002)]
    assert [_bounded([sys.executable, "-c", code], minutes)[0] for code, minutes in says] == [
        "kept", "failed", "out of time",
    ]  # fmt: skip
