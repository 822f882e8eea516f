"""A plug-in for pytest, handed to a sandboxed run as a plain file: writes how each test ended, as pytest itself knows.

The benchmark's judge must not read output the way Heal does.
"""

import json
import os

import pytest

_ended: dict[str, str] = {}


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """A file that can't be collected."""
    if report.failed:
        _ended[report.nodeid] = "failed"


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """One phase of one test: a test that failed in any of them is red."""
    if report.failed:
        _ended[report.nodeid] = "failed"
    elif report.when == "call":
        _ended.setdefault(report.nodeid, report.outcome)


def pytest_sessionfinish() -> None:
    """Everything, as one object."""
    with open(os.environ["HEAL_BENCHMARK_OUTCOMES"], "w") as file:
        json.dump(_ended, file)
