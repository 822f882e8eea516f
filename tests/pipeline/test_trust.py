"""Where a check's red and its green say something about the code, and where only about the machine it ran on."""

import os
from pathlib import Path

import pytest

from healing.checks.canary import why_no_evidence
from healing.checks.check import command_check
from healing.checks.versions import minimum_versions, older
from healing.failed_jobs import FailedJob
from healing.model import NotChecked, Outcome
from healing.steps import MemorySteps
from healing.view import DictView
from tests.pipeline.bench import Bench, Files, red_job
from tests.pipeline.test_pipeline import GREEN, PYTEST, every_error_ends_once

# What is only on CI's machine, as a licence or a locale is: here a test that wants it fails, whatever the code says.
LICENCE = """\
import pathlib


def test_licence():
    assert pathlib.Path("/opt/licence").exists()
"""
SOLD = {**GREEN, "test_sold.py": LICENCE}
SLIP = {"calc.py": "def double(n):\n    return math.prod((n, 2))\n"}
WORKFLOW = """
on: [pull_request, push]
jobs:
  tests:
    runs-on: ubuntu-latest
    steps:
      - {name: Lint, run: ruff check .}
      - {name: Pytest, run: python -m pytest -q}
"""


SUMMARY = "=========================== short test summary info ============================\n"


def job_log(*failed: str) -> FailedJob:
    """The job as CI ended it: these tests failed."""
    lines = "".join(f"FAILED {line}\n" for line in failed)
    log = f"##[group]Run {PYTEST}\n##[endgroup]\n{SUMMARY}{lines}{len(failed)} failed in 0.1s\n"
    log += "##[error]Process completed with exit code 1.\n"
    return red_job("tests", ("Lint", "success"), ("Pytest", "failure"), log=log.encode())


DOUBLE = "test_calc.py::test_double - NameError: name 'math' is not defined"
TAX = "test_tax.py::test_tax - assert 19 == 20"


def differing(outcome: Outcome) -> list[NotChecked]:
    return [one for one in outcome.not_looked if "environment" in one.why]


async def healed(bench: Bench, base: Files, change: Files, *jobs: FailedJob, on_pull: bool = True) -> Outcome:
    outcome = await bench.heal(base, change, workflow=WORKFLOW, jobs=jobs, on_pull=on_pull, was_green=not on_pull)
    assert every_error_ends_once(outcome)
    return outcome


# ENV-3
@pytest.mark.parametrize("on_pull", [True, False], ids=["the base branch", "the last green commit"])
async def test_red_that_ci_does_not_tell_and_that_the_commit_before_shows_here_too_is_no_verdict(
    bench: Bench, on_pull: bool
) -> None:
    outcome = await healed(bench, SOLD, {"readme.md": "x\n"}, job_log(TAX), on_pull=on_pull)
    assert outcome.verdict == "could-not-look"
    assert outcome.proposals == ()
    (one,) = differing(outcome)
    assert one.what == "tests / Pytest"
    assert "differs from CI's" in one.why
    assert "licence" in one.why
    assert "assert 19 == 20" in one.why, "the difference is named from both sides"
    assert "`setup:`" in one.advice
    assert [u.reason for u in outcome.unfixables] == ["could-not-look"]
    assert {e.test for e in outcome.errors} == {"test_tax.py::test_tax"}, "what is only here is nobody's error"


# ENV-3, IN-6
async def test_red_that_ci_tells_and_that_the_base_has_too_was_there_before(bench: Bench) -> None:
    licence = "test_sold.py::test_licence - AssertionError: assert False"
    outcome = await healed(bench, SOLD, {"readme.md": "x\n"}, job_log(licence))
    assert differing(outcome) == []
    assert {r.how for r in outcome.resolutions} == {"preexisting"}


# ENV-3
async def test_red_that_ci_tells_on_a_commit_whose_parent_was_green_is_a_matter_of_the_code(bench: Bench) -> None:
    licence = "test_sold.py::test_licence - AssertionError: assert False"
    outcome = await healed(bench, SOLD, {"readme.md": "x\n"}, job_log(licence), on_pull=False)
    assert differing(outcome) == []
    assert [u.reason for u in outcome.unfixables] == ["no-key"]


# ENV-3
async def test_red_that_ci_tells_in_other_words_counts_where_the_base_is_green(bench: Bench) -> None:
    outcome = await healed(bench, GREEN, SLIP, job_log(TAX))
    assert [p.source for p in outcome.proposals] == ["fixer:missing_import"]
    assert differing(outcome) == []


