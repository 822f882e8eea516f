"""The judge of real repositories asks the same commands by hand, whatever Heal claims about itself."""

import asyncio
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.repos.cases import Breakage, CaseError, Change, Edit, Repository
from benchmarks.repos.clone import Clone
from benchmarks.repos.judge import Judge, Played, Untouched
from benchmarks.repos.tally import Tally
from benchmarks.repos.tool import Heal, Mode
from tests.benchmarks import heal_standin

ERROR = {"tool": "t", "message": "m"}
HEALED = {"exit_code": 0, "outcome": {"verdict": "healed", "errors": [ERROR], "proposals": [{"source": "fixer:x"}]}}
GREEN = {"exit_code": 0, "outcome": {"verdict": "healed", "errors": []}}
LEFT = {"exit_code": 1, "outcome": {"verdict": "not-healed", "errors": [ERROR]}}
PARTLY = {"exit_code": 1, "outcome": {"verdict": "partly", "errors": [ERROR, ERROR]}}
RIGHT, BROKEN = "right\n", "broken\n"
# Each check reads one file; the breakage turns the first two red.
CHECKS = {name: f"grep -q right {name}.txt" for name in ("first", "second", "third")}
BREAKAGE = Breakage(
    "demo-1",
    "typo",
    "yes",
    frozenset(("first", "second")),
    Change((Edit("first.txt", "right", "broken"), Edit("second.txt", "right", "broken"))),
)
FIXES = {"first.txt": RIGHT, "second.txt": RIGHT}
BACK = {"first.txt": BROKEN, "second.txt": BROKEN}


class Standin:
    """A clone of a repository with three files, and the program that plays Heal in it."""

    def __init__(self, folder: Path, mode: Mode = "laptop") -> None:
        self.folder = folder
        repository = Repository("demo", "pypi", "demo==1", (), CHECKS, (BREAKAGE,), path=())
        self.clone = Clone(repository, folder / "demo")
        self.program = folder / "heal"
        shutil.copy(heal_standin.__file__, self.program)
        self.program.write_text(f"#!{sys.executable}\n{self.program.read_text()}")
        self.program.chmod(0o755)
        self.judge = Judge(lambda clone, data: Heal(str(self.program), clone, data, mode, self.seconds), mode)
        self.seconds = 30.0

    async def ready(self, play: dict[str, Any]) -> None:
        self.clone.root.mkdir()
        for check in CHECKS:
            (self.clone.root / f"{check}.txt").write_text(RIGHT)
        await self.clone._commit_release()
        (self.folder / "play.json").write_text(json.dumps(play))

    @property
    def calls(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.folder / "calls.jsonl").read_text().splitlines()]


def played(folder: Path, play: dict[str, Any], mode: Mode = "laptop", seconds: float = 30.0) -> Played:
    async def whole() -> Played:
        stand = Standin(folder, mode)
        stand.seconds = seconds
        await stand.ready(play)
        return await stand.judge.play(stand.clone, BREAKAGE, None)

    return asyncio.run(whole())


def outcome(folder: Path, mode: Mode = "laptop", **play: Any) -> str:
    return played(folder, play, mode).outcome


# ENV-9
def test_a_case_is_healed_where_every_check_is_green_by_hand_and_rolled_back_to_the_same_bytes(tmp_path: Path) -> None:
    one = played(tmp_path, {"told": HEALED, "apply": FIXES, "rollback": BACK})
    assert (one.outcome, one.identical, one.touched, one.beyond) == ("healed", True, False, ())
    assert one.seen.reported.sources == ("fixer:x",)
    calls = [json.loads(line) for line in (tmp_path / "calls.jsonl").read_text().splitlines()]
    assert [call["words"][0] for call in calls] == ["run", "apply", "rollback"]
    assert calls[0]["words"] == ["run", "--json", "--quiet", "--run", CHECKS["first"]]
    assert len({call["data"] for call in calls}) == 1
    assert str(Path(sys.prefix) / "bin") not in calls[0]["path"].split(":"), "the repository's environment, not Heal's"


# ENV-9
def test_by_workflow_heal_is_not_told_a_command(tmp_path: Path) -> None:
    assert outcome(tmp_path, "workflow", told=HEALED, apply=FIXES, rollback=BACK) == "healed"
    assert json.loads((tmp_path / "calls.jsonl").read_text().splitlines()[0])["words"] == ["run", "--json", "--quiet"]


# ENV-9
def test_what_heal_calls_healed_and_is_red_by_hand_is_wrong(tmp_path: Path) -> None:
    one = played(tmp_path, {"told": HEALED, "apply": {"second.txt": RIGHT}, "rollback": {"second.txt": BROKEN}})
    assert (one.outcome, one.seen.after) == ("wrong", {"first"})


# ENV-9
def test_a_check_that_heal_was_not_given_and_that_stays_red_makes_a_case_partly_healed(tmp_path: Path) -> None:
    assert outcome(tmp_path, told=HEALED, apply={"first.txt": RIGHT}, rollback={"first.txt": BROKEN}) == "partly"


# ENV-9
def test_a_case_is_partly_healed_where_heal_says_that_errors_are_left(tmp_path: Path) -> None:
    assert outcome(tmp_path, told=PARTLY, apply={"second.txt": RIGHT}, rollback={"second.txt": BROKEN}) == "partly"


# ENV-9
def test_by_workflow_a_claim_is_wrong_only_where_nothing_that_was_red_is_green(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "other").mkdir()
    some, none = {"second.txt": RIGHT}, {"first.txt": "still broken\n"}
    assert outcome(tmp_path / "one", "workflow", told=HEALED, apply=some) == "partly"
    assert outcome(tmp_path / "other", "workflow", told=HEALED, apply=none) == "wrong"


