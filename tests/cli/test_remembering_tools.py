"""Tools that remember an earlier run, and say less in the next."""

from pathlib import Path

import pytest

from tests.cli.conftest import Heal, make_clone

# As Sphinx does: the warnings of a document come when it is built, and not again while its result is there.
BUILD = """\
[ -e _build/environment.pickle ] && exit 0
mkdir -p _build && touch _build/environment.pickle
grep -n usge guide.txt && exit 1
exit 0
"""


# ENV-1
@pytest.mark.parametrize("ignores", ["_build/\n", "*.tmp\n"])
def test_an_error_that_a_tool_tells_only_once_is_seen_after_a_person_has_run_it(
    heal: Heal, room: Path, ignores: str
) -> None:
    base = {"build.sh": BUILD, "guide.txt": "See usage\n", ".gitignore": ignores}
    clone = make_clone(room / f"told-once-{len(ignores)}", base, {"guide.txt": "See usge\n"})
    (clone / "_build").mkdir()
    (clone / "_build" / "environment.pickle").touch()
    result = heal("run", "--run", "sh build.sh", cwd=clone)
    assert result.code == 1, result.out + result.err
    assert "not fixed: 1 error" in result.out
    assert (clone / "_build" / "environment.pickle").exists()
