"""Counts, for each line of the repository, how many failing and how many passing tests ran it.

A pytest plug-in in a plain file: it runs in the sandbox, with the repository's own Python, and uses only the standard
library and pytest. `HEAL_SEARCH` names the folder for its result.
"""

import json
import os
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from importlib.metadata import entry_points
from types import FrameType
from typing import Any

import pytest

Line = tuple[str, int]

HERE = os.path.realpath(os.environ["HEAL_SEARCH"])
ROOT = os.path.dirname(HERE) + os.sep
_paths: dict[str, str] = {}  # a code object's file name → its path in the repository; empty: outside
_now: set[Line] = set()  # the lines of the current test or import
_imported: set[Line] = set()
_counts: dict[bool, Counter[Line]] = {True: Counter(), False: Counter()}  # by whether the test failed
_totals: Counter[bool] = Counter()
_failed: set[str] = set()


def _path(name: str) -> str:
    real = os.path.realpath(name)
    return real[len(ROOT) :] if real.startswith(ROOT) and not real.startswith(HERE) else ""


def _entered(frame: FrameType, _event: str, _value: Any) -> Any:
    name = frame.f_code.co_filename
    path = _paths.get(name)
    if path is None:
        path = _paths[name] = _path(name)
    if not path:
        return None
    add, lines = _now.add, path

    def within(frame: FrameType, event: str, _value: Any) -> Any:
        if event == "line":
            add((lines, frame.f_lineno))
        return within

    return within


def _begin() -> None:
    _now.clear()
    sys.settrace(_entered)  # each time, because a test may have removed it


def _end(failed: bool) -> None:
    _totals[failed] += 1
    _counts[failed].update(_now)


@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[None]:
    """Lines that run while a test file is imported count for all its tests; if the import fails, it counts as a failing
    test."""
    _begin()
    outcome: Any = yield
    _imported.update(_now)
    if isinstance(collector, pytest.File) and outcome.get_result().failed:
        _end(failed=True)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Traces one test with its fixtures."""
    _begin()
    yield
    _end(item.nodeid in _failed)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Records what failed."""
    if report.failed:
        _failed.add(report.nodeid)


def pytest_sessionfinish() -> None:
    """Writes the counts, and which third-party modules are worth importing beforehand."""
    sys.settrace(None)
    lines = sorted({*_counts[True], *_counts[False]})
    left_out = {name for name, module in list(sys.modules.items()) if _is_ours(module)}
    left_out |= {"__main__", *(point.module for point in entry_points(group="pytest11"))}  # pytest imports these itself
    report = {
        "failing": _totals[True],
        "passing": _totals[False],
        "lines": [[file, line, _counts[True][file, line], _counts[False][file, line]] for file, line in lines],
        "imported": sorted(_imported),
        "failed": sorted(_failed),
        "modules": [name for name in list(sys.modules) if name not in left_out],
    }
    with open(os.path.join(HERE, "result.json"), "w") as file:
        json.dump(report, file)


def _is_ours(module: Any) -> bool:
    name = getattr(module, "__file__", None)
    return isinstance(name, str) and os.path.realpath(name).startswith(ROOT)


threading.settrace(_entered)
_begin()
