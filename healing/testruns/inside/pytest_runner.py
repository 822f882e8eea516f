"""Makes pytest report to Heal. Executed by `sitecustomize.py` after `reporting.py`, in the same namespace."""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from healing.testruns.inside.reporting import code_of, foreign, guarded, origin


def report(module: "Any", send: "Callable[[dict[str, Any]], None]") -> None:
    """Adds reporting plug-ins to the configurations that pytest creates; only those of the outermost run report."""
    make = module.get_config
    began: list[Any] = []

    def get_config(*args: "Any", **more: "Any") -> "Any":
        config = make(*args, **more)
        if not began and "PYTEST_XDIST_WORKER" not in os.environ:
            began.append(config)
            send({"k": "open"})  # before any code of the repository is imported: a process gets only one connection
            altered = guarded(("_pytest", "pluggy", "unittest"))
            inside = [0]  # how many tests or files of the repository are being executed
            tests: dict[str, tuple[str, Any]] = {}  # id → the file and the code of the test
            collecting = pytest_collecting(config, send, tests, inside)
            running = pytest_running(config, send, tests, inside, altered, began.clear)
            config.pluginmanager.register(collecting, "tests-of-this-run")
            config.pluginmanager.register(running, "report-of-this-run")
        return config

    module.get_config = get_config


def pytest_collecting(
    config: "Any",
    send: "Callable[[dict[str, Any]], None]",
    tests: "dict[str, tuple[str, Any]]",
    inside: "list[int]",
) -> "Any":
    """The plug-in that reports the collected tests, and stores them in `tests`."""
    import pluggy

    marked = pluggy.HookimplMarker("pytest")
    known: list[int] = []

    def parallel() -> bool:
        return bool(config.pluginmanager.hasplugin("dsession"))

    class Collecting:
        """Hooks of the collection."""

        @marked(tryfirst=True)
        def pytest_sessionstart(self, session: "Any") -> None:
            send({"k": "begin", "runner": "pytest", "cwd": os.getcwd()})

        @marked(trylast=True)
        def pytest_collection_finish(self, session: "Any") -> None:
            if config.getoption("collectonly", False):
                return
            for item in session.items:
                test = getattr(item, "obj", None)
                tests[item.nodeid] = (origin(test), code_of(test))
            send({"k": "ids", "ids": [named(tests, item.nodeid) for item in session.items]})

        @marked(optionalhook=True)
        def pytest_xdist_node_collection_finished(self, node: "Any", ids: "Any") -> None:
            if not known:
                known.append(len(ids))
                send({"k": "ids", "ids": [named(tests, nodeid) for nodeid in ids]})

        @marked(hookwrapper=True, tryfirst=True)
        def pytest_make_collect_report(self, collector: "Any") -> "Iterator[None]":
            inside[0] += 1
            yield
            inside[0] -= 1

        def pytest_collectreport(self, report: "Any") -> None:
            file = report.nodeid
            single = file and "::" not in file and os.path.isfile(os.path.join(str(config.rootpath), file))
            if single and not parallel():
                outcome = "skipped" if report.passed and not report.result else report.outcome
                send({"k": "file", "id": file, "o": outcome})

    return Collecting()


def pytest_running(
    config: "Any",
    send: "Callable[[dict[str, Any]], None]",
    tests: "dict[str, tuple[str, Any]]",
    inside: "list[int]",
    altered: "Callable[[], list[str]]",
    ended: "Callable[[], None]",
) -> "Any":
    """The plug-in that reports the outcome of each of the `tests`, and which parts of pytest were replaced."""
    import pluggy

    marked = pluggy.HookimplMarker("pytest")
    worst: dict[str, str] = {}
    odd: list[str] = []
    is_part = subtest_detector()

    class Running:
        """Hooks of the run."""

        @marked(hookwrapper=True, tryfirst=True)
        def pytest_runtest_call(self, item: "Any") -> "Iterator[None]":
            odd.extend(f"{name} of {item.nodeid}" for name in ("runtest", "ihook") if name in vars(item))
            test = getattr(item, "obj", None)
            if code_of(test) is not tests.get(item.nodeid, ("", None))[1] and foreign(test):
                odd.append("the code of " + item.nodeid)
            inside[0] += 1
            yield
            inside[0] -= 1

        @marked(tryfirst=True)
        def pytest_runtest_logreport(self, report: "Any") -> None:
            test, outcome, part = report.nodeid, report.outcome, is_part(report)
            if inside[0] and not part:
                odd.append("pytest's hooks, called by " + test)
            if report.when == "setup" or outcome == "rerun":
                worst.pop(test, None)
            if outcome == "failed":
                worst[test] = "failed"
            elif not part and outcome in ("passed", "skipped") and (report.when == "call" or outcome == "skipped"):
                worst.setdefault(test, outcome)
            if report.when == "teardown" and test in worst:
                send({"k": "test", "id": named(tests, test), "o": worst.pop(test)})

        @marked(hookwrapper=True, tryfirst=True)
        def pytest_sessionfinish(self, session: "Any", exitstatus: "Any") -> "Iterator[None]":
            for test, outcome in list(worst.items()):
                if outcome == "failed":
                    send({"k": "test", "id": named(tests, test), "o": outcome})
            if not inside[0]:  # otherwise the code under test called it, and the run is not at its end
                send({"k": "end", "altered": altered() + odd[:10] + own_hooks(config)})
            ended()
            yield

    return Running()


def named(tests: "dict[str, tuple[str, Any]]", nodeid: str) -> str:
    """A test's id, prefixed with the file that its code comes from."""
    return tests.get(nodeid, ("", None))[0] + " " + nodeid


def subtest_detector() -> "Callable[[Any], bool]":
    """Returns a function that tells whether a report is about a subtest."""
    parts: dict[type, bool] = {}

    def is_part(report: "Any") -> bool:
        kind = type(report)
        if kind not in parts:
            parts[kind] = any(base.__name__.lower() == "subtestreport" for base in kind.__mro__)
        return parts[kind]

    return is_part


def own_hooks(config: "Any") -> "list[str]":
    """The repository's own hooks, except those in a conftest.py, that decide how a test is run or reported."""
    hooks = []
    for caller in ("pytest_runtest_protocol", "pytest_runtest_call", "pytest_runtest_makereport", "pytest_pyfunc_call"):
        for hook in getattr(config.hook, caller).get_hookimpls():
            file = getattr(getattr(hook.function, "__code__", None), "co_filename", "<report>")
            inside = file.startswith(str(config.rootpath)) and "site-packages" not in file
            if inside and os.path.basename(file) != "conftest.py":
                hooks.append(caller + " in " + file)
    return hooks
