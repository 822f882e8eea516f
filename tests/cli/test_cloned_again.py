"""A clone that is deleted, and another one in its place: what Heal stored of the first must not be in the way."""

import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Heal, git, make_clone


# WT-1
@pytest.mark.parametrize("committed", [True, False])
def test_a_clone_that_is_deleted_and_made_again_in_its_place_is_healed_again(
    heal: Heal, room: Path, committed: bool
) -> None:
    place = room / f"cloned-again-{committed}"
    for number in range(2):
        shutil.rmtree(place, ignore_errors=True)
        clone = make_clone(
            place,
            {"a.py": f"X = {number}\n", "sub/kept.txt": f"{number}\n"},
            {"a.py": f"import os\n\nX = {number}\n"},
        )
        if committed:
            git(clone, "checkout", "-q", "-b", "topic")
            git(clone, "commit", "-qam", "Use os")  # so that its objects are in the clone alone
        result = heal("run", "--run", "ruff check a.py", cwd=clone)
        assert result.out.startswith("fixed: 1 error, 1 fix\n"), result.out + result.err
        assert heal("apply", "all", cwd=clone).code == 0
