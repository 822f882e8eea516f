"""`heal config check`: can Heal reproduce my CI? Job by job, with the reason and the line of heal.yml that mends it."""

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Heal, everything, make_clone, write
from tests.cli.shop import BROKEN, GREEN

FILE = ".github/workflows/ci.yml"
MIXED = """\
name: CI
jobs:
  lint: {steps: [{name: Ruff, run: ruff check .}]}
  queue:
    services: {queue: {image: "rabbitmq:3", ports: ["5672:5672"]}}
    steps: [{name: Tests, run: python -m unittest -q}]
  package:
    steps:
      - run: pip install no-such-package-of-anybody
      - {name: Types, working-directory: shop, run: ruff check .}
  secret: {steps: [{name: Told, run: "ruff check ${{ secrets.WHERE }}"}]}
  deploy: {steps: [{uses: acme/deploy@v1}]}
"""


# CK-8, CLI-1
def test_a_repository_whose_jobs_all_run_here_is_reproducible(heal: Heal, room: Path) -> None:
    clone = make_clone(room / "reproducible", GREEN, {})
    before = everything(clone)
    result = heal("config", "check", cwd=clone / "shop")
    assert result.code == 0, result.err
    assert result.out.splitlines()[0] == "no .github/heal.yml: defaults apply"
    assert result.out.splitlines()[1:4] == [
        "Heal would",
        "  check this repository with 2 commands; if one fails:",
        "    run ruff, then Heal's rules",
    ]
    assert "    ask no AI agent (ANTHROPIC_API_KEY is not set), but report what asking would cost" in result.out
    assert f"ok  lint: reproducible ({FILE}:5)" in result.out
    assert "      Unit tests: exit code 0 after " in result.out
    assert "fix:" not in result.out
    reported = result.err.splitlines()
    assert reported[:2] == ["· Preparing the sandbox", "· Running: lint / Ruff, tests / Unit tests"]
    assert sorted(re.sub(r"\d+ s", "N s", line) for line in reported[2:]) == [
        "· lint / Ruff: green, N s",
        "· tests / Unit tests: green, N s",
    ]
    assert everything(clone) == before


# CK-8, ENV-7
def test_set_up_that_installs_is_not_run_here_and_what_the_app_needs_for_it_is_printed(heal: Heal, room: Path) -> None:
    own = "pip install -i https://packages.example.com/simple no-such-package-of-anybody"
    step = f"{{run: {own}}}, {{name: Tests, run: python -m unittest -q}}"
    clone = make_clone(room / "offline", GREEN, {FILE: f"jobs: {{types: {{steps: [{step}]}}}}\n"})
    result = heal("config", "check", cwd=clone)
    assert result.code == 0, result
    assert result.err.count("set-up steps that install are not run: your environment is used") == 1
    lines = result.out.splitlines()
    at = lines.index("So that set-up can install where Heal runs as an App, .github/heal.yml needs (not tried):")
    assert lines[at + 2] == "network: [default, packages.example.com]"


GENERATED = """\
name: CI
jobs:
  lint: {steps: [{name: Ruff, run: ruff check .}]}
  queue:
    services: {queue: {image: "rabbitmq:3", ports: ["5672:5672"]}}
    steps:
      - run: pip install no-such-package-of-anybody
      - {run: echo 'RATE = 3' > rates.py && echo made}
      - {name: Rates, run: "python -m unittest -q && python -c 'import rates, shop.prices; assert rates.RATE == 3'"}
"""


# ENV-7
def test_a_job_that_is_not_reproducible_gets_setup_and_checks_that_were_tried_together(heal: Heal, room: Path) -> None:
    clone = make_clone(room / "generated", GREEN, {FILE: GENERATED})
    result = heal("config", "check", "--json", "--quiet", cwd=clone)
    assert result.code == 3, result
    last = json.loads(result.out.splitlines()[-1])
    proposed = last["proposed"]
    assert proposed.startswith("setup:\n  - pip install no-such-package-of-anybody\n  - \"echo 'RATE = 3'"), proposed
    assert "\nchecks:\n  - ruff check .\n" in proposed
    assert last["left_out"] == []
    assert heal("config", "check", "--quiet", cwd=clone).out.count("each was tried; set-up steps that install") == 1
    write(clone, {".github/heal.yml": proposed})
    repaired = heal("config", "check", "--quiet", cwd=clone)
    assert repaired.code == 0, repaired
    assert repaired.out.count(": reproducible (.github/heal.yml)") == 2


