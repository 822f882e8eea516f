"""Triage: only what code can mend is called code (IN-6)."""

import pytest

from healing.logs.reading import read_log
from healing.logs.triage import triage


# IN-6
@pytest.mark.parametrize(
    ("log", "exit_code", "kind"),
    [
        ("a.py:3:1: F401 `os` imported but unused", 1, "code"),
        ("something went wrong", 1, "code"),
        ("The runner has received a shutdown signal.", None, "infrastructure"),
        ("OSError: [Errno 28] No space left on device", 1, "infrastructure"),
        ("a.py:3:1: F401 `os` imported but unused\nNo space left on device", 1, "infrastructure"),
        ("Killed", 137, "infrastructure"),
        ("curl: (6) Could not resolve host: pypi.example", 6, "infrastructure"),
        ("API rate limit exceeded for installation", 1, "infrastructure"),
        ("The job has exceeded the maximum execution time of 6h0m0s", None, "infrastructure"),
        ("ERROR: No matching distribution found for nothing==9", 1, "dependency"),
        ("npm error code ERESOLVE", 1, "dependency"),
        ("Error: Unable to resolve action `a/b@v1`, unable to find version `v1`", None, "configuration"),
        ("bash: line 1: ruf: command not found", 127, "configuration"),
        ("python -m pytest: error: unrecognized arguments: --cov", 4, "configuration"),
        ("", 1, "infrastructure"),
    ],
)
def test_the_kind_of_a_failure_is_told_from_its_log(log: str, exit_code: int | None, kind: str) -> None:
    report = read_log(f"{log}\n".encode())
    found = triage(report, log, exit_code)
    assert found.kind == kind
    assert found.why


SUMMARY = "=== short test summary info ===\n"


# IN-6
def test_words_about_the_network_inside_some_tests_leave_it_code() -> None:
    log = f"{SUMMARY}FAILED t.py::test_a - Connection reset by peer\nFAILED t.py::test_b - assert 1 == 2\n"
    assert triage(read_log(log.encode()), log, 1).kind == "code"


# IN-6
def test_tests_that_all_fail_by_the_network_are_no_code_failure() -> None:
    log = f"{SUMMARY}FAILED t.py::test_a - Connection reset by peer\nFAILED t.py::test_b - Read timed out\n"
    assert triage(read_log(log.encode()), log, 1).kind == "infrastructure"
