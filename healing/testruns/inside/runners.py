"""How pytest and unittest report to Heal. Executed by `sitecustomize.py`, as text, when one of them is imported.

What it holds lives in closures: nothing of it is an attribute that the code under test finds by a name.
"""

import os
import stat
import sys
from types import FunctionType, MethodType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

CHUNK = 400  # ids in a line
SECONDS = 20.0
MOST_ID = 500  # characters


def connected(path: str) -> "Callable[[dict[str, Any]], None]":
    """What sends one line to Heal; the first one connects. Where Heal does not answer, nothing is sent."""
    import json
    from hashlib import sha256

    pid, dumps = os.getpid(), json.dumps
    state: list[Any] = [None, "", 0, ""]  # how to write, the key, the number of lines, what each begins with

    def connect() -> None:
        if stat.S_ISFIFO(os.stat(path).st_mode):
            pipe, key = os.open(path, os.O_WRONLY | os.O_CLOEXEC), os.urandom(16).hex()
            os.write(pipe, f"{pid} key {key}\n".encode())
            state[:] = [lambda text: os.write(pipe, text), key, 0, f"{pid} "]
            return
        import socket

        line = socket.socket(socket.AF_UNIX)
        line.settimeout(SECONDS)
        line.connect(path)
        got = b""
        while not got.endswith(b"\n"):
            more = line.recv(64)
            if not more:
                raise OSError("no key")
            got += more
        state[:2] = [line.sendall, got.decode().strip()]

    def bounded(test: "Any") -> "Any":
        """An id of a length that a pipe takes in one piece."""
        if not isinstance(test, str) or len(test) <= MOST_ID:
            return test
        return test[:MOST_ID] + sha256(test.encode("utf-8", "surrogatepass")).hexdigest()

    def write(told: "dict[str, Any]") -> None:
        text = dumps(told).encode("ascii")
        mark = sha256(f"{state[1]}{state[2]}".encode() + text).hexdigest()[:16]
        state[0](state[3].encode() + mark.encode() + b" " + text + b"\n")
        state[2] += 1

    pending: list[list[str]] = []

    def flush() -> None:
        if pending:
            write({"k": "tests", "tests": pending})
            pending.clear()

    def send(told: "dict[str, Any]") -> None:
        if os.getpid() != pid or state[2] < 0:  # a copy of the runner is not the runner
            return
        try:
            if state[0] is None:
                connect()
            if told["k"] == "test" and not state[3]:  # to write each by itself would take as long as a small test
                pending.append([bounded(told["id"]), told["o"]])
                if len(pending) >= CHUNK:
                    flush()
                return
            flush()
            if "ids" in told:
                ids = [bounded(one) for one in told["ids"]]
                size = 1 if state[3] else CHUNK
                for start in range(0, len(ids), size):
                    write({"k": "ids", "ids": ids[start : start + size]})
            else:
                write({**told, "id": bounded(told.get("id"))} if "id" in told else told)
        except OSError:
            state[2] = -1

    return send


def origin(function: "Any") -> str:
    """The file of a test's code: a test whose code comes from elsewhere is another test."""
    while isinstance(function, (FunctionType, MethodType)) and "__wrapped__" in vars(function):
        function = vars(function)["__wrapped__"]
    code = code_of(function)
    return code.co_filename if code is not None else ""


def functions(prefixes: "tuple[str, ...]") -> "Iterator[tuple[str, Any, str, Any]]":
    """Every function of the runner's modules: its name, who holds it under which name, and what it is."""
    for name, module in sorted(sys.modules.items()):
        if name in prefixes or name.startswith(tuple(prefix + "." for prefix in prefixes)):
            for key, value in list(vars(module).items()):
                if not isinstance(value, (type, FunctionType)) or value.__module__ != name:
                    continue
                yield name + "." + key, module, key, value
                if isinstance(value, type):
                    for attribute, held in list(vars(value).items()):
                        if callable(held) or isinstance(held, (classmethod, staticmethod, property)):
                            yield name + "." + key + "." + attribute, value, attribute, held


def code_of(value: "Any") -> "Any":
    """The code of a function, however it is wrapped; None for anything else, which is not asked for its attributes."""
    if isinstance(value, property):
        value = value.fget
    elif isinstance(value, (classmethod, staticmethod, MethodType)):
        value = value.__func__
    return value.__code__ if isinstance(value, FunctionType) else None


