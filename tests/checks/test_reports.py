"""Report files that a check writes and doesn't print."""

import asyncio

import pytest

from healing.checks.check import CheckResult, Script, command_check
from healing.checks.errors_of import report_paths
from tests.pipeline.bench import Bench

JUNIT = (
    '<testsuite name="s" tests="1" failures="1"><testcase classname="test_a" name="test_x" file="test_a.py" line="3">'
    '<failure message="assert 1 == 2">test_a.py:4: AssertionError</failure></testcase></testsuite>\n'
)
TEST = {"test_a.py": "def test_x():\n    assert 1 == 2\n"}


def seen(bench: Bench, files: dict[str, str], command: str) -> CheckResult:
    (tree,) = bench.trees(files)
    return asyncio.run(bench.checker(tree).run(command_check(command), tree))


# EX-1
def test_what_only_a_report_file_tells_is_read(bench: Bench) -> None:
    result = seen(bench, TEST, "pytest -q --junitxml=out/junit.xml > /dev/null")
    assert [(e.test, e.source) for e in result.errors] == [("test_a.py::test_x", "report")]
    assert "assert 1 == 2" in result.errors[0].message


# EX-1
def test_what_is_printed_too_counts_once(bench: Bench) -> None:
    result = seen(bench, TEST, "pytest -q --junitxml=junit.xml")
    assert [(e.test, e.source) for e in result.errors] == [("test_a.py::test_x", "log")]


# EX-1
def test_what_a_linter_writes_to_a_file_is_read(bench: Bench) -> None:
    for command in (
        "ruff check --isolated --output-format=sarif --output-file ruff.sarif .",
        "ruff check --isolated --output-format=json . > ruff.json",
    ):
        result = seen(bench, {"a.py": "import os\n"}, command)
        assert [(e.file, e.line, e.code) for e in result.errors] == [("a.py", 1, "F401")], command


@pytest.mark.parametrize(
    "command",
    [
        "exit 1 # --junitxml=junit.xml",  # stale: it lies in the repository
        "rm junit.xml; ln -s /etc/passwd junit.xml; false --junitxml=junit.xml",
        "rm junit.xml; mkfifo junit.xml; false --junitxml=junit.xml",
        "rm junit.xml; mkdir junit.xml; false --junitxml=junit.xml",
        "head -c 20000000 /dev/zero > junit.xml; false --junitxml=junit.xml",
        "false --junitxml=../junit.xml",
        "cp junit.xml other.xml; true --junitxml=other.xml",
    ],
)
def test_nothing_else_than_a_file_that_this_step_wrote_is_read(bench: Bench, command: str) -> None:
    result = seen(bench, {"junit.xml": JUNIT}, command)
    assert [e for e in result.errors if e.source == "report"] == []


@pytest.mark.parametrize(
    ("run", "cwd", "paths"),
    [
        ("pytest --junitxml=a.xml --junit-xml b.xml", ".", ("a.xml", "b.xml")),
        ("npx eslint -f json -o out/e.json .\njest --outputFile=j.json", "web", ("web/out/e.json", "web/j.json")),
        ("golangci-lint run > /tmp/x.json; x 2> e.json; y >> z.json", ".", ("z.json",)),
        ("pytest --junitxml=/etc/x.xml --junitxml=../../x.xml --junitxml=x.txt 'open", ".", ()),
        (" ".join(f"--out {n}.json" for n in range(99)), ".", tuple(f"{n}.json" for n in range(5))),
    ],
)
def test_which_files_a_command_names(run: str, cwd: str, paths: tuple[str, ...]) -> None:
    assert report_paths(Script(name="", run=run, cwd=cwd)) == paths
