"""`heal check` and `heal plan`: what CI runs, run here; nothing changes, and a stored answer says how old it is."""

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Heal, everything, git, make_clone
from tests.cli.shop import GREEN


# CLI-2, CLI-3
def test_without_an_argument_the_workflows_jobs_are_run_and_a_stored_answer_says_its_age(
    heal: Heal, broken: Path
) -> None:
    before, status = everything(broken), git(broken, "status", "--porcelain")
    result = heal("check", cwd=broken / "shop")
    assert result.code == 1, result.err
    lines = result.out.splitlines()
    assert "shop/bill.py:5:8: Undefined name `fromat_cents`  [ruff F821]" in lines
    assert "shop/label.py:3:8: `json` imported but unused  [ruff F401]" in lines
    assert any(line.startswith("red  lint / Ruff: exit code 1 after ") for line in lines)
    assert any(line.startswith("ok   tests / Unit tests: exit code 0 after ") for line in lines)
    assert result.err.splitlines() == ["· Preparing the sandbox", "· Running lint / Ruff, tests / Unit tests"]

    # WT-1: the same code, so the same answer, and how old it is
    again = heal("check", "--json", cwd=broken)
    assert again.code == 1
    assert {json.loads(line)["tool"] for line in again.out.splitlines()} == {"ruff"}
    age = r"heal: 2 of 2 results stored for this very code, up to \d+ s old; --fresh runs the checks again"
    assert re.fullmatch(age, again.err.splitlines()[-1])
    reported = heal("check", "--job", "tests", "--quiet", cwd=broken)
    assert re.search(r" \(stored \d+ s ago; --fresh runs it again\)$", reported.out)
    fresh = heal("check", "--fresh", "--job", "lint", "--quiet", cwd=broken)
    assert (fresh.code, fresh.err) == (1, "")
    assert "stored" not in fresh.out
    assert "Unit tests" not in fresh.out

    assert everything(broken) == before
    assert git(broken, "status", "--porcelain") == status


# CLI-2
def test_each_named_command_is_run_and_one_red_one_is_enough(heal: Heal, broken: Path) -> None:
    both = heal("check", "--run", "ruff check shop", "--run", "python -m unittest -q", "--quiet", cwd=broken)
    assert both.code == 1
    assert [line.partition(":")[0] for line in both.out.splitlines() if line.startswith(("red ", "ok "))] == [
        "red  ruff check shop",
        "ok   python -m unittest -q",
    ]


def test_a_named_command_is_run_in_place_of_the_workflows(heal: Heal, broken: Path) -> None:
    result = heal("check", "--run", "python -m unittest -q", "--json", cwd=broken)
    assert (result.code, result.out) == (0, "")
    unread = heal("check", "--run", "echo nothing to see; exit 7", "--json", "--quiet", cwd=broken)
    assert unread.code == 3  # it says the same on the commit below: nothing of these files
    assert "it fails in the same way on the base commit" in json.loads(unread.err)["error"]
    shown = heal("check", "--run", "echo nothing to see; exit 7", "--quiet", cwd=broken)
    assert "     | nothing to see" in shown.out.splitlines(), "what it printed says what is missing"


# ENV-1
@pytest.mark.parametrize("before", ["ls nothing-of-this-name", "yes | head -1", "false\nfalse | true"])
def test_what_somebody_types_goes_on_after_a_command_that_fails_as_at_their_prompt(
    heal: Heal, broken: Path, before: str
) -> None:
    result = heal("check", "--run", f"{before}; python -m unittest -q", cwd=broken)
    assert result.code == 0, result.out + result.err


def test_the_end_of_the_output_is_shown_where_the_base_commit_says_the_same(heal: Heal, broken: Path) -> None:
    command = "echo E: no route to the registry; python3 -c 'assert not \"a registry\"'"
    result = heal("check", "--run", command, cwd=broken)
    assert result.code == 3, result.err
    assert "it fails in the same way on the base commit" in result.out
    assert "     | E: no route to the registry" in result.out.splitlines()


def test_an_error_is_not_said_to_be_the_base_commits_where_that_fails_in_another_way(heal: Heal, broken: Path) -> None:
    (broken / "shop" / "flag.txt").write_text("set\n")
    command = "ls shop/*.txt >/dev/null 2>&1 && echo 'shop/bill.py:5:8: F821 Undefined name `fromat_cents`'; exit 7"
    result = heal("check", "--run", command, cwd=broken)
    assert result.code == 3, result.err
    assert "in the same way" not in result.out
    assert "the base commit is red here too, with output in which nothing could be read as an error" in result.out