def foreign(value: "Any") -> bool:
    """Whether a function may be the repository's: its code is in no installed package, and in no conftest.py."""
    code = code_of(value)
    file = code.co_filename if code is not None else ""
    parts = file.replace(os.sep, "/").split("/")
    if "site-packages" in parts or "dist-packages" in parts or parts[-1] == "conftest.py":
        return False
    modules = (sys.modules.get(name) for name in ("os", "_pytest"))
    installed = tuple(os.path.dirname(module.__file__ or "") + os.sep for module in modules if module)
    return not (file.startswith(installed) or file.startswith("<frozen") or file == "<report>")


def guarded(prefixes: "tuple[str, ...]") -> "Callable[[], list[str]]":
    """What names, at the end, the functions of the runner that are not what they are now, where it was code of the
    repository that replaced them and no plug-in that is installed."""
    seen = [(name, holder, key, held, code_of(held)) for name, holder, key, held in functions(prefixes)]
    classes = {
        id(holder): (name.rpartition(".")[0], holder) for name, holder, _, _, _ in seen if isinstance(holder, type)
    }
    attributes = {number: set(vars(holder)) for number, (_, holder) in classes.items()}

    def altered() -> "list[str]":
        found = []
        for name, holder, key, held, code in seen:
            now = vars(holder).get(key)
            if (now is not held or code_of(now) is not code) and foreign(now):
                found.append(name)
        for number, (name, holder) in classes.items():
            added = set(vars(holder)) - attributes[number]
            found += [
                name + "." + key for key in sorted(added) if code_of(vars(holder)[key]) and foreign(vars(holder)[key])
            ]
        return found[:20]

    return altered


def pytest_reporting(module: "Any", send: "Callable[[dict[str, Any]], None]") -> None:
    """Every configuration that pytest makes first gets a plug-in that reports; only that of the outermost run does."""
    import pluggy

    marked = pluggy.HookimplMarker("pytest")
    make = module.get_config
    began: list[Any] = []

    def get_config(*args: "Any", **more: "Any") -> "Any":
        config = make(*args, **more)
        if not began and "PYTEST_XDIST_WORKER" not in os.environ:
            began.append(config)
            config.pluginmanager.register(plugin(config), "report-of-this-run")
        return config

    def plugin(config: "Any") -> "Any":
        send({"k": "open"})  # before any code of the repository is imported: one process gets one connection
        altered = guarded(("_pytest", "pluggy", "unittest"))
        worst: dict[str, str] = {}
        origins: dict[str, str] = {}
        known: list[int] = []
        codes: dict[str, Any] = {}
        odd: list[str] = []
        inside = [0]  # how many tests or files of the repository are being executed

        def named(nodeid: str) -> str:
            return origins.get(nodeid, "") + " " + nodeid

        def ids(found: "list[str]") -> None:
            send({"k": "ids", "ids": found})

        def hooks() -> "list[str]":
            found = []
            for caller in (
                "pytest_runtest_protocol",
                "pytest_runtest_call",
                "pytest_runtest_makereport",
                "pytest_pyfunc_call",
            ):
                for hook in getattr(config.hook, caller).get_hookimpls():
                    file = getattr(getattr(hook.function, "__code__", None), "co_filename", "<report>")
                    inside = file.startswith(str(config.rootpath)) and "site-packages" not in file
                    if inside and os.path.basename(file) != "conftest.py":
                        found.append(caller + " in " + file)
            return found

        class Reporting:
            """The plug-in."""

            @marked(tryfirst=True)
            def pytest_sessionstart(self, session: "Any") -> None:
                send({"k": "begin", "runner": "pytest", "cwd": os.getcwd()})

            @marked(trylast=True)
            def pytest_collection_finish(self, session: "Any") -> None:
                if config.getoption("collectonly", False):
                    return
                for item in session.items:
                    origins[item.nodeid] = origin(getattr(item, "obj", None))
                    codes[item.nodeid] = code_of(getattr(item, "obj", None))
                ids([named(item.nodeid) for item in session.items])

            @marked(optionalhook=True)
            def pytest_xdist_node_collection_finished(self, node: "Any", ids: "Any") -> None:
                if not known:
                    known.append(len(ids))
                    collected([named(one) for one in ids])

            @marked(hookwrapper=True, tryfirst=True)
            def pytest_runtest_call(self, item: "Any") -> "Iterator[None]":
                odd.extend(f"{name} of {item.nodeid}" for name in ("runtest", "ihook") if name in vars(item))
                test = getattr(item, "obj", None)
                if code_of(test) is not codes.get(item.nodeid) and foreign(test):
                    odd.append("the code of " + item.nodeid)
                inside[0] += 1
                yield
                inside[0] -= 1

            @marked(hookwrapper=True, tryfirst=True)
            def pytest_make_collect_report(self, collector: "Any") -> "Iterator[None]":
                inside[0] += 1
                yield
                inside[0] -= 1

            def pytest_collectreport(self, report: "Any") -> None:
                file = report.nodeid
                if (
                    file
                    and "::" not in file
                    and os.path.isfile(os.path.join(str(config.rootpath), file))
                    and not parallel()
                ):
                    outcome = "skipped" if report.passed and not report.result else report.outcome
                    send({"k": "file", "id": file, "o": outcome})

            @marked(tryfirst=True)
            def pytest_runtest_logreport(self, report: "Any") -> None:
                test, outcome = report.nodeid, report.outcome
                if inside[0] and not is_part(report):
                    odd.append("pytest's hooks, called by " + test)
                part = is_part(report)
                if report.when == "setup" or outcome == "rerun":
                    worst.pop(test, None)
                if outcome == "failed":
                    worst[test] = "failed"
                elif not part and outcome in ("passed", "skipped") and (report.when == "call" or outcome == "skipped"):
                    worst.setdefault(test, outcome)
                if report.when == "teardown" and test in worst:
                    send({"k": "test", "id": named(test), "o": worst.pop(test)})

            @marked(hookwrapper=True, tryfirst=True)
            def pytest_sessionfinish(self, session: "Any", exitstatus: "Any") -> "Iterator[None]":
                for test, outcome in list(worst.items()):
                    if outcome == "failed":
                        send({"k": "test", "id": named(test), "o": outcome})
                if not inside[0]:  # called by the code under test, the run is not at its end
                    send({"k": "end", "altered": altered() + odd[:10] + hooks()})
                began.clear()
                yield

        collected = ids
        parts: dict[type, bool] = {}

        def is_part(report: "Any") -> bool:
            """Whether it is of a subtest."""
            kind = type(report)
            if kind not in parts:
                parts[kind] = any(one.__name__.lower() == "subtestreport" for one in kind.__mro__)
            return parts[kind]

        def parallel() -> bool:
            return bool(config.pluginmanager.hasplugin("dsession"))

        return Reporting()

    module.get_config = get_config


