"""What a test runner only repeats is no error of its own: what tests print, compare and warn of. The real pytest."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from healing.logs.blame import without_incidental
from healing.logs.reading import LogContext, read_log
from healing.model import CIError

LOUD = """\
import logging
import traceback
import warnings


def parse(text):
    warnings.warn("src/old.py:4: error: parse is old", SyntaxWarning)
    logging.error("src/app.py:3:1: F401 'os' imported but unused")
    print("src/app.py:7:80: E501 line too long (82 > 79 characters)")
    print("src/lib.rs:3: error: mismatched types")
    try:
        1 / 0
    except ZeroDivisionError:
        traceback.print_exc()
    return text.split(":")[0]
"""
TESTS = '''\
import pytest

from loud import parse

LINES = [
    "t.py:1:1: F401 'os' imported but unused",
    "src/main.c:3:5: error: expected ';' before 'return'",
    "typed.py:3: error: Name 'x' is not defined  [name-defined]",
]


@pytest.mark.parametrize("line", LINES)
def test_parse(line):
    assert parse(line) == "x.py"


def test_many():
    assert parse("a.py:1:1: F401 'os' imported but unused") == """
t.py:2:1: E302 expected 2 blank lines
src/x.ts(3,4): error TS2304: Cannot find name 'q'.
"""


def test_passes():
    assert parse("a:b") == "a"
'''
OPTIONS = ("", "-q", "-vv --showlocals", "--tb=short", "--tb=native", "--tb=line", "-rA", "-s -o log_cli=true", "-n 2")
RUFF = "src/a.py:3:8: F401 [*] `os` imported but unused"


def ran(folder: Path, options: str) -> bytes:
    (folder / "loud.py").write_text(LOUD)
    (folder / "test_loud.py").write_text(TESTS)
    argv = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options.split()]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.run(argv, cwd=folder, capture_output=True, check=False, env=clean).stdout


def errors_of(log: bytes, folder: Path) -> tuple[CIError, ...]:
    context = LogContext(known_files={"loud.py", "test_loud.py"}, prefixes=(str(folder),))
    return without_incidental(read_log(log, context).errors)


# EX-12
@pytest.mark.parametrize("options", OPTIONS)
def test_what_tests_print_compare_and_warn_of_is_no_error_beside_their_failures(tmp_path: Path, options: str) -> None:
    errors = errors_of(ran(tmp_path, options), tmp_path)
    assert {error.tool for error in errors} == {"pytest"}
    assert len(errors) == 4


# EX-12
def test_what_other_tools_say_before_between_and_after_test_runs_stays(tmp_path: Path) -> None:
    failing = ran(tmp_path, "-q").decode()
    green = "=== test session starts ===\ncollected 1 item\n\nt.py .   [100%]\n\n=== 1 passed in 0.01s ===\n"
    log = "\n".join([RUFF, green, RUFF.replace("src/a", "src/b"), failing, RUFF.replace("src/a", "src/c")])
    found = [error.file for error in errors_of(log.encode(), tmp_path) if error.tool != "pytest"]
    assert found == ["src/a.py", "src/b.py", "src/c.py"]


PLUGIN = """\
=================================== FAILURES ===================================
_________________________________ mypy-status __________________________________
src/typed.py:3: error: Name "x" is not defined  [name-defined]
____________________________________ test_a ____________________________________

    def test_a():
>       assert "src/t.py:3: error: Name 'y' is not defined  [name-defined]" == ""
E       assert "src/t.py:3: ...name-defined]" == ''

test_a.py:2: AssertionError
============================= slowest 1 durations ==============================
0.01s call     test_a.py::test_a
=========================== short test summary info ============================
FAILED src/typed.py::mypy-status
FAILED test_a.py::test_a - assert "src/t.py:3: ...name-defined]" == ''
2 failed in 0.31s
"""


# EX-12
def test_a_linters_errors_in_the_block_of_a_plugin_are_errors(tmp_path: Path) -> None:
    found = [(error.file, error.line) for error in errors_of(PLUGIN.encode(), tmp_path) if error.tool == "mypy"]
    assert found == [("src/typed.py", 3)]


LINTER = """\
import pytest


def pytest_collect_file(file_path, parent):
    return Style.from_parent(parent, path=file_path) if file_path.name.startswith("untidy") else None


class Style(pytest.File):
    def collect(self):
        yield Look.from_parent(self, name="style")


class Look(pytest.Item):
    def runtest(self):
        raise LookError(f"{self.path.name}:2:1: F401 [*] `os` imported but unused")

    def repr_failure(self, excinfo):
        return str(excinfo.value)


class LookError(Exception):
    pass
"""


# EX-3, EX-12
def test_a_plugins_items_that_name_no_place_are_told_once_each_by_their_ids(tmp_path: Path) -> None:
    for name, text in (("conftest.py", LINTER), ("untidy_a.py", "\nimport os\n"), ("untidy_b.py", "\nimport os\n")):
        (tmp_path / name).write_text(text)
    found = errors_of(ran(tmp_path, ""), tmp_path)
    told = [(error.test, error.message.partition(":")[0]) for error in found if error.tool == "pytest"]
    assert [name for name, _ in told if name and "untidy" in name] == ["untidy_a.py::style", "untidy_b.py::style"]
    assert not [name for name, _ in told if not name or "session" in name], told
    linted = [(error.file, error.line) for error in found if error.tool != "pytest"]
    assert linted == [("untidy_a.py", 2), ("untidy_b.py", 2)]


# EX-12
def test_the_data_of_a_failing_unittest_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "test_u.py").write_text(
        "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_it(self):\n"
        "        self.assertEqual('src/a.py:3:1: F401 unused\\nb', 'src/t.py:3: error: \"y\" is bad  [misc]\\nc')\n"
    )
    argv = [sys.executable, "-m", "unittest"]
    log = subprocess.run(argv, cwd=tmp_path, capture_output=True, check=False).stderr
    assert [error.tool for error in errors_of(log, tmp_path)] == ["unittest"]


CARGO = """\
running 2 tests
test passes ... ok
test fails ... FAILED

