"""Every runner reports each test by its id, whatever starts it, and its output and exit code stay as they are."""

import pytest

from tests.pipeline.bench import Files
from tests.testruns import projects
from tests.testruns.watching import Watched, counted

FIXED: Files = {"shop.py": "def total(prices):\n    return sum(prices)\n"}
SUM: Files = {"sum.js": "exports.sum = (a, b) => a + b;\n"}
MAKE: Files = {"Makefile": "test:\n\tpython3 -m pytest -q\n"}
STRICT: Files = {
    "pytest.ini": "[pytest]\naddopts = -q -p no:cacheprovider --strict-config --strict-markers -W error\n"
    "filterwarnings = error\n"
}
OWN: Files = {"sitecustomize.py": "print('of the project')\n"}


# JD-3 CK-5
@pytest.mark.parametrize(
    ("files", "command", "before"),
    [
        (projects.PYTHON, "python3 -m pytest", (6, 1, 2, 0)),
        (projects.PYTHON, "cd . && pytest -p no:terminal", (6, 1, 2, 0)),
        ({**projects.PYTHON, **MAKE}, "make test", (6, 1, 2, 0)),
        ({**projects.PYTHON, **STRICT}, "PYTEST_ADDOPTS=-x pytest", (5, 1, 0, 3)),
        ({**projects.PYTHON, **STRICT}, "python3 -W error -m pytest", (6, 1, 2, 0)),
        (projects.UNITTEST, "python3 -m unittest", (2, 1, 1, 0)),
        (projects.UNITTEST, "python3 test_shop.py", (2, 1, 1, 0)),
        (projects.UNITTEST, "python3 -W error -m unittest -v test_shop", (2, 1, 1, 0)),
    ],
)
def test_python_s_runners_report_every_test(
    watched: Watched, files: Files, command: str, before: tuple[int, int, int, int]
) -> None:
    red = watched.run(files, command)
    assert (counted(red), red.green) == (before, False), red.output
    passed, failed, skipped, unrun = counted(watched.run({**files, **FIXED}, command))
    assert (passed, failed, unrun) == (before[0] + 1, 0, 0) if not before[3] else passed + skipped == sum(before)
    assert watched.judged(files, FIXED, command)[1] == ""


# JD-3
@pytest.mark.parametrize(
    ("files", "command", "before"),
    [
        (projects.JEST, "jest", (1, 1, 1, 0)),
        (projects.JEST, "npm test", (1, 1, 1, 0)),
        (projects.MOCHA, "npm test", (1, 1, 1, 0)),
        (projects.MOCHA, "mocha --parallel sum.spec.js", (1, 1, 1, 0)),
        (projects.MOCHA, "mocha --expose-gc sum.spec.js", (1, 1, 1, 0)),
        (projects.NODE, "npm test", (2, 1, 1, 0)),
        (projects.NODE, "node sum.test.js", (2, 1, 1, 0)),
    ],
)
def test_javascript_s_runners_report_every_test(
    with_npm: Watched, files: Files, command: str, before: tuple[int, int, int, int]
) -> None:
    red = with_npm.run(files, command)
    assert (counted(red), red.green) == (before, False), red.output
    after, why = with_npm.judged(files, SUM, command)
    assert (why, counted(after)) == ("", (before[0] + 1, 0, before[2], 0)), after.output


# JD-3
@pytest.mark.parametrize(
    ("files", "command"),
    [
        (projects.JEST, "jest -t adds"),
        (projects.MOCHA, "mocha --grep adds sum.spec.js"),
        (projects.MOCHA, "mocha --fgrep first --invert sum.spec.js"),
        (projects.MOCHA, "mocha --parallel --grep adds sum.spec.js"),
        (projects.NODE, "node --test --test-name-pattern adds"),
        (projects.PYTHON, "pytest -k total"),
    ],
)
def test_a_command_that_runs_a_part_of_the_tests_is_green_without_the_others(
    with_npm: Watched, files: Files, command: str
) -> None:
    """A run of the failing tests alone is one; with mocha it once was called not run to the end."""
    assert not with_npm.run(files, command).green
    after, why = with_npm.judged(files, FIXED if files is projects.PYTHON else SUM, command)
    assert (why, after.green, counted(after)[1]) == ("", True, 0), after.output


