"""`heal run` and what follows: proposals in the store, files untouched until `apply`, all bytes back on `rollback`."""

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Heal, everything, git, make_clone, write
from tests.cli.shop import BROKEN, GREEN


@pytest.fixture(scope="module")
def healed(heal: Heal, broken: Path) -> dict[str, str]:
    """The ids of the proposals for the broken clone by where they come from."""
    before, status = everything(broken), git(broken, "status", "--porcelain")
    result = heal("run", str(broken), "--json", cwd=broken.parent)
    assert result.code == 1, result.err  # one error stays: nobody knows `drawer_of`
    assert "· Trying rule-based fixes" in result.err
    outcome = json.loads(result.out)
    assert outcome["verdict"] == "partly"
    # CLI-3: untouched until `heal apply`, for git and byte by byte
    assert everything(broken) == before
    assert git(broken, "status", "--porcelain") == status
    return {p["source"]: p["id"] for p in outcome["proposals"]}


# CLI-3
def test_proposals_are_kept_and_shown_with_their_evidence(heal: Heal, broken: Path, healed: dict[str, str]) -> None:
    assert healed.keys() == {"autofix:ruff", "fixer:misspelt_name"}
    listed = [json.loads(line) for line in heal("list", "--json", cwd=broken).out.splitlines()]
    assert {(one["proposal"]["id"], one["status"]) for one in listed} == {(i, "pending") for i in healed.values()}
    shown = heal("show", healed["fixer:misspelt_name"][:5], cwd=broken)
    assert "\n-LINE = fromat_cents(100)\n+LINE = format_cents(100)\n" in shown.out
    assert "$ ruff check" in shown.out
    assert "\x1b" not in shown.out
    left = [json.loads(line) for line in heal("unfixable", "--json", cwd=broken).out.splitlines()]
    assert [one["reason"] for one in left] == ["no-key"]
    assert [error["file"] for error in left[0]["errors"]] != []
    error = left[0]["errors"][0]
    text = heal("unfixable", cwd=broken).out
    assert f"    error: {error['file']}:{error['line']}:" in text
    assert error["message"].splitlines()[0] in text
    assert f"    why:   {left[0]['why']}" in text


# CLI-3, SC-6
def test_apply_and_rollback_give_every_byte_back_also_after_other_edits(
    heal: Heal, broken: Path, healed: dict[str, str]
) -> None:
    (broken / "shop/label.py").chmod(0o755)
    before = everything(broken)
    applied = heal("apply", "all", "--json", cwd=broken)
    assert applied.code == 0, applied.out
    assert {json.loads(line)["status"] for line in applied.out.splitlines()} == {"applied"}
    now = everything(broken)
    assert {name for name in now if now[name] != before[name]} == {"shop/label.py", "shop/bill.py"}
    assert now["shop/label.py"][0] & 0o777 == 0o755
    assert (broken / "shop/bill.py").read_text().endswith("LINE = format_cents(100)\n")
    again = heal("apply", healed["autofix:ruff"], cwd=broken)
    assert (again.code, again.out) == (0, f"{healed['autofix:ruff']}  applied: your files have it already\n")
    assert everything(broken) == now

    label = broken / "shop/label.py"
    label.write_text(label.read_text() + "# a person's own edit\n")
    assert heal("rollback", "all", cwd=broken).code == 0
    label.write_text(label.read_text().removesuffix("# a person's own edit\n"))
    assert everything(broken) == before


def test_a_proposal_that_no_longer_fits_is_refused_and_says_what_changed(
    heal: Heal, broken: Path, healed: dict[str, str]
) -> None:
    bill = broken / "shop/bill.py"
    was = bill.read_text()
    bill.write_text(was.replace("fromat_cents(100)", "str(100)"))
    result = heal("apply", healed["fixer:misspelt_name"], cwd=broken)
    assert result.code == 1
    assert result.out == (
        f"{healed['fixer:misspelt_name']}  refused: the lines to change are no longer as they were in shop/bill.py. "
        "Nothing was changed\n"
    )
    bill.unlink()
    assert "shop/bill.py is gone" in heal("apply", healed["fixer:misspelt_name"], cwd=broken).out
    bill.write_text(was)


def test_a_rejected_proposal_is_left_out_and_says_why(heal: Heal, broken: Path, healed: dict[str, str]) -> None:
    ident = healed["autofix:ruff"]
    assert heal("reject", ident, "we like json", cwd=broken).code == 0
    assert "rejected: we like json" in heal("show", ident, cwd=broken).out
    applied = heal("apply", "all", cwd=broken)
    assert applied.out == f"{healed['fixer:misspelt_name']}  applied\n", "it was rolled back before, and is asked for"
    assert heal("apply", "all", cwd=broken).out == "nothing to do: no fix is left to apply. See: heal list\n"
    assert heal("rollback", "all", cwd=broken).code == 0
    assert heal("rollback", "all", cwd=broken).out == "nothing to do: no fix is in your files. See: heal list\n"