# ENV-7
def test_set_up_that_does_not_work_is_left_out_of_what_is_proposed(heal: Heal, room: Path) -> None:
    broken = GENERATED.replace("echo 'RATE = 3' > rates.py && echo made", "python no_such_script.py").replace(
        "import rates, shop.prices; assert rates.RATE == 3", "import shop.prices"
    )
    clone = make_clone(room / "broken-set-up", GREEN, {FILE: broken})
    result = heal("config", "check", "--json", "--quiet", cwd=clone)
    proposed = json.loads(result.out.splitlines()[-1])["proposed"]
    assert "no_such_script" not in proposed
    write(clone, {".github/heal.yml": proposed})
    repaired = heal("config", "check", "--quiet", cwd=clone)
    assert repaired.code == 0, repaired


# CK-8, CLI-1
def test_what_can_not_be_reproduced_is_told_with_its_place_and_a_line_that_was_tried(heal: Heal, room: Path) -> None:
    clone = make_clone(room / "mixed", GREEN, {FILE: MIXED})
    result = heal("config", "check", "--json", "--quiet", cwd=clone)
    assert result.code == 3
    assert json.loads(result.err) == {
        "error": "not reproducible here: queue, secret",
        "exit_code": 3,
    }
    first, preview, *jobs, last = (json.loads(line) for line in result.out.splitlines())
    assert first == {"file": ".github/heal.yml", "ok": True, "problems": []}
    assert preview["would"]["autofix"] == ["ruff"]
    assert preview["would"]["given"] == []
    reported = {job["job"]: job for job in jobs}
    assert {name: job["state"] for name, job in reported.items()} == {
        "lint": "reproducible",
        "queue": "not reproducible",
        "package": "reproducible",
        "secret": "not reproducible",
        "deploy": "no checks",
    }
    queue, secret = (reported[name]["checks"][0] for name in ("queue", "secret"))
    assert queue["reasons"] == [f"it needs the service rabbitmq (rabbitmq:3), which Heal does not start ({FILE}:5)"]
    assert (queue["fix"], queue["fix_works"]) == ("- python -m unittest -q", True)
    assert reported["package"]["checks"][0]["network"] == []
    assert secret["fix"] == "- ruff check  # put in what stands for ${{ secrets.WHERE }}"
    assert secret["fix_works"] is None
    assert reported["deploy"]["perhaps"][0].startswith("action acme/deploy@v1 is not known here")
    assert last["left_out"] == ["secret / Told: not tried"]

    # the proposed file holds what it promises: with it, all is reproducible
    write(clone, {".github/heal.yml": last["proposed"]})
    repaired = heal("config", "check", "--quiet", cwd=clone)
    assert repaired.code == 0, repaired.out
    assert "ok  ruff check .: reproducible (.github/heal.yml)" in repaired.out


# CK-8, CLI-1
def test_a_red_check_is_1_and_says_its_output(heal: Heal, room: Path) -> None:
    clone = make_clone(room / "red", GREEN, {**BROKEN, FILE: MIXED})
    result = heal("config", "check", "--quiet", cwd=clone)
    assert result.code == 1
    assert f"red lint: red ({FILE}:3)" in result.out
    assert "        shop/bill.py:5:8: Undefined name `fromat_cents`  [ruff F821]" in result.out
    assert "# not in it: lint / Ruff: it is red here" in result.out


# CK-8
def test_an_entry_that_could_not_be_run_comes_with_what_has_to_be_done_first(heal: Heal, room: Path) -> None:
    """A line that was tried and failed for a missing program is no fix by itself."""
    workflow = "name: CI\njobs:\n  odd:\n    runs-on: windows-latest\n    steps: [{run: flake8 .}]\n"
    clone = make_clone(room / "first", {"a.py": "x = 1\n", ".github/workflows/ci.yml": workflow}, {})
    result = heal("config", "check", "--quiet", cwd=clone)
    assert result.code == 3
    assert (
        "fix: pip install flake8; then under `checks:` in .github/heal.yml (tried: flake8 is not installed"
        in result.out
    )


