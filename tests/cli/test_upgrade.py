"""A change of versions on a laptop: the one environment has what the change installed, so the base says nothing."""

from pathlib import Path

import pytest

from tests.cli.conftest import Heal, make_clone

UNUSED = {"a.py": "import os\n\nX = 1\n", "requirements.txt": "ruff==0.1\n", "notes.txt": "Old.\n"}
NOTE = "requirements.txt asks for other versions than on the base commit"


# ENV-3
@pytest.mark.parametrize("command", ["run", "check", "plan"])
def test_what_an_upgrade_turned_red_is_the_changes_although_the_base_is_red_with_it_too(
    heal: Heal, room: Path, command: str
) -> None:
    clone = make_clone(room / f"upgraded-{command}", UNUSED, {"requirements.txt": "ruff==0.17\n"})
    result = heal(command, "--run", "ruff check a.py", cwd=clone)
    assert "base commit, so not because of this change" not in result.out + result.err
    if command == "run":
        assert result.out.startswith("fixed: 1 error, 1 fix\n"), result.out + result.err
        assert (result.code, NOTE in result.err) == (0, True)
        assert heal("apply", "all", cwd=clone).code == 0
        assert heal("check", "--run", "ruff check a.py", cwd=clone).code == 0
    else:
        assert result.code == 1, result.out + result.err


# ENV-3
def test_no_error_is_set_aside_as_the_bases_after_an_upgrade(heal: Heal, room: Path) -> None:
    """One error more than on the base once made the rest `also on the base branch`, and the exit code 0."""
    change = {"requirements.txt": "ruff==0.17\n", "b.py": "import sys\n\nY = 2\n"}
    clone = make_clone(room / "upgraded-mixed", UNUSED, change)
    result = heal("run", "--run", "ruff check .", cwd=clone)
    assert result.out.startswith("fixed: 2 errors, 1 fix\n"), result.out + result.err
    assert "also on the base branch" not in result.out


# ENV-3
def test_without_an_upgrade_an_error_of_the_base_is_still_not_the_changes(heal: Heal, room: Path) -> None:
    clone = make_clone(room / "not-upgraded", UNUSED, {"notes.txt": "New.\n"})
    result = heal("run", "--run", "ruff check a.py", cwd=clone)
    assert (result.code, NOTE in result.err) == (3, False)
    assert "it fails in the same way on the base commit" in result.out + result.err


# ENV-3
@pytest.mark.parametrize("breaks", [True, False])
def test_a_test_that_needs_the_network_hides_no_test_that_the_change_breaks(
    heal: Heal, room: Path, breaks: bool
) -> None:
    tests = (
        "import a\n\n\ndef test_x():\n    assert a.x() == 1\n\n\n"
        "def test_host():\n    raise OSError('Temporary failure in name resolution')\n"
    )
    change = {"a.py": "def x():\n    return smu([1])\n"} if breaks else {"notes.txt": "New.\n"}
    clone = make_clone(
        room / f"network-{breaks}", {"a.py": "def x():\n    return sum([1])\n", "test_a.py": tests}, change
    )
    result = heal("run", "--run", "python -m pytest -q", cwd=clone)
    if breaks:
        assert result.out.startswith("fixed: 1 of 2 errors, 1 fix\n"), result.out + result.err
        assert "also red on the base commit here, where checks have no network" in result.out
        assert "Temporary failure in name resolution (test_a.py::test_host)" in result.out
    else:
        assert (result.code, "the command wants the network" in result.out) == (3, True), result.out + result.err


# ENV-3
def test_a_file_that_could_never_be_collected_hides_no_test_that_the_change_breaks(heal: Heal, room: Path) -> None:
    """pytest ends at it, so the other tests are named with the option that runs them."""
    base = {
        "a.py": "def x():\n    return sum([1])\n",
        "test_a.py": "import a\n\n\ndef test_x():\n    assert a.x() == 1\n",
        "test_b.py": "import nowhere_to_be_found\n",
    }
    clone = make_clone(room / "uncollected", base, {"a.py": "def x():\n    return smu([1])\n"})
    result = heal("run", "--run", "python -m pytest -q", cwd=clone)
    others = "heal run --run 'python -m pytest -q --continue-on-collection-errors'"
    assert (result.code, others in result.out + result.err) == (3, True), result.out + result.err
    result = heal("run", "--run", "python -m pytest -q --continue-on-collection-errors", cwd=clone)
    assert result.out.startswith("fixed: 1 of 2 errors, 1 fix\n"), result.out + result.err
    assert "No module named 'nowhere_to_be_found'" in result.out


# ENV-3
def test_a_module_that_a_build_writes_is_named_and_not_called_uninstalled(heal: Heal, room: Path) -> None:
    base = {"pkg/__init__.py": "from pkg._version import V\n", "test_a.py": "import pkg\n", "setup.py": ""}
    clone = make_clone(room / "unwritten", base, {"notes.txt": "New.\n"})
    result = heal("run", "--run", "python -m pytest -q", cwd=clone)
    assert result.code == 3
    assert "no file of the repository is the module pkg._version" in result.out + result.err
    assert "pip install -e ." in result.out + result.err
