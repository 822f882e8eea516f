"""One healing as a whole: every error has an ending, and nothing is claimed that was not seen."""

from dataclasses import replace

from healing.model import Outcome
from healing.sandbox.none import Unsafe
from tests.pipeline.bench import Bench, red_job

GREEN = {
    "calc.py": "def double(n):\n    return n * 2\n",
    "test_calc.py": "from calc import double\n\n\ndef test_double():\n    assert double(4) == 8\n",
}
PYTEST = "python -m pytest -q"
WORKFLOW = """
on: [pull_request]
jobs:
  tests:
    steps:
      - uses: actions/checkout@v4
      - {name: Install, run: pip install pytest}
      - {name: Lint, run: ruff check .}
      - {name: Pytest, run: python -m pytest -q}
"""


def every_error_ends_once(outcome: Outcome) -> bool:
    """CK-7's law."""
    ended = [r.error_id for r in outcome.resolutions]
    return sorted(ended) == sorted({e.id for e in outcome.errors})


# CK-7
async def test_a_missing_import_is_healed_free_and_every_error_has_a_resolution(bench: Bench) -> None:
    change = {"calc.py": "def double(n):\n    return math.prod((n, 2))\n"}
    outcome = await bench.heal(GREEN, change, PYTEST, "ruff check .")
    assert outcome.verdict == "healed"
    assert {r.how for r in outcome.resolutions} == {"fixer:missing_import"}
    assert every_error_ends_once(outcome)


# CK-7, LM-7
async def test_a_logic_failure_without_a_key_is_unfixable_with_what_asking_would_cost(bench: Bench) -> None:
    outcome = await bench.heal(GREEN, {"calc.py": "def double(n):\n    return n * 3\n"}, PYTEST)
    assert outcome.verdict == "not-healed"
    assert [u.reason for u in outcome.unfixables] == ["no-key"]
    assert outcome.spending.estimate_dollars > 0
    assert outcome.spending.calls == 0
    assert every_error_ends_once(outcome)


# CK-4
async def test_what_passes_on_the_untouched_tree_is_flaky_and_nothing_is_offered(bench: Bench) -> None:
    log = (
        b"##[group]Run python -m pytest -q\n##[endgroup]\n"
        b"=========================== short test summary info ============================\n"
        b"FAILED test_calc.py::test_double - assert 9 == 8\n1 failed in 0.01s\n"
        b"##[error]Process completed with exit code 1.\n"
    )
    jobs = (red_job("tests", ("Pytest", "failure"), log=log),)
    outcome = await bench.heal(GREEN, {"readme.md": "x\n"}, workflow=WORKFLOW, jobs=jobs)
    assert outcome.proposals == ()
    assert {r.how for r in outcome.resolutions} == {"flaky"}
    assert every_error_ends_once(outcome)


LONG = "on: push\njobs:\n  lint: {runs-on: ubuntu-latest, steps: [{name: Lint, run: python lint.py}]}\n"
# Prints two errors, and so much around the second one that it is cut out of what is read.
NOISY = (
    "pad = 'a.b c\\n' * 900_000\n"
    "print('calc.py:2:5: F821 undefined name `one`', pad, 'calc.py:6:5: F821 undefined name `two`', pad, sep='\\n')\n"
    "raise SystemExit(1)\n"
)


# CK-4 JD-3
async def test_what_may_be_in_output_that_was_not_read_is_not_called_flaky(bench: Bench) -> None:
    log = b"calc.py:2:5: F821 undefined name `one`\ncalc.py:6:5: F821 undefined name `two`\n"
    jobs = (red_job("lint", ("Lint", "failure"), log=log),)
    outcome = await bench.heal(GREEN | {"lint.py": ""}, {"lint.py": NOISY}, workflow=LONG, jobs=jobs)
    two = next(error for error in outcome.errors if "two" in error.message)
    assert {r.how.partition(":")[0] for r in outcome.resolutions if r.error_id == two.id} == {"unfixable"}
    assert [u.reason for u in outcome.unfixables if two.id in u.error_ids] == ["could-not-look"]
    assert every_error_ends_once(outcome)


MIXED = """
on: push
jobs:
  lint: {runs-on: ubuntu-latest, steps: [{name: Ruff, run: ruff check .}]}
  mac: {runs-on: macos-14, steps: [{name: Pytest, run: python -m pytest -q}]}
"""


