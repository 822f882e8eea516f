"""What `heal unfixable` says where a run left no error behind."""

from pathlib import Path

from tests.cli.conftest import Heal, make_clone

UNUSED = {"a.py": "import os\n\nX = 1\n"}


# CLI-3, UX-3
def test_a_run_that_could_not_look_is_not_called_one_that_left_nothing(heal: Heal, room: Path) -> None:
    clone = make_clone(room / "left-unlooked", {"a.py": "X = 1\n"}, UNUSED)
    assert heal("unfixable", cwd=clone).out == "no `heal run` has ended on this clone yet\n"
    unlooked = heal("run", "--run", "nosuchtool .", cwd=clone)
    assert (unlooked.code, (unlooked.out + unlooked.err).count("is not installed")) == (3, 1), "said once"
    assert heal("unfixable", cwd=clone).out.startswith("couldn't check nosuchtool .: nosuchtool is not installed")
    assert heal("run", "--run", "ruff check .", cwd=clone).code == 0
    assert heal("unfixable", cwd=clone).out == "nothing was left by the last `heal run` on this clone\n"
