"""Where the harness ends what a model would go on with: early exits, the syntax gate, time; and what is kept."""

import asyncio
from pathlib import Path

import pytest

from healing.model import Candidate, Edit, Proposal
from healing.repair.agents.fences import unmasked
from healing.repair.agents.stop import Decision, Progress, decide
from healing.repair.agents.syntax_repair import repaired
from healing.repair.agents.task import AgentLimits
from healing.repair.agents.trajectory import Trajectory
from healing.verify.fixed_again import fixed_again
from healing.verify.verdict import Verdict
from tests.model_standin import Reply, scripted
from tests.model_standin.brains import target_of
from tests.model_standin.replies import Body
from tests.repair.agents.folder import LintVerifier
from tests.repair.agents.scene import ERRORS, FILES, IDS, Scene, scene
from tests.repair.agents.test_loop import GOOD, endings, fix, report

ONE = ERRORS[:1]


class OtelListener(LintVerifier):
    """Refuses everything, and says what was still there after the edits."""

    def __init__(self, stage: Scene, *still: str, worse: bool = False) -> None:
        super().__init__(stage.files, stage.errors)
        self.still, self.worse = list(still), worse

    async def submit(self, candidate: Candidate) -> Verdict:
        self.submitted.append(candidate)
        message = self.still.pop(0)
        return Verdict(accepted=False, message="still red", still=(message,) if message else (), worse=self.worse)


class Fixed(LintVerifier):
    """Says of everything that accepted fixes have fixed it already."""

    async def submit(self, candidate: Candidate) -> Verdict:
        self.submitted.append(candidate)
        return Verdict(
            accepted=False, message="already fixed: the accepted fix P1 makes this change", already_fixed=True
        )


def tries(count: int = 9) -> list[Reply]:
    return [fix([IDS[0]], ("src/alpha.py", "return alpha(os)", f"return alpha({n})")) for n in range(count)]


async def ended(stage: Scene, verifier: LintVerifier) -> tuple[dict[str, str], int]:
    stage.verifier = verifier
    return endings(await stage.run()), len(verifier.submitted)


# AG-5
async def test_the_same_message_after_two_applied_edits_ends_the_error(tmp_path: Path) -> None:
    async with scene(tmp_path, scripted(*tries()), ONE) as stage:
        assert await ended(stage, OtelListener(stage, "alpha is undefined", "alpha is undefined")) == (
            {IDS[0]: "unchanged"},
            2,
        )


# AG-5
async def test_another_message_or_one_that_was_not_seen_is_progress_until_three_are_refused(tmp_path: Path) -> None:
    for still in (("a", "b", "a"), ("a", "", "a"), ("", "", "")):
        async with scene(tmp_path, scripted(*tries()), ONE) as stage:
            assert await ended(stage, OtelListener(stage, *still)) == ({IDS[0]: "refused"}, 3)


# AG-5
async def test_many_more_errors_than_before_end_the_error_at_once(tmp_path: Path) -> None:
    async with scene(tmp_path, scripted(*tries()), ONE) as stage:
        assert await ended(stage, OtelListener(stage, "a", worse=True)) == ({IDS[0]: "worse"}, 1)


# CK-7
async def test_an_error_that_others_had_fixed_already_is_settled_by_one_submission_without_a_report(
    tmp_path: Path,
) -> None:
    async with scene(tmp_path, scripted(*tries()), ONE) as stage:
        assert await ended(stage, Fixed(stage.files, stage.errors)) == ({}, 1)


# AG-5
def test_a_fix_that_changes_lines_again_that_the_run_fixed_before_says_so() -> None:
    read = {"a.py": b"one = 1\ntwo = 3\nthree = 3\n"}.get
    before = Edit(file="a.py", old_string="two = 2\n", new_string="two = 3\n")
    earlier = Proposal(
        id="P1", source="agent:x", phase="fast", title="t", explanation="e", confidence=5, error_ids=("E1",),
        edits=(before,), wide=(), reverse=(), evidence=(), base_tree="",
    )  # fmt: skip
    again = Edit(file="a.py", old_string="two = 3", new_string="two = 2")
    beside = Edit(file="a.py", old_string="three = 3", new_string="three = 4")
    elsewhere = Edit(file="b.py", old_string="two = 3", new_string="two = 2")
    assert fixed_again([again], [earlier], read) == ("changes lines of a.py again that P1 fixed in this run",)
    assert fixed_again([beside, elsewhere], [earlier], read) == ()
    undone = {"a.py": b"one = 1\ntwo = 2\nthree = 3\n"}.get
    assert fixed_again([Edit(file="a.py", old_string="two", new_string="2")], [earlier], undone)


# AG-1
@pytest.mark.parametrize(
    ("more", "reason"),
    [({"calls": 10}, "limit"), ({"refusals": 3}, "refused"), ({"seconds": 300.0}, "time"),
     ({"repeated": True}, "repeated"), ({"unchanged": True}, "unchanged"), ({"worse": True}, "worse")],
)  # fmt: skip
def test_every_limit_is_looked_at_before_a_call(more: dict[str, object], reason: str) -> None:
    progress = Progress(target="E1", settled=(), missing=("E1",), rounds=0, calls=0, refusals=0)
    assert decide(progress, True, AgentLimits()).step == "go_on"
    ending = decide(progress.model_copy(update=more), True, AgentLimits())
    assert (ending.step, ending.reason) == ("give_up", reason)
    assert decide(progress.model_copy(update={"missing": (), **more}), True, AgentLimits()) == Decision(step="done")


BROKEN = ("src/alpha.py", "return alpha(os)", "return str(os")