# ENV-3, ENV-6
async def test_the_errors_of_a_job_that_can_not_run_here_are_not_called_flaky_beside_a_job_that_can(
    bench: Bench,
) -> None:
    log = b"=========================== short test summary info ============================\n"
    log += b"FAILED test_calc.py::test_double - assert 9 == 8\n1 failed in 0.01s\n"
    jobs = (red_job("lint"), red_job("mac", log=log))
    change = {"calc.py": "import os\n\n\ndef double(n):\n    return n * 3\n"}
    outcome = await bench.heal(GREEN, change, workflow=MIXED, jobs=jobs)
    ends = {r.error_id: r.how.partition(":")[0] for r in outcome.resolutions}
    assert {e.tool: ends[e.id] for e in outcome.errors} == {"ruff": "autofix", "pytest": "unfixable"}
    assert [u.reason for u in outcome.unfixables] == ["could-not-look"]
    assert every_error_ends_once(outcome)


OLD_FAILURE = {
    **GREEN,
    "old.py": "def half(n):\n    return n / 3\n",
    "test_old.py": "from old import half\n\n\ndef test_half():\n    assert half(4) == 2\n",
}


# IN-6
async def test_what_the_base_branch_has_too_is_set_aside_and_the_rest_is_healed(bench: Bench) -> None:
    change = {"calc.py": "def double(n):\n    return math.prod((n, 2))\n"}
    outcome = await bench.heal(OLD_FAILURE, change, PYTEST, on_pull=True)
    ended = {error.test: r.how for error in outcome.errors for r in outcome.resolutions if r.error_id == error.id}
    assert ended == {
        "test_calc.py::test_double": "fixer:missing_import",
        "test_old.py::test_half": "preexisting",
    }
    assert [p.edits[0].file for p in outcome.proposals] == ["calc.py"]
    assert every_error_ends_once(outcome)


# IN-6
async def test_a_pull_request_that_broke_nothing_itself_is_offered_nothing(bench: Bench) -> None:
    log = (
        b"=========================== short test summary info ============================\n"
        b"FAILED test_old.py::test_half - assert 1.3333333333333333 == 2\n1 failed, 1 passed in 0.01s\n"
    )
    jobs = (red_job("tests", log=log),)
    outcome = await bench.heal(OLD_FAILURE, {"readme.md": "x\n"}, PYTEST, jobs=jobs, on_pull=True)
    assert (outcome.proposals, {r.how for r in outcome.resolutions}) == ((), {"preexisting"})


# EX-2
async def test_the_same_error_in_many_jobs_is_one_error_seen_many_times(bench: Bench) -> None:
    log = b"##[group]Run ruff check .\n##[endgroup]\ncalc.py:1:8: F401 [*] `os` imported but unused\n"
    jobs = tuple(red_job(f"tests ({n})", ("Lint", "failure"), log=log) for n in range(6))
    outcome = await bench.heal(GREEN, {"readme.md": "x\n"}, workflow=WORKFLOW, jobs=jobs)
    assert [(e.code, outcome.sightings[e.id]) for e in outcome.errors] == [("F401", 6)]
    assert every_error_ends_once(outcome)


# EX-8
async def test_what_the_last_green_log_says_too_is_not_looked_for(bench: Bench) -> None:
    old, new = b"lib/old.py:3:1: F401 `re` imported but unused\n", b"calc.py:1:8: F401 `os` imported but unused\n"
    jobs = (replace(red_job("tests", ("Lint", "failure"), log=old + new), green_log=old),)
    outcome = await bench.heal(GREEN, {"readme.md": "x\n"}, workflow=WORKFLOW, jobs=jobs)
    assert [e.file for e in outcome.errors] == ["calc.py"]


# EX-9, CK-1
async def test_a_set_up_step_that_does_not_work_here_is_could_not_look(bench: Bench) -> None:
    workflow = WORKFLOW.replace("pip install pytest", "pip install no-such-thing-anywhere")
    jobs = (red_job("tests", ("Pytest", "failure")),)
    outcome = await bench.heal(GREEN, {"calc.py": "def double(n):\n    return n * 3\n"}, workflow=workflow, jobs=jobs)
    assert outcome.verdict == "could-not-look"
    assert any("set-up" in n.why for n in outcome.not_looked)
    assert outcome.proposals == ()


# CK-3
async def test_a_fix_that_would_break_a_green_check_of_the_same_workflow_is_not_offered(bench: Bench) -> None:
    # the only near fix by name would be fine for pytest; the lint guard is green before and has to stay so
    change = {"calc.py": "def double(n):\n    return math.prod((n, 2))\n"}
    jobs = (red_job("tests", ("Install", "success"), ("Lint", "success"), ("Pytest", "failure")),)
    workflow = WORKFLOW.replace("ruff check .", "test -z \"$(grep -l 'import math' calc.py)\" && ruff --version")
    outcome = await bench.heal(GREEN, change, workflow=workflow, jobs=jobs)
    assert outcome.proposals == ()
    assert outcome.verdict == "not-healed"
    assert every_error_ends_once(outcome)


