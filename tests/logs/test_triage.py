"""Triage: only what code can mend is called code (IN-6)."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from healing.logs.reading import LogReport, read_log
from healing.logs.triage import Triage, triage
from tests.logs.samples import stamped

SAMPLES = Path(__file__).parent / "triage"
SUMMARY = "=== short test summary info ===\n"


def rows() -> Iterator[tuple[str, str, str]]:
    """Every message of the samples: its kind, its title, its lines as the tools print them."""
    for path in sorted(SAMPLES.glob("*.txt")):
        for part in path.read_text().split("### ")[1:]:
            title, _, log = part.partition("\n")
            yield path.stem, title, log


def of(log: str, exit_code: int | None = None) -> Triage:
    return triage(read_log(log.encode()), log, exit_code)


MESSAGES = list(rows())


# IN-6
@pytest.mark.parametrize(
    ("kind", "log"), [(k, log) for k, _, log in MESSAGES], ids=[f"{k}: {t}" for k, t, _ in MESSAGES]
)
def test_the_kind_of_a_real_message_is_told_with_its_evidence(kind: str, log: str) -> None:
    found = of(log)
    assert found.kind == kind, found
    assert found.why
    if kind != "code" and "exit code" not in found.why:
        assert found.evidence
        assert found.evidence in log
        assert found.advice


# IN-6
@pytest.mark.parametrize(
    ("kind", "log"), [(k, log) for k, _, log in MESSAGES], ids=[f"{k}: {t}" for k, t, _ in MESSAGES]
)
def test_a_job_log_tells_the_same_kind_as_the_tool_alone(kind: str, log: str) -> None:
    step = (
        log
        if "##[error]" in log
        else f"##[group]Run make check\n##[endgroup]\n{log}##[error]Process completed with exit code 1.\n"
    )
    after = "Post job cleanup.\n[command]/usr/bin/git version\nCleaning up orphan processes\n"
    assert of("".join(f"{line}\n" for line in stamped((step + after).splitlines()))).kind == kind


# IN-6
def test_there_are_enough_messages_to_judge_by() -> None:
    kinds = [kind for kind, _, _ in MESSAGES]
    assert len(kinds) - kinds.count("code") >= 150
    assert kinds.count("code") >= 40


# IN-6
@pytest.mark.parametrize(
    ("log", "exit_code", "kind"),
    [
        ("a.py:3:1: F401 `os` imported but unused", 1, "code"),
        ("something went wrong", 1, "code"),
        ("OSError: [Errno 28] No space left on device", 1, "infrastructure"),
        ("a.py:3:1: F401 `os` imported but unused\nNo space left on device", 1, "infrastructure"),
        ("Killed", 137, "infrastructure"),
        ("", 143, "infrastructure"),
        ("anything", 124, "infrastructure"),
        ("anything", 127, "configuration"),
        ("python -m pytest: error: unrecognized arguments: --cov", 4, "configuration"),
        ("", 1, "infrastructure"),
    ],
)
def test_the_exit_code_is_evidence_too(log: str, exit_code: int, kind: str) -> None:
    found = of(f"{log}\n", exit_code)
    assert found.kind == kind
    assert found.why


# IN-6
def test_tests_that_all_fail_by_the_network_are_no_code_failure() -> None:
    log = f"{SUMMARY}FAILED t.py::test_a - Connection reset by peer\nFAILED t.py::test_b - Read timed out\n"
    assert of(log, 1).kind == "infrastructure"


# IN-6
def test_what_comes_again_is_not_called_retryable() -> None:
    assert of("npm error code ERESOLVE\n").retryable is False
    assert of("##[error]The operation was canceled.\n").retryable is True


# IN-6
@pytest.mark.parametrize(
    "unit", ["reason: ", "ETARGET", "module : reading ", "sh: a", "lookup a.b ", "1.", " ", "a:", "/"]
)
def test_no_line_makes_triage_slow(unit: str) -> None:
    began = time.process_time()
    triage(LogReport(), (unit * 2_000 + "\n") * 40)
    assert time.process_time() - began < 3
