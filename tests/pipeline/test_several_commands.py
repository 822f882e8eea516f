"""A step of several commands: CI stops at the first that fails, and what the others would say is known all the same."""

from healing.model import Outcome
from tests.pipeline.bench import Bench, Files, red_job
from tests.pipeline.test_pipeline import GREEN, every_error_ends_once

WORKFLOW = """
on: [pull_request, push]
jobs:
  tests:
    runs-on: ubuntu-latest
    steps:
      - name: Check
        run: |
          ruff check .
          python -m pytest -q
"""
LINT = "calc.py:1:8: F401 [*] `os` imported but unused\n"
UNUSED = {"calc.py": "import os\n\n\ndef double(n):\n    return n * 2\n"}
ONLY_IN_CI = "import pathlib\n\n\ndef test_licence():\n    assert pathlib.Path('/opt/licence').exists()\n"


async def healed(bench: Bench, base: Files, change: Files, log: str = LINT) -> Outcome:
    text = f"##[group]Run ruff check .\n##[endgroup]\n{log}##[error]Process completed with exit code 1.\n"
    job = red_job("tests", ("Check", "failure"), log=text.encode())
    outcome = await bench.heal(base, change, workflow=WORKFLOW, jobs=(job,), on_pull=True)
    assert every_error_ends_once(outcome)
    return outcome


# ENV-3, CK-5
async def test_what_a_later_command_says_of_the_base_too_keeps_no_fix_of_an_earlier_one_away(bench: Bench) -> None:
    outcome = await healed(bench, {**GREEN, "test_sold.py": ONLY_IN_CI}, UNUSED)
    assert [p.source for p in outcome.proposals] == ["autofix:ruff"]
    (one,) = outcome.not_looked
    assert one.what == "tests / Check (python -m pytest -q)"
    assert "fails in the same way on the base commit" in one.why
    assert "licence" in one.why


# CK-5
async def test_a_fix_that_breaks_what_a_later_command_looks_at_is_refused(bench: Bench) -> None:
    uses = "import calc\n\n\ndef test_it():\n    assert calc.os.sep == '/'\n"
    outcome = await healed(bench, {**GREEN, "test_use.py": uses, **UNUSED}, {**UNUSED, "readme.md": "x\n"})
    assert outcome.proposals == ()


# CK-5, EX-12
async def test_what_a_later_command_would_have_said_is_fixed_in_the_same_run(bench: Bench) -> None:
    slip = {"calc.py": "import os\n\n\ndef double(n):\n    return math.prod((n, 2))\n"}
    outcome = await healed(bench, GREEN, slip, LINT + "calc.py:5:12: F821 Undefined name `math`\n")
    assert {e.tool for e in outcome.errors} >= {"ruff", "pytest"}
    assert all("unfixable" not in r.how for r in outcome.resolutions)