# CK-3
async def test_what_ci_did_not_get_to_is_green_here_and_has_to_stay_so(bench: Bench) -> None:
    change = {
        "calc.py": "import math\n\n\ndef double(n):\n    return n * 2\n",  # Ruff takes the import away
        "test_calc.py": "import calc\n\n\ndef test_double():\n    assert calc.math and calc.double(4) == 8\n",
    }
    jobs = (red_job("tests", ("Install", "success"), ("Lint", "failure"), ("Pytest", "skipped")),)
    outcome = await bench.heal(GREEN, change, workflow=WORKFLOW, jobs=jobs)
    assert outcome.proposals == ()
    assert outcome.verdict == "not-healed"
    assert every_error_ends_once(outcome)


# WT-5
async def test_a_sandbox_that_is_switched_off_by_name_is_reported_in_the_outcome(bench: Bench) -> None:
    off = replace(bench, sandbox=Unsafe(bench.sandbox.owner))
    outcome = await off.heal(GREEN, {"calc.py": "def double(n):\n    return n * 3\n"}, PYTEST)
    assert any("there is no sandbox" in n.why for n in outcome.not_looked)


# WT-5
async def test_without_a_sandbox_nothing_is_run_and_it_is_reported(bench: Bench) -> None:
    log = b"FAILED test_calc.py::test_double - assert 12 == 8\n"
    jobs = (red_job("tests", ("Pytest", "failure"), log=log),)
    change = {"calc.py": "def double(n):\n    return n * 3\n"}
    outcome = await bench.heal(GREEN, change, workflow=WORKFLOW, jobs=jobs, sandboxed=False)
    assert outcome.verdict == "could-not-look"
    assert any("no sandbox" in n.why for n in outcome.not_looked)
    assert every_error_ends_once(outcome)


async def test_a_syntax_slip_that_hides_other_failures_is_still_healed_and_they_are_reported(bench: Bench) -> None:
    base = {**GREEN, "test_more.py": "from calc import double\n\n\ndef test_more():\n    assert double(1) == 2\n"}
    change = {"calc.py": "def double(n)\n    return n * 3\n"}
    outcome = await bench.heal(base, change, PYTEST)
    assert outcome.verdict == "partly"
    assert [p.source for p in outcome.proposals] == ["fixer:syntax_slip"]
    assert {e.test for e in outcome.errors if e.category == "test"} >= {"test_calc.py::test_double"}
    assert every_error_ends_once(outcome)


# CK-7
async def test_a_red_check_without_a_readable_error_is_reported_and_not_dropped(bench: Bench) -> None:
    outcome = await bench.heal(GREEN, {"x.txt": "x\n"}, "sh -c 'echo nothing to see; exit 3'")
    assert outcome.verdict == "not-healed"
    assert len(outcome.errors) == 1
    assert "exits 3" in outcome.errors[0].message
    assert [r.how.partition(":")[0] for r in outcome.resolutions] == ["unfixable"]
    assert every_error_ends_once(outcome)


# CL-5
async def test_the_same_failure_healed_twice_gives_the_same_outcome(bench: Bench) -> None:
    change = {"calc.py": "import os\n\n\ndef double(n):\n    return math.prod((n, 2))\n"}
    one, two = [await bench.heal(GREEN, change, PYTEST, "ruff check .") for _ in range(2)]
    assert [p.id for p in one.proposals] == [p.id for p in two.proposals]
    assert one.resolutions == two.resolutions


# AF-2
async def test_what_autofix_changed_is_one_commit_on_the_head_that_names_the_tools(bench: Bench) -> None:
    change = {"calc.py": "import os\n\n\ndef double( n ):\n    return n * 2\n"}
    outcome = await bench.heal(GREEN, change, "ruff check .", "black --check calc.py")
    assert {p.source for p in outcome.proposals} == {"autofix:ruff", "autofix:black"}
    assert outcome.base is not None
    assert bench.git.message(outcome.base) == "chore: autofix [black, ruff]"
    assert bench.git.parents(outcome.base) == ("0" * 40,)


# AF-2
async def test_what_two_tools_leave_in_the_same_lines_is_fixed_by_a_further_fix_that_needs_theirs(
    bench: Bench,
) -> None:
    # Ruff takes the import away; only then are the blank lines first in the file, where Black wants none
    change = {"calc.py": "import os\n\n\ndef double( n ):\n    return n * 2\n"}
    outcome = await bench.heal(GREEN, change, "ruff check .", "black --check calc.py")
    assert outcome.verdict == "healed"
    assert [bool(p.needs) for p in outcome.proposals] == [False, False, True]
