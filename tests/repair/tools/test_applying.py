"""What becomes of a tool's work: offered where it cures, undone and named where it does not (AF-2)."""

import pytest

from healing.checks.rules import CheckRules, TimeLimits
from healing.model import Category, CIError, NotChecked
from healing.repair.tools.applying import Autofix
from healing.repair.tools.configured import NamedTool
from healing.verify.verifier import Verifier
from tests.pipeline.bench import Bench

CHECK = """\
for file in *.txt; do
  grep -q BAD "$file" && { echo "::error file=$file,line=1::BAD"; bad=1; }
done
exit ${bad:-0}
"""
FILES = {"a.txt": "BAD\n", "b.txt": "fine\n"}


async def applied(
    bench: Bench, run: str, files: dict[str, str] = FILES, seconds: float = 60
) -> tuple[Verifier, list[NotChecked]]:
    """What the verifier has after a tool of the repo's own ran."""
    verifier = await bench.verifier(files, CHECK)
    assert verifier.errors
    verifier.checker.rules = CheckRules(limits=TimeLimits(step=seconds))
    output: list[NotChecked] = []
    await Autofix(verifier, output, frozenset(files), (NamedTool(name="mender", run=run),)).run(
        reported_by_fixer(verifier)
    )
    return verifier, output


def reported_by_fixer(verifier: Verifier) -> tuple[CIError, ...]:
    """The errors as if the tool itself had told them."""
    return tuple(e.model_copy(update={"tool": "mender"}) for e in verifier.errors.values())


# AF-1
async def test_a_tool_that_heal_yml_names_gets_the_files_and_is_proven(bench: Bench) -> None:
    verifier, output = await applied(bench, 'sed -i s/BAD/good/ "$@"')
    assert [(p.source, p.edits[0].new_string) for p in verifier.accepted] == [("autofix:mender", "good\n")]
    assert output == []


# AF-1
async def test_more_files_than_one_fix_may_change_are_offered_in_halves(bench: Bench) -> None:
    verifier, output = await applied(bench, 'sed -i s/BAD/good/ "$@"', {f"{n:02}.txt": "BAD\n" for n in range(30)})
    assert [len({edit.file for edit in proposal.edits}) for proposal in verifier.accepted] == [15, 15]
    assert output == []


# AF-1
async def test_what_a_tool_does_to_other_files_is_left_out(bench: Bench) -> None:
    verifier, _ = await applied(bench, "sed -i s/BAD/good/ a.txt; echo more >> b.txt; echo new > c.txt")
    (proposal,) = verifier.accepted
    assert {edit.file for edit in proposal.edits} == {"a.txt"}


# AF-2
@pytest.mark.parametrize(
    ("run", "why"),
    [
        ("sed -i s/BAD/good/ a.txt; (echo warning: a; echo error: b c) >&2; exit 3", "it exits 3: error: b c"),
        ("sed -i s/BAD/good/ a.txt; sleep 60", "it did not end here"),
        ("no-such-program a.txt", "no-such-program is not installed where Heal runs checks"),
        ("sed -i 's/BAD/BAD still/' a.txt", "its result was undone"),
    ],
)
async def test_a_tool_that_fails_hangs_is_missing_or_fixes_nothing_is_undone_and_named(
    bench: Bench, run: str, why: str
) -> None:
    verifier, output = await applied(bench, run, seconds=4)
    assert verifier.accepted == []
    assert [one.what for one in output] == ["autofix with mender"]
    assert why in output[0].why


# AF-2
async def test_a_tool_that_makes_more_errors_is_undone(bench: Bench) -> None:
    verifier = await bench.verifier({"a.py": "import os\nx = 1\n"}, "ruff check --select F,E7 .")
    output: list[NotChecked] = []
    worse = NamedTool(name="ruff-mender", run="printf 'x = 1\\nprint(y); print(z)\\n' > a.py")
    await Autofix(verifier, output, named=(worse,)).run(tuple(verifier.errors.values()))
    assert [p.source for p in verifier.accepted] == ["autofix:ruff"]
    assert "new: " in output[0].why


# AF-1
async def test_workflow_files_are_left_alone(bench: Bench) -> None:
    files = {".github/workflows/ci.yml": "BAD\n", "a.txt": "BAD\n"}
    verifier = await bench.verifier(files, CHECK)
    error = next(iter(verifier.errors.values())).model_copy(
        update={"file": ".github/workflows/ci.yml", "tool": "mender"}
    )
    output: list[NotChecked] = []
    tool = NamedTool(name="mender", run="[ $# = 0 ] || exit 9")
    await Autofix(verifier, output, frozenset(files), (tool,)).run((error,))
    assert (verifier.accepted, output) == ([], [])


# AF-2
async def test_the_tools_own_set_up_is_run_before_it(bench: Bench) -> None:
    verifier = await bench.verifier(FILES, CHECK)
    (check,) = verifier.checks
    setup = check.step.model_copy(update={"name": "Install", "run": "printf 'sed -i s/BAD/good/ \"$@\"' > $HOME/mend"})
    verifier.checks = (check.model_copy(update={"setup": (setup,)}),)
    verifier.shown_by = {verifier.checks[0].key: frozenset(verifier.errors)}
    output: list[NotChecked] = []
    tool = NamedTool(name="mender", run='bash "$HOME/mend" "$@"')
    await Autofix(verifier, output, named=(tool,)).run(reported_by_fixer(verifier))
    assert [p.source for p in verifier.accepted] == ["autofix:mender"], verifier.refused
    assert output == []


# AF-2 AG-13
async def test_two_tools_that_do_the_same_are_one_proposal_and_nothing_to_report(bench: Bench) -> None:
    verifier = await bench.verifier(FILES, CHECK)
    output: list[NotChecked] = []
    tools = tuple(NamedTool(name=name, run='sed -i s/BAD/good/ "$@"') for name in ("mender", "other"))
    errors = tuple(e.model_copy(update={"category": Category.LINT}) for e in verifier.errors.values())
    await Autofix(verifier, output, frozenset(FILES), tools).run(errors)
    assert ([p.source for p in verifier.accepted], output) == (["autofix:mender"], [])
