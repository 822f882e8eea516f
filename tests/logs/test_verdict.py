"""How a log ends decides what its errors are: noise on the way to green, or the reason for red."""

import pytest

from healing.logs.reading import read_log
from healing.model import Severity

TRACE = (
    'Traceback (most recent call last):\n  File "/srv/app/b.py", line 9, in g\n    raise ValueError("boom")\n'
    "ValueError: boom\n"
)
GREEN = "============ 12 passed in 0.40s ============\n"


def messages(log: str) -> list[str]:
    return [error.message for error in read_log(log.encode()).errors if error.severity is Severity.ERROR]


# EX-11
@pytest.mark.parametrize(
    "log",
    [
        TRACE,
        GREEN + TRACE,
        TRACE + GREEN + "##[error]Process completed with exit code 1.\n",
        TRACE + GREEN + "Finished: FAILURE\n",
        "FAILED (failures=1)\n" + TRACE + GREEN,
        TRACE + "1 failed, 11 passed in 0.40s\n",
    ],
)
def test_a_traceback_is_told_unless_all_that_follows_went_well(log: str) -> None:
    assert any("boom" in message for message in messages(log))


# EX-11
def test_what_tools_say_in_a_job_that_the_ci_system_calls_green_is_no_error_but_is_kept() -> None:
    log = b"src/a.c:3:1: error: unknown type name 'coin'\nFinished: SUCCESS\n"
    assert [error.severity for error in read_log(log).errors] == [Severity.WARNING]


# EX-11
def test_a_job_that_failed_after_all_is_read_as_one_that_failed() -> None:
    log = "src/a.c:3:1: error: unknown type name 'coin'\nJob succeeded\nmake: *** [Makefile:3: all] Error 2\n"
    assert messages(log)
