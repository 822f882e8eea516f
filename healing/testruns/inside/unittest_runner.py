"""Makes unittest report to Heal. Executed by `sitecustomize.py` after `reporting.py`, in the same namespace."""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from healing.testruns.inside.reporting import guarded, origin


def tests_of(suite: "Any") -> "Iterator[Any]":
    """The tests of a unittest suite, at any depth."""
    if isinstance(suite, sys.modules["unittest.suite"].BaseTestSuite):
        for child in list(suite):
            yield from tests_of(child)
    elif suite is not None:
        yield suite


def named(test: "Any") -> "tuple[str, str]":
    """The kind (test or file) and the id. A module that can't be imported is a `_FailedTest` with the module's name."""
    method = getattr(test, "_testMethodName", "")
    if type(test).__name__ == "_FailedTest":
        return "file", method
    if not method:  # a fixture of a class or of a module, or a doctest
        return ("test" if hasattr(test, "runTest") else "file"), str(test)
    return "test", origin(getattr(test, method, None)) + " " + test.id()


def report(module: "Any", send: "Callable[[dict[str, Any]], None]") -> None:
    """Makes every run of unittest's runner report, except those inside another run or inside pytest's."""
    run = module.TextTestRunner.run
    running: list[Any] = []
    at_import = guarded(("unittest",))  # unittest's functions before any test was imported

    def reporting_run(self: "Any", test: "Any") -> "Any":
        if running or ("_pytest.config" in sys.modules and "PYTEST_CURRENT_TEST" in os.environ):
            return run(self, test)
        running.append(self)
        send({"k": "begin", "runner": "unittest", "cwd": os.getcwd()})
        names = [name for kind, name in map(named, tests_of(test)) if kind == "test"]
        send({"k": "ids", "ids": names})
        for file in dict.fromkeys(".".join(test_name.split(" ", 1)[-1].split(".")[:-2]) for test_name in names):
            send({"k": "file", "id": file, "o": "passed"})
        make, altered = self._makeResult, at_import()
        self._makeResult = lambda: reported(make(), send)
        try:
            result = run(self, test)
        finally:
            vars(self).pop("_makeResult", None)
            running.pop()
        send({"k": "end", "altered": sorted({*altered, *at_import()})})
        return result

    module.TextTestRunner.run = reporting_run


def reported(result: "Any", send: "Callable[[dict[str, Any]], None]") -> "Any":
    """The runner's result object, extended to report what is added to it. A failed subtest is a failure of its test; a
    test that ends without an outcome did not run."""
    outcomes: dict[int, str] = {}
    methods = {
        "addSuccess": "passed",
        "addSkip": "skipped",
        "addExpectedFailure": "skipped",
        "addError": "failed",
        "addFailure": "failed",
        "addUnexpectedSuccess": "failed",
    }

    def report_once(method: str, outcome: str) -> None:
        own = getattr(result, method)

        def add(test: "Any", *args: "Any", **more: "Any") -> "Any":
            kind, name = named(test)
            if kind == "file":
                send({"k": kind, "id": name, "o": outcome})
            elif outcomes.get(id(test)) != "failed":
                outcomes[id(test)] = outcome
            return own(test, *args, **more)

        setattr(result, method, add)

    for method, outcome in methods.items():
        report_once(method, outcome)
    own_subtest, own_stop = result.addSubTest, result.stopTest

    def subtest(test: "Any", part: "Any", error: "Any") -> "Any":
        if error is not None:
            outcomes[id(test)] = "failed"
        return own_subtest(test, part, error)

    def stop(test: "Any") -> "Any":
        if id(test) in outcomes:
            kind, name = named(test)
            send({"k": kind, "id": name, "o": outcomes.pop(id(test))})
        return own_stop(test)

    result.addSubTest, result.stopTest = subtest, stop
    return result