def test_a_check_that_fails_without_an_error_that_can_be_read_shows_the_end_of_its_output(
    heal: Heal, broken: Path
) -> None:
    (broken / "shop" / "flag.txt").write_text("set\n")
    command = "test ! -e shop/flag.txt || { seq 1 40; echo the flag may not be set; exit 7; }"
    result = heal("check", "--run", command, cwd=broken)
    assert result.code == 1, result.err
    assert "     | the flag may not be set" in result.out.splitlines()
    assert "     | 40" in result.out.splitlines()
    assert "     | 20" not in result.out.splitlines()
    reported = heal("run", "--run", command, cwd=broken, ANTHROPIC_API_KEY="")
    assert "     | the flag may not be set" in reported.out.splitlines(), "the report of a run shows it too"


# OP-12
def test_an_unsafe_sandbox_is_said_whatever_is_asked_for_and_only_its_setting_chooses_it(
    heal: Heal, broken: Path
) -> None:
    run = ("--run", "true", "--quiet", "--fresh")
    for words in (("check", *run), ("check", "--json", *run), ("plan", *run), ("run", *run)):
        result = heal(*words, cwd=broken, HEAL_SANDBOX="unsafe")
        assert "heal: HEAL_SANDBOX=unsafe: there is no sandbox" in result.err
        assert "unsafe" not in heal(*words, cwd=broken, SANDBOX="unsafe").err


# OP-7
def test_a_broken_heal_yml_is_named_beside_a_command_of_ones_own(heal: Heal, room: Path) -> None:
    clone = make_clone(room / "warned-config", GREEN, {".github/heal.yml": "chekcs: [true]\n"})
    result = heal("check", "--run", "python3 -m compileall -q -f .", cwd=clone)
    assert result.code == 0
    assert result.err.count(".github/heal.yml: ") == 1
    assert "unknown key `chekcs`; did you mean `checks`? The defaults apply." in result.err


# OP-12
def test_a_misspelt_setting_is_named_at_the_start_of_any_command(heal: Heal, broken: Path) -> None:
    result = heal("list", cwd=broken, HEAL_SANDBX="unsafe")
    assert "HEAL_SANDBX is set, but Heal has no such setting" in result.err
    assert "did you mean HEAL_SANDBOX?" in result.err


# CLI-1, EX-9
def test_what_can_not_be_looked_at_is_neither_healthy_nor_red(heal: Heal, room: Path) -> None:
    bad = "jobs:\n  lint:\n    steps:\n      - run: exit 4\n      - run: ruff check .\n"
    clone = make_clone(room / "could-not-look", GREEN, {".github/workflows/ci.yml": bad})
    result = heal("check", "--json", "--quiet", cwd=clone)
    assert (result.code, result.out) == (3, "")
    assert json.loads(result.err)["error"] == (
        "lint / Run ruff check .: its set-up does not work here: set-up step 1 ended with exit code 4. Try: heal check "
        "--run 'ruff check .'"
    )
    shown = heal("check", cwd=clone)
    assert shown.code == 3
    assert "its set-up does not work here: set-up step 1 ended with exit code 4" in shown.out
    assert shown.err.splitlines()[-1].endswith("a check could not be run here (marked ???)"), "said once"


MATRIX = """\
on: push
jobs:
  one:
    name: says ${{ matrix.word }}
    strategy: {matrix: {word: [yes-please, no-thanks], os: [ubuntu-latest, windows-latest]}}
    runs-on: ${{ matrix.os }}
    steps:
      - uses: ./prepare
        with: {word: "${{ matrix.word }}"}
      - name: Look
        run: test "$WORD" = yes-please && python3 -m compileall -q -f .
      - name: Tell
        run: echo "${{ matrix.word }}" && exit 5
"""
PREPARE = """\
inputs: {word: {default: none}}
runs:
  using: composite
  steps:
    - run: echo "WORD=${{ inputs.word }}" >> "$GITHUB_ENV"
      shell: bash
"""


# CK-1, CLI-1
def test_a_step_of_a_workflow_file_is_run_again_with_its_matrix_and_what_came_before_it(heal: Heal, room: Path) -> None:
    files = {".github/workflows/words.yml": MATRIX, "prepare/action.yml": PREPARE, **GREEN}
    clone = make_clone(room / "matrix", files, {})
    step = ("check", "--quiet", "--workflow", ".github/workflows/words.yml", "--job", "one", "--step", "Look")
    linux = (*step, "--matrix", "os=ubuntu-latest")
    assert heal(*linux, "--matrix", "word=yes-please", cwd=clone).code == 0
    red = heal(*linux, cwd=clone)  # several combinations fit: all are run
    assert red.code == 1
    assert "ok   says yes-please / Look" in red.out
    assert "red  says no-thanks / Look: exit code 1" in red.out
    elsewhere = heal(*step, "--matrix", "os=windows-latest", cwd=clone)
    assert elsewhere.code == 3
    assert "it runs on windows-latest, and Heal's sandbox is Linux (.github/workflows/words.yml:6)" in elsewhere.err
    last = heal("check", "--workflow", "words", "--job", "says yes-please", "--step", "3", "--json", "-q", cwd=clone)
    assert last.code == 1
    assert json.loads(last.out)["message"].startswith("`Tell` exits 5")


