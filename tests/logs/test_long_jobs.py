"""Whole long logs of tools without a format of their own, red and green (`tests/logs/long`)."""

import pytest

from healing.logs.reading import read_log
from healing.model import Severity
from tests.logs.long import LongLog, is_among_the_best, listed

# Names: to write the logs takes ten seconds of CPU, which every process that collects this file would spend.
RED = ("failing_1", "failing_2", "failing_3", "failing_4", "failing_5")
GREEN = ("clean_1", "clean_2", "clean_3")


def _hit(log: LongLog) -> bool:
    best = sorted(read_log(log.text.encode()).errors, key=lambda error: -error.score)
    return is_among_the_best(log, [(error.log_line, error.message) for error in best])


# EX-11
@pytest.mark.parametrize("name", RED)
def test_of_long_red_jobs_at_most_one_in_seven_lacks_the_line_pointed_at_among_the_ten_best(name: str) -> None:
    logs = tuple(listed(name))
    missed = [log.name for log in logs if not _hit(log)]
    assert len(logs) >= 40
    assert len(missed) <= 0.15 * len(logs), missed


# EX-11
def test_of_long_green_jobs_hardly_one_in_ten_alarms() -> None:
    logs = [log for name in GREEN for log in listed(name)]
    alarms = [
        log.name
        for log in logs
        if any(error.severity is Severity.ERROR for error in read_log(log.text.encode()).errors)
    ]
    assert len(logs) >= 90
    assert len(alarms) <= 0.1 * len(logs), alarms


# EX-11
def test_what_is_unlike_the_rest_of_a_long_log_is_reported_where_it_ended_badly_and_only_there() -> None:
    rest = [f"copied file {n} to out/{n}" for n in range(400)]
    output = "smoke: GET /health answered 503, wanted 200"
    red = "\n".join([*rest, output, *rest[:12], "##[error]Process completed with exit code 1."])
    assert output in [error.message for error in read_log(red.encode()).errors]
    assert read_log("\n".join([*rest, output, *rest[:12]]).encode()).errors == ()