# CLI-3, SC-7
def test_after_git_put_the_files_back_every_command_says_what_is_true(
    heal: Heal, broken: Path, healed: dict[str, str]
) -> None:
    ident = healed["fixer:misspelt_name"]
    before = everything(broken)
    for again in ("apply", "rollback", "run"):
        assert heal("apply", ident, cwd=broken).code == 0
        assert everything(broken) != before
        bill = broken / "shop/bill.py"
        bill.write_bytes(before["shop/bill.py"][1])  # as git checkout does
        if again == "apply":
            assert heal("apply", ident, cwd=broken).out == f"{ident}  applied\n"
            bill.write_bytes(before["shop/bill.py"][1])
        elif again == "rollback":
            answer = heal("rollback", ident, cwd=broken)
            assert (answer.code, answer.out.split(".")[0]) == (0, f"{ident}  reverted: your files don't have it")
        else:
            assert ident in heal("run", cwd=broken).out
            assert f"{ident}  open " in heal("list", cwd=broken).out
            assert f"{ident}  applied" in heal("apply", "all", cwd=broken).out
            assert f"{ident}  reverted\n" in heal("rollback", "all", cwd=broken).out
        assert f"{ident}  applied" not in heal("list", cwd=broken).out
        assert everything(broken) == before


# CLI-3, SC-6
def test_rollback_all_leaves_what_git_put_back_and_the_id_takes_it(heal: Heal, room: Path) -> None:
    change = {name: text for name, text in BROKEN.items() if name == "shop/bill.py"}
    clone = make_clone(room / "put-back", GREEN, change)
    assert heal("run", cwd=clone).code == 0
    (listed,) = (json.loads(line) for line in heal("list", "--json", cwd=clone).out.splitlines())
    ident = listed["proposal"]["id"]
    assert heal("apply", "all", cwd=clone).code == 0
    fixed = everything(clone)
    assert heal("rollback", "all", cwd=clone).out == f"{ident}  reverted\n"
    bill = clone / "shop/bill.py"
    bill.write_bytes(fixed["shop/bill.py"][1])  # as git checkout does, or a person who writes the same
    result = heal("rollback", "all", cwd=clone)
    assert everything(clone) == fixed, "a person's own line was taken away"
    assert result.code == 0
    assert f"{ident}  left out, because heal apply didn't bring it" in result.out
    assert heal("rollback", ident, cwd=clone).out == f"{ident}  reverted\n"
    assert everything(clone) != fixed
    assert heal("apply", ident, cwd=clone).code == 0
    assert heal("rollback", "all", cwd=clone).out == f"{ident}  reverted\n"


# CLI-3, SC-6
def test_a_fix_of_another_branch_is_neither_applied_here_nor_taken_back_here(heal: Heal, room: Path) -> None:
    """A branch that never had the error has the same lines as one in which it was fixed."""
    broken = BROKEN["shop/bill.py"]
    right = broken.replace("fromat_cents", "format_cents")
    clone = make_clone(room / "two-branches", GREEN | {"shop/bill.py": right}, {"shop/bill.py": broken})
    git(clone, "switch", "-q", "-c", "broken")
    git(clone, "commit", "-q", "-a", "-m", "Misspell it")
    assert heal("run", cwd=clone).code == 0
    (listed,) = (json.loads(line) for line in heal("list", "--json", cwd=clone).out.splitlines())
    ident = listed["proposal"]["id"]
    assert heal("apply", "all", cwd=clone).code == 0
    git(clone, "commit", "-q", "--amend", "--all", "--no-edit", "--allow-empty")
    git(clone, "switch", "-q", "main")
    before = everything(clone)
    assert f"{ident}  left out, because it was found on another branch" in heal("rollback", "all", cwd=clone).out
    assert heal("rollback", ident, cwd=clone).code == 1
    assert everything(clone) == before
    git(clone, "switch", "-q", "broken")
    assert heal("rollback", "all", cwd=clone).out == f"{ident}  reverted\n"
    git(clone, "checkout", "-q", ".")
    assert heal("rollback", ident, cwd=clone).out == f"{ident}  reverted\n"
    git(clone, "stash", "-q")
    git(clone, "switch", "-q", "main")
    before = everything(clone)
    assert f"{ident}  reverted" in heal("list", cwd=clone).out
    assert ident not in heal("rollback", "all", cwd=clone).out
    assert heal("apply", ident, cwd=clone).out == f"{ident}  applied: your files have it already\n"
    refused = heal("rollback", ident, cwd=clone)
    assert (refused.code, "found on another branch" in refused.out) == (1, True)
    assert everything(clone) == before