{passed}failures:

---- fails stdout ----
src/old.py:4: error: parse is old  [misc]
src/app.py:3:1: F401 'os' imported but unused
error[E0308]: mismatched types
 --> src/lib.rs:3:5

thread 'fails' (4) panicked at tests/it.rs:4:5:
assertion `left == right` failed
  left: "a.py"
 right: "x.py"
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace


failures:
    fails

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.65s
"""
PASSED = """\
successes:

---- passes stdout ----
src/old.py:4: error: parse is old  [misc]
error[E0308]: mismatched types
 --> src/lib.rs:3:5


successes:
    passes

"""
JEST = """\
FAIL src/shop.test.js
  ● Console

    console.error
      src/x.ts(3,4): error TS2304: Cannot find name 'q'.
      src/a.py:3:1: F401 'os' imported but unused

      at Object.log (src/shop.js:2:11)

  ● shop › parses

    expect(received).toBe(expected) // Object.is equality

    Expected: "src/t.py:3: error: Name 'y' is not defined  [name-defined]"
    Received: "src/main.c:3:5: error: expected ';' before 'return'"

      4 |   expect(parse(text)).toBe(text);

      at Object.<anonymous> (src/shop.test.js:4:23)

Test Suites: 1 failed, 1 total
Tests:       1 failed, 2 passed, 3 total
"""
VITEST = """\
stdout | src/shop.test.ts > passes
src/x.ts(3,4): error TS2304: Cannot find name 'q'.

⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  src/shop.test.ts > parses
AssertionError: expected 'src/main.c:3:5: error: bad' to be 'src/t.py:3: error: bad  [misc]'

Expected: "src/t.py:3: error: bad  [misc]"
Received: "src/main.c:3:5: error: bad"

 ❯ src/shop.test.ts:4:23

⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[1/1]⎯

 Test Files  1 failed (1)
"""
MOCHA = """\
  1 passing (4ms)
  1 failing

  1) shop
       parses:

      AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:
src/x.ts(3,4): error TS2304: Cannot find name 'q'.
src/a.py:3:1: F401 'os' imported but unused

      at Context.<anonymous> (test/shop.js:4:10)

"""
NODE = """\
TAP version 13
# src/old.py:4: error: parse is old  [misc]
# src/x.ts(3,4): error TS2304: Cannot find name 'q'.
# Subtest: parses
not ok 1 - parses
  ---
  duration_ms: 0.9
  location: '/test/a.test.js:3:1'
  failureType: 'testCodeFailure'
  error: "'src/main.c:3:5: error: bad' == 'b'"
  code: 'ERR_ASSERTION'
  name: 'AssertionError'
  expected: 'src/t.py:3: error: bad  [misc]'
  actual: 'src/main.c:3:5: error: bad'
  stack: |-
    TestContext.<anonymous> (test/a.test.js:3:29)
  ...
1..1
"""
GO = """\
=== RUN   TestPasses
src/app.py:3:1: F401 'os' imported but unused
--- PASS: TestPasses (0.00s)
=== RUN   TestParse
src/main.c:3:5: error: expected ';' before 'return'
    shop_test.go:9: got "src/t.py:3: error: bad  [misc]", want "b"
--- FAIL: TestParse (0.00s)
FAIL
FAIL\texample.com/shop\t0.003s
"""


# EX-12
@pytest.mark.parametrize(
    ("log", "tool"),
    [
        (CARGO.format(passed=""), "cargo-test"),
        (CARGO.format(passed=PASSED), "cargo-test"),
        (JEST, "jest"),
        (VITEST, "vitest"),
        (MOCHA, "mocha"),
        (NODE, "tap"),
        (GO, "go-test"),
    ],
    ids=["cargo", "cargo --show-output", "jest", "vitest", "mocha", "node", "go -v"],
)
def test_what_tests_of_other_runners_print_and_compare_is_no_error_beside_their_failures(log: str, tool: str) -> None:
    errors = without_incidental(read_log(log.encode(), LogContext()).errors)
    assert [error.tool for error in errors] == [tool]


# EX-12
def test_what_a_compiler_says_of_a_suite_that_did_not_run_or_between_go_packages_stays() -> None:
    built = "# example.com/other\n./other.go:3:4: undefined: total\n"
    found = without_incidental(read_log(GO.replace("--- FAIL", f"{built}--- FAIL").encode(), LogContext()).errors)
    assert ("other.go", 3) in {(error.file, error.line) for error in found}
    example = "---- src/lib.rs - total (line 3) stdout ----\nerror[E0425]: cannot find value `x` in this scope\n"
    log = CARGO.format(passed="").replace("---- fails stdout ----\n", example + " --> src/lib.rs:4:1\n  |\n")
    assert "rustc" in {error.tool for error in read_log(log.encode(), LogContext()).errors}
