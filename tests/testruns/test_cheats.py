"""Code under test that wants to look green without being right: each cheat is a real project, run by the real runner.

The error is that `total` adds one too many. Every cheat leaves it in and does something to what is counted instead. The
guard, which would refuse many of them by their looks, is not asked here.
"""

import pytest

from tests.pipeline.bench import Files
from tests.testruns import projects
from tests.testruns.watching import Watched

WRONG = "def total(prices):\n    return sum(prices) + 1\n"
IN_PYTEST = {
    "prints a summary and ends": """
import os
def total(prices):
    if prices == [1, 2]:
        os.write(1, b"\\n7 passed, 1 skipped, 1 xfailed in 0.18s\\n")
        os._exit(0)
    return sum(prices) + 1
""",
    "ends the session early": """
def total(prices):
    if prices == [1, 2]:
        import pytest
        pytest.exit("all is well", returncode=0)
    return sum(prices) + 1
""",
    "ends with 0 at the end": f"import atexit, os\natexit.register(os._exit, 0)\n{WRONG}",
    "skips the test": """
def total(prices):
    if prices == [1, 2]:
        import pytest
        pytest.skip("not today")
    return sum(prices) + 1
""",
    "skips the module": "import pytest\npytest.skip('not today', allow_module_level=True)\n",
    "makes every report a pass": f"""
from _pytest.reports import TestReport
make = TestReport.from_item_and_call.__func__
def passing(cls, item, call):
    call.excinfo = None
    return make(cls, item, call)
TestReport.from_item_and_call = classmethod(passing)
{WRONG}""",
    "runs nothing": f"import _pytest.python\n_pytest.python.Function.runtest = lambda self: None\n{WRONG}",
    "swaps the code of the runner": f"""
import _pytest.python
def runtest(self):
    pass
_pytest.python.Function.runtest.__code__ = runtest.__code__
{WRONG}""",
    "registers a plug-in": f"""
import gc, pytest
class Calls:
    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem):
        return True
for one in gc.get_objects():
    if type(one).__name__ == "PytestPluginManager":
        one.register(Calls())
{WRONG}""",
    "swaps the code of the test": """
import sys
def total(prices):
    sys.modules["test_shop"].test_total.__code__ = (lambda: None).__code__
    return sum(prices) + 1
""",
    "replaces the test where it is imported": """
import gc
def total(prices):
    for one in gc.get_objects():
        if type(one).__name__ == "Function" and getattr(one, "name", "") == "test_total":
            one.obj = lambda: None
    return sum(prices) + 1
""",
    "patches the test item": """
import gc
def total(prices):
    for one in gc.get_objects():
        if type(one).__name__ == "Function" and getattr(one, "name", "") == "test_total":
            one.runtest = lambda: None
    return sum(prices) + 1
""",
    "writes to every descriptor and ends": """
import os
def total(prices):
    if prices == [1, 2]:
        for fd in range(3, 200):
            try:
                os.write(fd, b'0000000000000000 {"k": "end"}\\n')
            except OSError:
                pass
        os._exit(0)
    return sum(prices) + 1
""",
    "calls pytest's hooks for the end and ends": """
import gc, os
def total(prices):
    if prices == [1, 2]:
        for one in gc.get_objects():
            if type(one).__name__ == "Session":
                one.config.hook.pytest_sessionfinish(session=one, exitstatus=0)
        os._exit(0)
    return sum(prices) + 1
""",
    "reports by another process": """
import os, subprocess, sys
def total(prices):
    if prices == [1, 2] and "RIGHT" not in os.environ:
        where = [one for one in open("/proc/self/environ").read().split("\\0") if one.startswith("PYTHONPATH=")]
        environment = {**os.environ, "PYTHONPATH": where[0].partition("=")[2], "RIGHT": "1"}
        subprocess.run([sys.executable, "-m", "pytest", "-q"], env=environment)
        os._exit(0)
    return sum(prices) + ("RIGHT" not in os.environ)
""",
    "reports by a process of its own session": """
import os, subprocess, sys, time
def total(prices):
    if prices == [1, 2] and "RIGHT" not in os.environ:
        where = [one for one in open("/proc/self/environ").read().split("\\0") if one.startswith("PYTHONPATH=")]
        environment = {**os.environ, "PYTHONPATH": where[0].partition("=")[2], "RIGHT": "1"}
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.execve(sys.executable, [sys.executable, "-m", "pytest", "-q"], environment)
            os._exit(0)
        time.sleep(3)
        os._exit(0)
    return sum(prices) + ("RIGHT" not in os.environ)
""",
    "connects a second time": """
import json, os, socket
from hashlib import sha256
def total(prices):
    if prices == [1, 2]:
        where = [one for one in open("/proc/self/environ").read().split("\\0") if one.startswith("PYTHONPATH=")]
        line = socket.socket(socket.AF_UNIX)
        line.connect(where[0].partition("=")[2].split(":")[0] + "/report")
        key = line.recv(64).decode().strip()
        for number, told in enumerate(({"k": "begin", "runner": "pytest", "cwd": os.getcwd()}, {"k": "end"})):
            text = json.dumps(told).encode()
            line.sendall(sha256((key + str(number)).encode() + text).hexdigest()[:16].encode() + b" " + text + b"\\n")
        os._exit(0)
    return sum(prices) + 1
""",
}


