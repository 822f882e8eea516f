"""What an agent sees of changes: the one that CI ran for, and what was accepted before."""

from pathlib import Path

from healing.repair.agents.changes import LIMIT, diff_of
from tests.model_standin import oracle
from tests.model_standin.brains import trunk_of
from tests.repair.agents.scene import ERRORS, FIXES, IDS, scene


# AG-12
def test_the_diff_shows_files_that_differ_and_names_what_is_too_long() -> None:
    before = {"a.py": b"x = 1\ny = 2\n", "b.py": b"same\n", "long.py": b"", "x.bin": b"\0"}
    after = {"a.py": b"x = 1\ny = 3\n", "b.py": b"same\n", "long.py": b"line\n" * LIMIT, "x.bin": b"\0\1"}
    output = diff_of(["a.py", "b.py", "long.py", "x.bin", "a.py"], before.get, after.get)
    assert output.splitlines()[:2] == ["--- a.py", "+++ a.py"]
    assert output.count("-y = 2\n+y = 3") == 1
    assert "b.py" not in output
    assert "(changed too, and not shown: long.py, x.bin)" in output
    assert len(output) <= LIMIT + 100


# AG-12
def test_a_file_that_the_change_adds_is_named_for_all_of_it_is_the_change() -> None:
    output = diff_of(["new.py", "gone.py"], {"gone.py": b"x = 1\n"}.get, {"new.py": b"y = 2\n"}.get)
    assert "-x = 1" in output
    assert "y = 2" not in output
    assert output.endswith("(files that this change adds: new.py)")


# AG-12 AG-11
async def test_the_next_error_begins_with_the_edits_that_were_accepted(tmp_path: Path) -> None:
    async with scene(tmp_path, oracle(FIXES), ERRORS[:2]) as stage:
        assert len((await stage.run()).proposals) == 2
        opening = trunk_of(stage.standin.asked[-1].body)
        assert f"Now work on error {IDS[1]}." in opening
        assert "in src/alpha.py\n- return alpha(os)\n+ return str(os)" in opening
        assert "The accepted edits" not in trunk_of(stage.standin.asked[0].body)