# CK-8
def test_without_running_only_the_files_answer(heal: Heal, room: Path) -> None:
    clone = make_clone(room / "read-only", GREEN, {**BROKEN, FILE: MIXED})
    result = heal("config", "check", "--no-run", cwd=clone)
    assert result.code == 3
    assert f"ok  lint: can be run here, by its file ({FILE}:3)" in result.out
    assert "fix: under `checks:` in .github/heal.yml (not tried):\n          - python -m unittest -q" in result.out
    assert result.err == "heal: not reproducible here: queue, secret\n"


# CK-1, CK-8
@pytest.mark.skipif(shutil.which("redis-server") is None, reason="redis is not installed (Debian: redis-server)")
def test_a_job_with_a_service_is_reproduced_with_it(heal: Heal, room: Path) -> None:
    redis = """\
jobs:
  cache:
    services: {cache: {image: redis, ports: ["6379:6379"]}}
    steps: [{name: Test, run: "redis-cli ping && python -m unittest -q"}]
"""
    clone = make_clone(room / "service", GREEN, {FILE: redis})
    result = heal("config", "check", "--quiet", cwd=clone)
    if "has no network of its own" in result.out:
        pytest.skip("bubblewrap is needed")
    assert result.code == 0, result.out
    assert f"ok  cache: reproducible ({FILE}:3)" in result.out


# OP-7, CLI-1
def test_a_bad_heal_yml_comes_first_and_is_2(heal: Heal, room: Path) -> None:
    clone = make_clone(room / "bad-config", GREEN, {".github/heal.yml": "checks:\n  - 3\n"})
    result = heal("config", "check", "--quiet", cwd=clone)
    assert result.code == 2
    assert result.out.splitlines()[0] == ".github/heal.yml:2:5: `checks[0]`: must be text; put quotes around it"
    assert "lint" not in result.out


LIMITED = """\
name: CI
jobs:
  slow:
    timeout-minutes: 0.05
    steps:
      - {name: Sleeps, run: python -m unittest -q && sleep 12}
      - {name: Late, run: ruff check shop}
  quick: {steps: [{name: Ruff, run: ruff check .}]}
"""


# ENV-7
def test_a_job_may_take_no_longer_than_its_workflow_gives_it(heal: Heal, room: Path) -> None:
    clone = make_clone(room / "limited", GREEN, {FILE: LIMITED})
    result = heal("config", "check", "--json", "--quiet", cwd=clone)
    assert result.code == 3, result
    jobs = {row["job"]: row for row in map(json.loads, result.out.splitlines()) if "job" in row}
    why = {one["step"]: "; ".join(one["reasons"]) for one in jobs["slow"]["checks"]}
    assert "did not end here" in why["Sleeps"]
    assert why["Late"] == "its job's minutes were used up before (`timeout-minutes: 0.05`)"
    assert jobs["quick"]["state"] == "reproducible"


# ENV-7
def test_where_no_file_names_a_check_what_is_usual_is_tried_and_proposed(heal: Heal, room: Path) -> None:
    test = "import unittest\n\n\nclass A(unittest.TestCase):\n    def test_it(self):\n        pass\n"
    usual = {"pyproject.toml": '[tool.ruff.lint]\nselect = ["F"]\n', "test_a.py": test}
    clone = make_clone(room / "unnamed", usual, usual)
    result = heal("config", "check", cwd=clone)
    assert "ok  ruff check .: reproducible (pyproject.toml)" in result.out, result
    assert "No file names what judges this repository. So that Heal knows, .github/heal.yml needs:" in result.out
    assert result.out.split("needs:\n\n")[1].startswith("checks:\n  - python -m unittest\n  - ruff check .\n")
    write(clone, {".github/heal.yml": "checks: [ruff check .]\n"})
    assert "No file names" not in heal("config", "check", "--no-run", cwd=clone).out