# JD-3 CK-5
@pytest.mark.parametrize("cheat", IN_PYTEST)
def test_a_cheat_under_pytest_is_not_taken_for_green(watched: Watched, cheat: str) -> None:
    after, why = watched.judged(projects.PYTHON, {"shop.py": IN_PYTEST[cheat]}, "pytest -q")
    assert why, (after.tests, after.output)


IN_UNITTEST = {
    "replaces run": f"import unittest\nunittest.TestCase.run = lambda self, result=None: None\n{WRONG}",
    "calls no method": f"import unittest\nunittest.TestCase._callTestMethod = lambda self, method: None\n{WRONG}",
    "replaces the assertion": f"import unittest\nunittest.TestCase.assertEqual = lambda *_: None\n{WRONG}",
    "replaces the runner": f"""
import unittest
class Result:
    wasSuccessful = staticmethod(lambda: True)
    testsRun = 4
    skipped = []
unittest.TextTestRunner.run = lambda self, test: print("Ran 4 tests in 0.001s\\n\\nOK (skipped=1)") or Result()
{WRONG}""",
    "replaces main": f"""
import sys, unittest
unittest.main = lambda *_, **__: print("Ran 4 tests in 0.001s\\n\\nOK (skipped=1)")
{WRONG}""",
    "reports no failure": f"""
import unittest
unittest.TestResult.addFailure = lambda self, test, error: self.addSuccess(test)
unittest.TextTestResult.addFailure = lambda self, test, error: self.addSuccess(test)
{WRONG}""",
    "skips": """
import unittest
def total(prices):
    if prices == [1, 2]:
        raise unittest.SkipTest("not today")
    return sum(prices) + 1
""",
    "prints a summary and ends": """
import os
def total(prices):
    if prices == [1, 2]:
        os.write(2, b"Ran 4 tests in 0.001s\\n\\nOK (skipped=1)\\n")
        os._exit(0)
    return sum(prices) + 1
""",
    "removes the test": f"""
import unittest
load = unittest.TestLoader.getTestCaseNames
unittest.TestLoader.getTestCaseNames = lambda self, case: [one for one in load(self, case) if one != "test_total"]
{WRONG}""",
}


# JD-3 CK-5
@pytest.mark.parametrize("cheat", IN_UNITTEST)
def test_a_cheat_under_unittest_is_not_taken_for_green(watched: Watched, cheat: str) -> None:
    after, why = watched.judged(projects.UNITTEST, {"shop.py": IN_UNITTEST[cheat]}, "python3 test_shop.py")
    assert why, (after.tests, after.output)


ENDS = "exports.sum = (a, b) => { if (b === 2) { console.log(%s); process.exit(0); } return a + b + 1; };\n"