def tests_of(suite: "Any") -> "Iterator[Any]":
    """The tests of a suite of unittest's, however deep they are."""
    if isinstance(suite, sys.modules["unittest.suite"].BaseTestSuite):
        for one in list(suite):
            yield from tests_of(one)
    elif suite is not None:
        yield suite


def named(test: "Any") -> "tuple[str, str]":
    """Whether it is a test or a file, and the id. What can't be imported is a `_FailedTest` named as the module."""
    method = getattr(test, "_testMethodName", "")
    if type(test).__name__ == "_FailedTest":
        return "file", method
    if not method:  # a fixture of a class or of a module, or a doctest
        return ("test" if hasattr(test, "runTest") else "file"), str(test)
    return "test", origin(getattr(test, method, None)) + " " + test.id()


def unittest_reporting(module: "Any", send: "Callable[[dict[str, Any]], None]") -> None:
    """Every run of unittest's runner reports, unless it is one inside of another or of pytest's."""
    run = module.TextTestRunner.run
    running: list[Any] = []
    at_import = guarded(("unittest",))  # before any test was imported, unittest's own functions were fine

    def reporting_run(self: "Any", test: "Any") -> "Any":
        if running or ("_pytest.config" in sys.modules and "PYTEST_CURRENT_TEST" in os.environ):
            return run(self, test)
        running.append(self)
        send({"k": "begin", "runner": "unittest", "cwd": os.getcwd()})
        found = [name for kind, name in map(named, tests_of(test)) if kind == "test"]
        send({"k": "ids", "ids": found})
        for file in dict.fromkeys(".".join(one.split(" ", 1)[-1].split(".")[:-2]) for one in found):
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
    """The result that a runner of unittest's made, with what is added to it reported. A subtest that failed is its
    test's failure, and a test that ends without a word did not run."""
    outcomes: dict[int, str] = {}
    methods = {
        "addSuccess": "passed",
        "addSkip": "skipped",
        "addExpectedFailure": "skipped",
        "addError": "failed",
        "addFailure": "failed",
        "addUnexpectedSuccess": "failed",
    }

    def told(method: str, outcome: str) -> None:
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
        told(method, outcome)
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


def reporting(path: str) -> "Callable[[Any], None]":
    """What adds reporting to a runner's module, once it is loaded."""
    send = connected(path)

    def add(module: "Any") -> None:
        (pytest_reporting if module.__name__ == "_pytest.config" else unittest_reporting)(module, send)

    return add