# CLI-3, UX-3
def test_apply_all_leaves_out_what_was_found_for_other_code(heal: Heal, room: Path) -> None:
    """As after a switch of branches: an earlier fix may fit where nothing shows that it is right."""
    wrong, right = "LINE = fromat_cents(100)", "LINE = format_cents(100)"
    clone = make_clone(room / "other-code", GREEN, {"shop/bill.py": BROKEN["shop/bill.py"]})
    assert heal("run", cwd=clone).code == 0
    (listed,) = (json.loads(line) for line in heal("list", "--json", cwd=clone).out.splitlines())
    ident = listed["proposal"]["id"]
    bill = clone / "shop/bill.py"
    assert wrong in bill.read_text()
    git(clone, "switch", "-q", "-c", "elsewhere")
    bill.write_text(f"def fromat_cents(cents: int) -> str:\n    return str(cents)\n\n\n{wrong}\n")
    git(clone, "add", "--all")
    git(clone, "commit", "-q", "-m", "Define it here")
    heal("run", cwd=clone)
    before = everything(clone)
    answer = heal("apply", "all", cwd=clone)
    assert everything(clone) == before
    assert f"{ident}  left out, because the newest run didn't find it" in answer.out
    assert answer.out.endswith("Nothing was changed\n")
    assert heal("apply", ident, cwd=clone).code == 0
    assert right in bill.read_text()


# CLI-3
def test_a_log_names_the_checks_that_are_run_again_and_a_healed_clone_is_healthy(heal: Heal, room: Path) -> None:
    change = {name: text for name, text in BROKEN.items() if name != "shop/till.py"}
    clone = make_clone(room / "by-log", GREEN, change)
    write(room, {"ci.log": "shop/bill.py:5:8: F821 Undefined name `fromat_cents`\n", "none.log": ""})
    assert heal("run", "--log", str(room / "none.log"), cwd=clone).code == 3
    assert heal("run", "--log", "x", "--run", "y", cwd=clone).code == 2
    result = heal("run", "--log", str(room / "ci.log"), cwd=clone)
    assert result.code == 0, result.out
    assert result.out.startswith("fixed: 3 errors, 2 fixes\n")
    assert heal("apply", "all", cwd=clone).code == 0
    after = heal("run", "--quiet", cwd=clone)
    assert (after.code, after.out, after.err) == (0, "nothing to fix: every check passes\n", "")
    shutil.rmtree(clone)


# CLI-3 UX-3
def test_a_clone_that_names_no_check_is_judged_by_what_is_usual_and_never_called_healthy(
    heal: Heal, room: Path
) -> None:
    usual = {
        "pyproject.toml": '[tool.ruff.lint]\nselect = ["F"]\n',
        "test_sums.py": SUMS,
        "sums.py": "def two():\n    return 2\n",
    }
    clone = make_clone(room / "usual", usual, usual)
    well = heal("run", str(clone), cwd=room)
    assert (well.code, well.out) == (3, "every check that was run passes\n"), well.err
    assert "what is usual is run: `python -m unittest` (test_sums.py), `ruff check .` (pyproject.toml)" in well.err
    assert "more may be red than what was run; name a command: heal run --run CMD" in well.err
    write(clone, {"sums.py": "import os\n\n\ndef two():\n    return 2\n"})
    red = heal("run", str(clone), cwd=room)
    assert (red.code, red.out.splitlines()[0]) == (0, "fixed: 1 error, 1 fix"), red.err


SUMS = """\
import unittest
from sums import two


class Sums(unittest.TestCase):
    def test_two(self):
        self.assertEqual(two(), 2)
"""


# CLI-3, CK-2
def test_what_was_typed_is_judged_as_a_whole_where_each_of_its_commands_passes_alone(heal: Heal, room: Path) -> None:
    makefile = "lint:\n\truff check a.py\n\truff check $${MAKELEVEL:+gone.py} a.py\n"
    clone = make_clone(room / "whole-only", {"a.py": "X = 1\n", "Makefile": makefile}, {"a.py": "X = 2\n"})
    result = heal("run", "--run", "make lint", cwd=clone)
    assert result.code != 0, result.out
    assert "nothing to fix" not in result.out + result.err


# CLI-3, ENV-1
def test_fixes_of_some_checks_beside_one_that_could_not_be_looked_at_are_no_healthy_clone(
    heal: Heal, room: Path
) -> None:
    change = {name: text for name, text in BROKEN.items() if name != "shop/till.py"}
    clone = make_clone(room / "one-unknown", GREEN, change)
    result = heal("run", "--run", "ruff check", "--run", "nonsuch-tool --all", cwd=clone)
    assert result.code == 3, result.out + result.err
    assert result.out.startswith("fixed: ")
    assert "couldn't check nonsuch-tool --all" in result.out
    assert "there are fixes only for what could be checked: 1 reason above" in result.err