# CLI-1, UX-3
def test_what_is_asked_in_a_wrong_way_is_answered_with_the_right_one(heal: Heal, broken: Path) -> None:
    bad = heal("check", "--matrix", "python", cwd=broken)
    assert (bad.code, "--matrix KEY=VALUE" in bad.err) == (2, True)
    both = heal("check", "--run", "true", "--job", "lint", cwd=broken)
    assert (both.code, "without --workflow, --job" in both.err) == (2, True)
    twice = heal("check", "--job", "lint", "--job", "tests", cwd=broken)
    assert (twice.code, "'--job': it is given twice" in twice.err) == (2, True)
    empty = heal("check", "--run", " ", cwd=broken)
    assert (empty.code, "--run is given no command" in empty.err) == (2, True)
    none = heal("check", "--job", "nosuch", "--quiet", cwd=broken)
    assert (none.code, "jobs are: lint, tests" in none.err) == (3, True)


# CLI-2, AG-8, LM-6
def test_a_plan_adds_causes_clusters_routing_and_cost_and_spends_nothing(heal: Heal, broken: Path) -> None:
    result = heal("plan", "--json", "--quiet", cwd=broken)
    assert (result.code, result.err) == (1, "")
    plan = json.loads(result.out)
    assert {e["code"] for e in plan["errors"]} == {"F401", "F821"}
    assert len(plan["causes"]) == 4
    assert {"id", "causes", "error_ids", "zone", "phase", "agent"} <= plan["clusters"][0].keys()
    assert plan["estimate_dollars"] > 0
    assert plan["not_looked"] == []
    for cluster in plan["clusters"]:
        best = cluster["routing"]["scores"][0]
        assert {"capability", "success", "specialisation", "complexity", "confidence"} <= best.keys()
        assert cluster["agent"] in {best["specialist"], "generalist"}
        assert cluster["estimate"]["calls"] >= 4 * len(cluster["causes"])
    assert plan["model"] == "claude-sonnet-5-5"
    assert plan["estimate_calls"] == sum(cluster["estimate"]["calls"] for cluster in plan["clusters"])
    left = {limit["whose"]: limit.get("left") for limit in plan["limits"]}
    assert left == {"this run's": 10.0, "this repository's monthly": 200.0, "this pull request's": None}
    result = heal("plan", cwd=broken)
    jargon = re.compile(r"cluster|phase|specialist|capability|root cause|autofix|fixers|routing|past success|heal:")
    assert jargon.findall(result.out) == []
    assert re.match(r"\d+ errors? from \d+ causes?\n", result.out)
    assert re.search(
        r"^shop/bill.py.*: about \d+ model calls, \$\d+\.\d\d \([a-z ]+ agent\)$", result.out, re.MULTILINE
    )
    assert "Budget left: $10.00 of this run's $10.00, $200.00 of this repository's monthly $200.00" in result.out
    green = heal("plan", "--run", "python -m unittest -q", cwd=broken)
    assert (green.code, green.out) == (0, "nothing to fix: no check that was run shows an error\n")
    unseen = heal("plan", "--run", "echo nothing to see; exit 7", cwd=broken)
    assert (unseen.code, unseen.out) == (3, ""), "what could not be run says nothing of the code"


# JD-1
def test_explain_says_what_files_are_for_when_a_fix_is_proven(heal: Heal, broken: Path) -> None:
    result = heal("explain", "shop/bill.py", ".github/workflows/ci.yml", cwd=broken)
    assert (result.code, result.err) == (0, "")
    assert [line.partition(": ")[0] for line in result.out.splitlines()] == [
        "shop/bill.py  is source of the product",
        ".github/workflows/ci.yml  decides what is run, or how it is counted",
    ]
    reported = heal("explain", "shop/bill.py", "--json", "--run", "ruff check .", cwd=broken)
    assert json.loads(reported.out)["role"] == "product", reported.err
    missing = heal("explain", "nowhere.py", cwd=broken)
    assert missing.code == 2
    assert "nowhere.py is not in this clone" in missing.err


# CLI-2 UX-3
def test_a_plan_for_errors_that_name_no_file_says_so(heal: Heal, room: Path) -> None:
    clone = make_clone(room / "no-file", {"tool.sh": "exit 0\n"}, {"tool.sh": "echo error: it broke >&2; exit 1\n"})
    result = heal("plan", "--run", "sh tool.sh", cwd=clone)
    assert result.code == 1, result
    assert re.search(r"^errors that name no file: about \d+ model calls, ", result.out, re.MULTILINE), result


# CLI-3 UX-3
@pytest.mark.parametrize("word", ["check", "plan", "run"])
def test_where_no_check_is_known_the_way_out_is_the_command_that_was_typed(heal: Heal, room: Path, word: str) -> None:
    clone = make_clone(room / f"no-check-{word}", {"notes.txt": "one\n"}, {})
    result = heal(word, cwd=clone)
    assert result.code == 3, result
    assert f"name a command: heal {word} --run CMD, or `checks:`" in result.err