# JD-3
@pytest.mark.parametrize("config", ["", 'export default { test: { reporters: ["dot"], pool: "threads" } };\n'])
def test_vitest_reports_every_test_beside_the_reporters_of_its_configuration(with_npm: Watched, config: str) -> None:
    command = "mkdir node_modules; ln -s MODULES/* node_modules; vitest run"
    files = {**projects.VITEST, **({"vitest.config.js": config} if config else {})}
    assert counted(with_npm.run(files, command)) == (1, 1, 1, 0)
    fixed = {"sum.js": "export const sum = (a, b) => a + b;\n"}
    after, why = with_npm.judged(files, fixed, command)
    assert (why, counted(after)) == ("", (2, 0, 1, 0)), after.output
    after, why = with_npm.judged(files, fixed, f"{command} -t adds")
    assert (why, after.green) == ("", True), after.output


# JD-3
def test_a_test_file_that_node_could_not_read_is_well_once_it_is_read(watched: Watched) -> None:
    broken = {**projects.NODE, "sum.js": "exports.sum = (a, b) => a + b;\nexports.more = sun;\n"}
    red = watched.run(broken, "npm test")
    assert counted(red) == (0, 0, 0, 0), red.output
    after, why = watched.judged(broken, SUM, "npm test")
    assert (why, counted(after)) == ("", (3, 0, 1, 0)), after.output
    # And what can't be read any more is no better for having no failing test.
    half = {**projects.NODE, "other.test.js": "require('node:test')('other', () => { throw 1; });\n"}
    assert watched.judged(half, {**SUM, "other.test.js": "process.exit(0);\n"}, "npm test")[1] != ""


# JD-3
def test_node_with_a_reporter_of_its_own_is_counted_by_its_output(watched: Watched) -> None:
    red = watched.run(projects.NODE, "node --test --test-reporter=tap sum.test.js")
    assert red.tests is None
    assert "not ok" in red.output


# JD-3
@pytest.mark.parametrize("command", ["go test ./...", "go test -v .", "go test -run . -count 1"])
def test_go_s_runner_reports_every_test_and_prints_what_it_prints_without_us(watched: Watched, command: str) -> None:
    red = watched.run(projects.GO, command)
    assert counted(red) == (1, 2, 1, 0), red.output
    assert ("=== RUN" in red.output, "--- FAIL: TestAdds" in red.output) == ("-v" in command, True)
    after, why = watched.judged(projects.GO, {"shop.go": projects.GO["shop.go"].replace(" + 1", "")}, command)
    assert (why, counted(after)) == ("", (3, 0, 1, 0)), after.output


# JD-3
@pytest.mark.parametrize("command", ["cargo test --offline", "cargo test --offline -q", "cargo test -- --nocapture"])
def test_cargo_s_runner_reports_every_test(watched: Watched, command: str) -> None:
    red = watched.run(projects.RUST, command)
    assert counted(red) == (1, 1, 1, 0), red.output
    after, why = watched.judged(projects.RUST, {"src/lib.rs": projects.RUST["src/lib.rs"].replace(" + 1", "")}, command)
    assert (why, counted(after)) == ("", (2, 0, 1, 0)), after.output


# JD-3
@pytest.mark.parametrize(
    ("files", "command"), [(projects.PYTHON, "pytest -q"), (projects.UNITTEST, "python3 -m unittest")]
)
def test_reports_come_from_bubblewrap_and_from_landlock(on_each: Watched, files: Files, command: str) -> None:
    after, why = on_each.judged(files, FIXED, command)
    assert why == ""
    assert counted(after)[1:] in ((0, 2, 0), (0, 1, 0))


# JD-3
def test_what_a_command_sees_of_its_environment_is_what_it_would_see(watched: Watched) -> None:
    look = "import os, sys; print(os.environ.get('PYTHONPATH'), [p for p in sys.path if 'heal-tmp' in p])"
    seen = watched.run({"a.py": ""}, f'python3 -c "{look}"; export PYTHONPATH=x; python3 -c "{look}"')
    assert seen.output == "None []\nx []\n"
    assert "of the project" in watched.run(OWN, "PYTHONPATH=$PYTHONPATH:. python3 -c ''").output


# JD-3
def test_a_command_that_runs_no_tests_has_no_report(watched: Watched) -> None:
    assert watched.run(projects.PYTHON, "python3 -c 'import unittest, shop'").tests is None
    assert watched.run(projects.PYTHON, "pytest --version").tests is None