# ENV-9
@pytest.mark.parametrize("reported", [HEALED, PARTLY, LEFT])
def test_a_green_check_that_turns_red_is_wrong_whatever_heal_says(tmp_path: Path, reported: dict[str, Any]) -> None:
    one = played(tmp_path, {"told": reported, "apply": {**FIXES, "third.txt": BROKEN}, "rollback": BACK})
    assert (one.outcome, one.beyond, one.identical) == ("wrong", ("third.txt",), False)


# ENV-9
@pytest.mark.parametrize(
    ("reported", "expected"),
    [
        (GREEN, "false-green"),
        (HEALED, "false-green"),
        (LEFT, "unfixable"),
        ({"exit_code": 3}, "could-not-look"),
        ({"exit_code": 1, "outcome": {"verdict": "could-not-look"}}, "could-not-look"),
        ({"exit_code": 2}, "crashed"),
        ({"exit_code": 1}, "crashed"),
        ({"exit_code": 0}, "crashed"),
    ],
)
def test_without_an_offer_the_exit_code_and_the_verdict_decide(
    tmp_path: Path, reported: dict[str, Any], expected: str
) -> None:
    one = played(tmp_path, {"told": reported})
    assert (one.outcome, one.identical) == (expected, True)


# ENV-9
def test_a_program_that_dies_or_takes_too_long_crashed(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "other").mkdir()
    assert outcome(tmp_path / "one", dies="run", told=HEALED) == "crashed"
    assert played(tmp_path / "other", {"hangs": "run", "told": HEALED}, seconds=1).outcome == "crashed"


# ENV-9
def test_files_that_run_itself_changes_are_no_offer(tmp_path: Path) -> None:
    one = played(tmp_path, {"told": HEALED, "run": FIXES})
    assert (one.outcome, one.touched, one.identical) == ("false-green", True, False)


# ENV-9
def test_a_rollback_that_leaves_a_new_file_or_another_mode_is_not_identical(tmp_path: Path) -> None:
    one = played(tmp_path, {"told": HEALED, "apply": {**FIXES, "new.txt": "n"}, "rollback": BACK})
    assert (one.outcome, one.beyond, one.identical) == ("healed", ("new.txt",), False)


def test_a_breakage_that_turns_nothing_red_is_no_case(tmp_path: Path) -> None:
    async def whole() -> None:
        stand = Standin(tmp_path)
        await stand.ready({})
        green = Breakage("demo-2", "typo", "yes", frozenset(), Change(create={"more.txt": "x"}))
        await stand.judge.play(stand.clone, green, None)

    with pytest.raises(CaseError, match="nothing is red after the breakage"):
        asyncio.run(whole())


def untouched(folder: Path, told: dict[str, Any]) -> tuple[Untouched, Played]:
    async def whole() -> tuple[Untouched, Played]:
        stand = Standin(folder)
        await stand.ready({"untouched": told, "told": LEFT})
        seen = await stand.judge.untouched(stand.clone)
        return seen, await stand.judge.play(stand.clone, BREAKAGE, seen)

    return asyncio.run(whole())


# ENV-9
@pytest.mark.parametrize(
    ("reported", "false_red", "could_not_look"),
    [(GREEN, False, False), (LEFT, True, False), ({"exit_code": 3}, False, True), ({"exit_code": 2}, False, True)],
)
def test_errors_on_the_untouched_commit_are_false_and_make_a_case_misread(
    tmp_path: Path, reported: dict[str, Any], false_red: bool, could_not_look: bool
) -> None:
    seen, case = untouched(tmp_path, reported)
    assert (seen.false_red, seen.could_not_look) == (false_red, could_not_look)
    assert set(seen.reported) == set(CHECKS), "on a laptop every check is asked about"
    assert (case.outcome, case.misread) == ("unfixable", false_red)
    assert seen.times is not None
    assert seen.times.again is not None, "the check itself is green"


# ENV-9
def test_figures_count_each_outcome_and_goals_are_met_only_by_what_was_measured(tmp_path: Path) -> None:
    seen, left = untouched(tmp_path, GREEN)
    (tmp_path / "more").mkdir()
    healed = played(tmp_path / "more", {"told": HEALED, "apply": FIXES, "rollback": BACK})
    tally = Tally("laptop", [left, healed], [seen])
    counts = tally.counts()
    assert (counts["cases"], counts["healed"], counts["unfixable"], counts["false_red"]) == (2, 1, 1, 0)
    assert tally.agreement == (5, 5), "three green checks and two red ones"
    shares = tally.shares()
    assert (shares["free_pct"], shares["free_low"], shares["free_high"]) == (50.0, 9.5, 90.5), "1 of 2 after Wilson"
    unmet = {goal.name for goal in tally.goals() if not goal.ok}
    assert unmet == {"of breakages marked `free: yes`, fixed without a model %"}
    assert [row["case"] for row in tally.rows()][:3] == ["demo-1", "demo-1", "demo"]
    assert not any(goal.ok for goal in Tally("laptop", [], []).goals())


# ENV-9
def test_a_verdict_that_disagrees_with_the_command_by_hand_counts_against_agreement(tmp_path: Path) -> None:
    seen, _ = untouched(tmp_path, LEFT)
    (tmp_path / "more").mkdir()
    green = played(tmp_path / "more", {"told": GREEN})
    assert Tally("laptop", [green], [seen]).agreement == (0, 4)