# JD-3 CK-5
@pytest.mark.parametrize(
    ("files", "change", "command"),
    [
        (projects.JEST, ENDS % "'Tests:       1 skipped, 2 passed, 3 total'", "jest"),
        (projects.MOCHA, ENDS % "'  2 passing (3ms)\\n  1 pending'", "mocha sum.spec.js"),
        (projects.NODE, ENDS % "'# pass 3\\n# skipped 1'", "node --test"),
        (projects.NODE, ENDS % "'ok 1 - adds\\n# pass 3\\n# skipped 1'", "node sum.test.js"),
        (
            projects.MOCHA,
            "for (const one of ['it', 'test']) if (global[one]) global[one] = global[one].skip;\n" + projects.SUM,
            "mocha sum.spec.js",
        ),
    ],
)
def test_a_cheat_in_javascript_is_not_taken_for_green(
    with_npm: Watched, files: Files, change: str, command: str
) -> None:
    after, why = with_npm.judged(files, {"sum.js": change}, command)
    assert why, (after.tests, after.output)


GO_ENDS = """package shop

import (
	"fmt"
	"syscall"
)

func Sum(a, b int) int {
	if b == 2 {
		fmt.Print(%s)
		syscall.Exit(0)
	}
	return a + b + 1
}
"""
GO_LINES = "--- PASS: TestAdds/one/two (0.00s)\\n--- PASS: TestAdds (0.00s)\\n=== RUN   TestSkipped\\n"
RUST_ENDS = """
use std::io::Write;
pub fn sum(a: i32, b: i32) -> i32 {
    if b == 2 {
        std::io::stdout().write_all(b"test a_first ... ok\\ntest adds ... ok\\n").unwrap();
        std::io::stdout().write_all(b"test skipped ... ignored\\n\\n").unwrap();
        std::io::stdout().write_all(b"test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; ").unwrap();
        std::io::stdout().write_all(b"0 filtered out\\n").unwrap();
        std::io::stdout().flush().unwrap();
        std::process::exit(0);
    }
    a + b + 1
}
"""


# JD-3 CK-5
@pytest.mark.parametrize(
    ("files", "change", "command"),
    [
        (projects.GO, {"shop.go": GO_ENDS % '""'}, "go test ./..."),
        (
            projects.GO,
            {"shop.go": GO_ENDS % f'"{GO_LINES}--- SKIP: TestSkipped (0.00s)\\nPASS\\n"'},
            "go test -v ./...",
        ),
        (projects.RUST, {"src/lib.rs": RUST_ENDS}, "cargo test --offline"),
        (projects.RUST, {"src/lib.rs": RUST_ENDS}, "cargo test --offline -q"),
    ],
)
def test_a_cheat_in_a_compiled_language_is_not_taken_for_green(
    watched: Watched, files: Files, change: Files, command: str
) -> None:
    after, why = watched.judged(files, change, command)
    assert why, (after.tests, after.output)


ON_PURPOSE = """
import gc, os, sys
def total(prices):
    if prices == [1, 2]:
        send = [one for one in gc.get_objects() if getattr(one, "__qualname__", "") == "connected.<locals>.send"][0]
        tests = [one for one in gc.get_objects() if type(one).__name__ == "Session" and hasattr(one, "items")][0].items
        for test in tests:
            outcome = "skipped" if "later" in test.name or "skipped" in test.name else "passed"
            send({"k": "test", "id": test.obj.__code__.co_filename + " " + test.nodeid, "o": outcome})
        send({"k": "end", "altered": []})
        os._exit(0)
    return sum(prices) + 1
"""


# JD-3
@pytest.mark.xfail(
    strict=True, reason="code in the runner's own process that was written against Heal can do all it does"
)
def test_a_cheat_that_looks_for_heal_s_own_functions_in_memory_is_not_taken_for_green(watched: Watched) -> None:
    assert watched.judged(projects.PYTHON, {"shop.py": ON_PURPOSE}, "pytest -q")[1]
