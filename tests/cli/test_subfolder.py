"""A command that is typed below the clone's root, or that names what only this branch has."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Heal, make_clone, write

PACKAGE = {"pkg/a.py": "X = 1\n", "pkg/tests/b.py": "Y = 1\n", "a.py": "import os\n"}
UNUSED = {"pkg/tests/b.py": "import os\n\nY = 1\n"}


# ENV-2
@pytest.mark.parametrize("place", ["typed there", "named"])
def test_a_command_runs_in_the_folder_where_it_is_typed_or_which_is_named(heal: Heal, room: Path, place: str) -> None:
    clone = make_clone(room / f"below-{place.replace(' ', '-')}", PACKAGE, UNUSED)
    words, cwd = (("run",), clone / "pkg") if place == "typed there" else (("run", "pkg"), clone)
    result = heal(*words, "--run", "ruff check tests", cwd=cwd)
    assert (result.code, "pkg/tests/b.py" in result.out) == (0, True), result.out + result.err
    assert heal("apply", "all", cwd=cwd).code == 0
    assert (clone / "pkg/tests/b.py").read_text().strip() == "Y = 1"
    assert heal("check", *words[1:], "--run", "ruff check tests", cwd=cwd).code == 0


# ENV-2, UX-3
def test_a_folder_that_git_ignores_is_named_as_no_place_for_a_command(heal: Heal, room: Path) -> None:
    clone = make_clone(room / "below-ignored", {**PACKAGE, ".gitignore": "build/\n"}, UNUSED)
    write(clone, {"build/c.py": "import os\n"})
    result = heal("check", "--run", "ruff check .", cwd=clone / "build")
    assert (result.code, "git ignores build/" in result.err) == (2, True), result.out + result.err


# ENV-3
@pytest.mark.parametrize(("command", "below"), [("cd new && ruff check .", ""), ("ruff check .", "new")])
def test_a_base_without_the_folder_that_a_command_names_says_nothing_about_its_errors(
    heal: Heal, room: Path, command: str, below: str
) -> None:
    clone = make_clone(room / f"below-new-{below}", PACKAGE, {"new/c.py": "import os\n\nZ = 1\n"})
    result = heal("run", "--run", command, cwd=clone / below)
    assert result.out.startswith("fixed: 1 error, 1 fix\n"), result.out + result.err


# UX-3
def test_closed_output_ends_in_no_traceback(heal: Heal, room: Path) -> None:
    clone = make_clone(room / "below-closed", PACKAGE, UNUSED)
    for closed in (">&-", "2>&-", ">&- 2>&-"):
        words = ["bash", "-c", f'exec "$@" {closed}', "-", sys.executable, "-m", "bot", "list"]
        ended = subprocess.run(words, cwd=clone, env=heal.environment(), capture_output=True, check=False, timeout=60)
        assert (ended.returncode, ended.stderr) == (0, b"")


# CLI-3
def test_a_large_file_that_git_does_not_track_blocks_nothing(heal: Heal, room: Path) -> None:
    clone = make_clone(room / "below-large", PACKAGE, UNUSED)
    with (clone / "dump.bin").open("wb") as file:
        file.truncate(101 << 20)
    result = heal("run", "--run", "ruff check pkg", cwd=clone)
    assert (result.code, "left out of what checks see: dump.bin is over 100 MB" in result.err) == (0, True), result.err
    for command in (("apply", "all"), ("rollback", "all")):
        assert heal(*command, cwd=clone).code == 0
    assert (clone / "dump.bin").stat().st_size == 101 << 20
