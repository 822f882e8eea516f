"""What becomes of a tool's work: offered where it cures, undone and named where it does not (AF-2)."""

import pytest

from healing.autofix.applying import Autofix
from healing.autofix.configured import NamedTool
from healing.checks.rules import CheckRules, TimeLimits
from healing.model import Category, CIError, NotLooked
from healing.proof.door import Door
from tests.engine.bench import Bench

CHECK = """\
for file in *.txt; do
  grep -q BAD "$file" && { echo "::error file=$file,line=1::BAD"; bad=1; }
done
exit ${bad:-0}
"""
FILES = {"a.txt": "BAD\n", "b.txt": "fine\n"}


async def applied(
    bench: Bench, run: str, files: dict[str, str] = FILES, seconds: float = 60
) -> tuple[Door, list[NotLooked]]:
    """What the door has after a tool of the repo's own ran."""
    door = await bench.door(files, CHECK)
    assert door.errors
    door.checker.rules = CheckRules(limits=TimeLimits(step=seconds))
    said: list[NotLooked] = []
    await Autofix(door, said, frozenset(files), (NamedTool(name="mender", run=run),)).run(told_by_mender(door))
    return door, said


def told_by_mender(door: Door) -> tuple[CIError, ...]:
    """The errors as if the tool itself had told them."""
    return tuple(e.model_copy(update={"tool": "mender"}) for e in door.errors.values())


# AF-1
async def test_a_tool_that_heal_yml_names_gets_the_files_and_is_proven(bench: Bench) -> None:
    door, said = await applied(bench, 'sed -i s/BAD/good/ "$@"')
    assert [(p.source, p.edits[0].new_string) for p in door.accepted] == [("autofix:mender", "good\n")]
    assert said == []


# AF-1
async def test_what_a_tool_does_to_other_files_is_left_out(bench: Bench) -> None:
    door, _ = await applied(bench, "sed -i s/BAD/good/ a.txt; echo more >> b.txt; echo new > c.txt")
    (proposal,) = door.accepted
    assert {edit.file for edit in proposal.edits} == {"a.txt"}


# AF-2
@pytest.mark.parametrize(
    ("run", "why"),
    [
        ("sed -i s/BAD/good/ a.txt; exit 3", "it exits 3"),
        ("sed -i s/BAD/good/ a.txt; sleep 60", "it did not end here"),
        ("no-such-program a.txt", "no-such-program is not installed where Heal runs checks"),
        ("sed -i 's/BAD/BAD still/' a.txt", "its result was undone"),
    ],
)
async def test_a_tool_that_fails_hangs_is_missing_or_cures_nothing_is_undone_and_named(
    bench: Bench, run: str, why: str
) -> None:
    door, said = await applied(bench, run, seconds=4)
    assert door.accepted == []
    assert [one.what for one in said] == ["autofix with mender"]
    assert why in said[0].why


# AF-2
async def test_a_tool_that_makes_more_errors_is_undone(bench: Bench) -> None:
    door = await bench.door({"a.py": "import os\nx = 1\n"}, "ruff check --select F,E7 .")
    said: list[NotLooked] = []
    worse = NamedTool(name="ruff-mender", run="printf 'x = 1\\nprint(y); print(z)\\n' > a.py")
    await Autofix(door, said, named=(worse,)).run(tuple(door.errors.values()))
    assert [p.source for p in door.accepted] == ["autofix:ruff"]
    assert "new: " in said[0].why


# AF-1
async def test_workflow_files_are_left_alone(bench: Bench) -> None:
    files = {".github/workflows/ci.yml": "BAD\n", "a.txt": "BAD\n"}
    door = await bench.door(files, CHECK)
    error = next(iter(door.errors.values())).model_copy(update={"file": ".github/workflows/ci.yml", "tool": "mender"})
    said: list[NotLooked] = []
    tool = NamedTool(name="mender", run="[ $# = 0 ] || exit 9")
    await Autofix(door, said, frozenset(files), (tool,)).run((error,))
    assert (door.accepted, said) == ([], [])


# AF-2
async def test_the_tools_own_set_up_is_run_before_it(bench: Bench) -> None:
    door = await bench.door(FILES, CHECK)
    (check,) = door.checks
    setup = check.step.model_copy(update={"name": "Install", "run": "printf 'sed -i s/BAD/good/ \"$@\"' > $HOME/mend"})
    door.checks = (check.model_copy(update={"setup": (setup,)}),)
    door.shown_by = {door.checks[0].key: frozenset(door.errors)}
    said: list[NotLooked] = []
    tool = NamedTool(name="mender", run='bash "$HOME/mend" "$@"')
    await Autofix(door, said, named=(tool,)).run(told_by_mender(door))
    assert [p.source for p in door.accepted] == ["autofix:mender"], door.refused
    assert said == []


# AF-2 AG-13
async def test_two_tools_that_do_the_same_are_one_proposal_and_nothing_to_report(bench: Bench) -> None:
    door = await bench.door(FILES, CHECK)
    said: list[NotLooked] = []
    tools = tuple(NamedTool(name=name, run='sed -i s/BAD/good/ "$@"') for name in ("mender", "other"))
    errors = tuple(e.model_copy(update={"category": Category.LINT}) for e in door.errors.values())
    await Autofix(door, said, frozenset(FILES), tools).run(errors)
    assert ([p.source for p in door.accepted], said) == (["autofix:mender"], [])