# AG-3, CK-3
async def test_what_would_not_parse_is_shown_at_once_and_repaired_without_being_counted(tmp_path: Path) -> None:
    async with scene(tmp_path, scripted(fix([IDS[0]], BROKEN), fix([IDS[0]], GOOD)), ONE) as stage:
        result = await stage.run()
    reported = stage.words(1)
    assert "not counted: it would not parse (try 1 of 3)" in reported
    assert "5\t    return str(os" in reported, "the would-be code"
    assert endings(result) == {IDS[0]: "fixed"}
    assert (len(stage.verifier.submitted), result.failed) == (1, ())


# AG-3
async def test_after_three_repairs_the_slips_of_form_are_put_right_without_the_model(tmp_path: Path) -> None:
    fenced = ("src/alpha.py", "    return alpha(os)\n", "```python\nreturn str(os)\n```\n")
    async with scene(tmp_path, scripted(*[fix([IDS[0]], fenced)] * 4), ONE) as stage:
        result = await stage.run()
    assert endings(result) == {IDS[0]: "fixed"}
    assert len(stage.verifier.submitted) == 1
    assert result.proposals[0].edits[0].new_string == "    return str(os)\n"


# AG-3
async def test_what_never_parses_ends_as_refused(tmp_path: Path) -> None:
    wrong = [fix([IDS[0]], ("src/alpha.py", "return alpha(os)", f"return ({n}")) for n in range(9)]
    async with scene(tmp_path, scripted(*wrong), ONE) as stage:
        stage.verifier = OtelListener(stage, "", "", "")
        result = await stage.run()
    assert endings(result) == {IDS[0]: "refused"}


@pytest.mark.parametrize(
    ("old", "new", "after"),
    [
        ("    y = x\n", "y = 2\n", "    y = 2\n"),
        ("    y = x\n", "```py\n    y = 2\n```", "    y = 2\n"),
        ("    y = x\n", "\ty = 2\n", "    y = 2\n"),
        ("    y = x\n", "if x:\n        y = 2\n", "    if x:\n            y = 2\n"),
        ("    y = x\n", "y = (2\n", None),
    ],
)
def test_the_last_resort_fixes_form_alone(old: str, new: str, after: str | None) -> None:
    made = repaired(Edit(file="a.py", old_string=old, new_string=new), b"def f(x):\n    y = x\n    return y\n")
    assert (made.new_string if made else None) == after


# AG-2
async def test_an_edit_that_breaks_the_scratch_copy_says_so(tmp_path: Path) -> None:
    edit = Reply.use("edit_file", file=BROKEN[0], old_string=BROKEN[1], new_string=BROKEN[2])
    async with scene(tmp_path, scripted(edit, report(IDS[0])), ONE) as stage:
        await stage.run()
    assert "now it does not parse: repair that before you hand it in" in stage.words(1)


# AG-9
async def test_a_model_that_is_too_slow_ends_its_error_and_the_next_one_gets_its_time(tmp_path: Path) -> None:
    def brain(body: Body, n: int) -> Reply:
        return Reply.broken("hang") if target_of(body) == IDS[0] else report(IDS[1])

    async with scene(tmp_path, brain, ERRORS[:2]) as stage:
        stage.limits = AgentLimits(seconds=3)
        result = await stage.run()
    assert endings(result) == {IDS[0]: "time", IDS[1]: "given-up"}


# AG-9
async def test_a_cluster_ends_after_its_time_with_everything_reported(tmp_path: Path) -> None:
    async with scene(tmp_path, lambda body, n: Reply.broken("hang"), ERRORS) as stage:
        stage.limits = AgentLimits(cluster_seconds=0.5)
        result = await stage.run()
    assert endings(result) == dict.fromkeys(IDS, "time")
    assert (tmp_path / "worktree/src/alpha.py").read_bytes() == FILES["src/alpha.py"]


class EtagCache:
    def __init__(self) -> None:
        self.kept: list[Trajectory] = []

    async def save(self, trajectory: Trajectory) -> None:
        self.kept.append(trajectory)


# AG-1
async def test_what_was_done_is_kept_whatever_way_it_ended(tmp_path: Path) -> None:
    look = Reply.use("read_file", file="src/alpha.py", first_line=1, last_line=0)
    async with scene(tmp_path, scripted(look, fix([IDS[0]], GOOD)), ONE) as stage:
        stage.trajectories = EtagCache()
        await stage.run()
        (whole,) = stage.trajectories.kept
    assert (whole.ending, whole.specialist, len(whole.steps)) == ("whole", "generalist", 2)
    assert whole.steps[0].used[0].tool == "read_file"
    assert '"src/alpha.py"' in whole.steps[0].used[0].asked
    assert "return alpha(os)" in unmasked(whole.steps[0].used[0].answered)
    assert whole.errors == IDS[:1]
    assert whole.steps[0].told.startswith(f"Now work on error {IDS[0]}.")
    assert whole.steps[1].told == "", "nothing was said beside the tools' answers"
    assert sum(step.dollars for step in whole.steps) == pytest.approx(stage.budget.spending.dollars)
    async with scene(tmp_path, lambda body, n: look if n == 0 else Reply.broken("hang"), ONE) as stage:
        stage.trajectories = EtagCache()
        running = asyncio.create_task(stage.run())
        while len(stage.standin.asked) < 2:  # noqa: ASYNC110 -- it looks at a server
            await asyncio.sleep(0.01)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        (broken,) = stage.trajectories.kept
    assert (broken.ending, len(broken.steps)) == ("broken off", 1)