# ENV-3
async def test_beside_what_ci_tells_what_is_only_here_is_left_out_and_named(bench: Bench) -> None:
    outcome = await healed(bench, SOLD, SLIP, job_log(DOUBLE))
    assert [p.source for p in outcome.proposals] == ["fixer:missing_import"]
    assert {e.test for e in outcome.errors} == {"test_calc.py::test_double"}
    (one,) = differing(outcome)
    assert "an error shows here, on the base commit too" in one.why


# ENV-3
async def test_what_ci_did_not_come_to_is_not_denied_by_its_log(bench: Bench) -> None:
    log = b"##[group]Run ruff check .\n##[endgroup]\ncalc.py:1:8: F401 [*] `os` imported but unused\n"
    job = red_job("tests", ("Lint", "failure"), ("Pytest", "skipped"), log=log)
    change = {"calc.py": "import os\n\n\ndef double(n):\n    return math.prod((n, 2))\n"}
    outcome = await healed(bench, GREEN, change, job)
    assert {p.source for p in outcome.proposals} == {"fixer:ruff", "fixer:missing_import"}
    assert differing(outcome) == []


# ENV-3, CK-4
async def test_of_a_check_that_does_not_reproduce_no_error_is_called_flaky(bench: Bench) -> None:
    log = f"calc.py:1:8: F401 [*] `os` imported but unused\n{SUMMARY}FAILED {TAX}\n1 failed in 0.1s\n"
    job = red_job("tests", log=log.encode())
    change = {"calc.py": "import os\n\n\ndef double(n):\n    return n * 2\n"}
    bare = {**GREEN, "test_calc.py": LICENCE}
    outcome = await bench.heal(bare, change, "ruff check .", PYTEST, jobs=(job,), on_pull=True)
    ends = {e.tool: r.how.partition(":")[0] for e in outcome.errors for r in outcome.resolutions if r.error_id == e.id}
    assert ends == {"ruff": "autofix", "pytest": "unfixable"}
    assert every_error_ends_once(outcome)


# ENV-3, ENV-7
async def test_a_module_that_is_missing_here_is_named_with_the_line_for_the_configuration(bench: Bench) -> None:
    wants = {"pyproject.toml": '[project]\ndependencies = ["pricing>=1"]\n'}
    test = "import pricing\n\n\ndef test_price():\n    assert pricing.ONE == 1\n"
    base = {**GREEN, **wants, "test_price.py": test}
    outcome = await healed(bench, base, SLIP, job_log(TAX))
    assert outcome.verdict == "could-not-look"
    (one,) = differing(outcome)
    assert "pricing is not installed" in one.why
    assert one.advice == ".github/heal.yml: setup: [pip install pricing]"


# ENV-4, ENV-5
async def test_green_of_a_copy_that_heals_own_tools_brought_is_not_called_luck(bench: Bench) -> None:
    own = {
        "src/iniconfig/__init__.py": "def parse(text):\n    return text.split()\n",
        "test_ini.py": "import iniconfig\n\n\ndef test_there():\n    assert iniconfig.IniConfig\n",
    }
    broken = {"src/iniconfig/__init__.py": "def parse(text)\n    return text.split()\n"}
    log = f"{SUMMARY}FAILED test_ini.py::test_there - AttributeError: no IniConfig\n1 failed in 0.1s\n"
    job = red_job("tests", log=log.encode())
    outcome = await bench.heal(own, broken, PYTEST, jobs=(job,), on_pull=True)
    assert outcome.verdict == "could-not-look"
    assert outcome.retryable == ()
    (one,) = differing(outcome)
    assert "tests something else" in one.why
    assert one.advice.startswith(".github/heal.yml: setup: [pip install -e .]")
    assert every_error_ends_once(outcome)


# ENV-5
def test_a_program_that_is_installed_later_makes_another_environment(bench: Bench, tmp_path: Path) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    before = bench.toolchain.with_programs((folder,)).key()
    assert before == bench.toolchain.with_programs((folder,)).key()
    (folder / "shopcheck").write_text("#!/bin/sh\n")
    os.utime(folder, (1, 1))
    after = bench.toolchain.with_programs((folder,)).key()
    assert len({before, after, bench.toolchain.key()}) == 3


# ENV-4
async def test_what_is_shown_of_a_check_is_asked_once_for_all_runs_in_one_environment(bench: Bench) -> None:
    shown = MemorySteps()
    ran = []
    for change in ({"readme.md": "x\n"}, {"readme.md": "y\n"}):
        _, head = bench.trees(GREEN, change)
        checker = bench.checker(head)
        checker.shown = shown
        assert await why_no_evidence(checker, command_check(PYTEST), head) == ""
        ran.append(len(checker.seconds))
    assert ran == [1, 0]


# ENV-3
@pytest.mark.parametrize(
    ("name", "text", "declares"),
    [
        ("pyproject.toml", '[project]\nname = "sold"\nversion = "1"\nrequires-python = ">=3.99"\n', "Python 3.99"),
        ("setup.cfg", "[options]\npython_requires = >=3.98, <4\n", "Python 3.98"),
    ],
)
async def test_red_with_a_language_that_is_older_than_the_repository_asks_for_is_of_the_version(
    bench: Bench, name: str, text: str, declares: str
) -> None:
    outcome = await healed(bench, {**SOLD, name: text}, SLIP | {"calc.py": GREEN["calc.py"] + "\n"}, job_log(TAX))
    assert outcome.verdict == "could-not-look"
    (one,) = differing(outcome)
    assert f"{name} asks for {declares} or newer, the environment that was made here has 3." in one.why
    assert one.advice.startswith("Name the version of Python in the workflow")


# ENV-3
@pytest.mark.parametrize(
    ("manifest", "text", "file", "least"),
    [
        ("package.json", '{"engines": {"npm": ">=9", "node": "^18.18.0 || >=20"}}', "a.mjs", "18.18.0"),
        ("package.json", '{"engines": {"node": "*"}}', "a.js", ""),
        ("package.json", '{"engines": {"node": ">=20"}}', "a.py", ""),
        ("go.mod", "module m\n\ngo 1.23.1\n", "a/b.go", "1.23.1"),
        ("Cargo.toml", '[package]\nrust-version = "1.80"\n', "src/lib.rs", "1.80"),
        ("pyproject.toml", '[project]\nrequires-python = "<4,>=3.10"\n', "a.py", "3.10"),
        ("pyproject.toml", '[project]\nrequires-python = "<4"\n', "a.py", ""),
        ("setup.py", 'setup(name="a", python_requires="~=3.9")\n', "a.pyi", "3.9"),
    ],
)
def test_the_oldest_version_that_a_repository_works_with_is_read_from_its_files(
    manifest: str, text: str, file: str, least: str
) -> None:
    found = minimum_versions(DictView({manifest: text.encode()}), [file])
    assert [one.version for one in found] == ([least] if least else [])
    assert older("1.79.0", "1.80")
    assert not older("3.10.1", "3.10")
    assert not older("3.10", "3.9.1")


# ENV-3
async def test_what_a_fix_brings_to_light_and_the_base_shows_too_is_not_this_changes(bench: Bench) -> None:
    old = "\n\ndef test_old():\n    assert double(1) == 3\n"
    base = {**GREEN, "test_calc.py": GREEN["test_calc.py"] + old}
    change = {"calc.py": "LIMIT = math.inf\n\n\n" + GREEN["calc.py"]}
    outcome = await bench.heal(base, change, PYTEST, on_pull=True)
    assert [one.source for one in outcome.proposals] == ["fixer:missing_import"]
    assert [one.how for one in outcome.resolutions] == ["fixer:missing_import", "preexisting"]
    assert outcome.unfixables == ()
    assert every_error_ends_once(outcome)


FEED = "import os\n\nfrom urls import key\n\n\ndef load():\n    return os.environ[key()]\n"
READS = "from feed import load\n\n\ndef test_load():\n    assert load()\n"


# ENV-3
async def test_a_test_that_is_red_before_and_now_for_another_reason_is_neither_the_bases_nor_fixed(
    bench: Bench,
) -> None:
    """It was said to fail "in the same way on the base commit", or counted as the base's with a healed verdict."""
    base = {**GREEN, "feed.py": FEED, "urls.py": "def key():\n    return 'FEED_URL'\n", "test_feed.py": READS}
    broken = {"urls.py": "def key():\n    return None\n"}
    alone = await bench.heal(base, broken, PYTEST, on_pull=True)
    assert [one.reason for one in alone.unfixables] == ["red-before"]
    assert "KeyError: 'FEED_URL'" in alone.unfixables[0].why
    assert (alone.verdict, alone.not_looked) == ("not-healed", ())
    beside = await bench.heal(base, {**broken, **SLIP}, PYTEST, on_pull=True)
    assert ([p.source for p in beside.proposals], beside.verdict) == (["fixer:missing_import"], "partly")
    assert [one.reason for one in beside.unfixables] == ["red-before"]
    assert every_error_ends_once(beside)


# ENV-3
async def test_one_error_more_of_a_kind_that_the_base_has_in_the_same_file_is_the_changes(bench: Bench) -> None:
    base = {**GREEN, "old.py": "def f():\n    x = 1\n\n\n", "pyproject.toml": "[tool.ruff.lint]\nselect = ['F841']\n"}
    more = {"old.py": base["old.py"] + "def g():\n    x = 1\n"}
    outcome = await bench.heal(base, more, "ruff check .", on_pull=True)
    assert not any(one.how == "preexisting" for one in outcome.resolutions)
