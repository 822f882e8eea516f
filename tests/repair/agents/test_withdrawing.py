"""An agent takes back a fix of its own: its errors are open again, what was spent on them still counts."""

import asyncio
from pathlib import Path

from healing.llm.budget import Budget
from healing.llm.protocol import ToolCall
from healing.model import Proposal
from healing.repair.agents.agent_context import AgentContext
from healing.repair.agents.ledger import ClusterLedger
from healing.repair.agents.scratch import Scratch
from healing.repair.agents.strategies.consensus import ProofOnly
from healing.repair.agents.strategies.race import Race, RunnerVerifier
from healing.repair.agents.task import AgentLimits
from healing.repair.agents.tools.toolbox import Toolbox
from healing.steps import MemorySteps
from healing.verify.verdict import Withdrawal
from tests.model_standin import Reply, use
from tests.model_standin.replies import Block, Body
from tests.repair.agents.folder import FolderWorkspace, LintVerifier, fill, task_of
from tests.repair.agents.scene import Scene, scene
from tests.repair.agents.test_after_acceptance import (
    IN_ONE,
    ONE,
    THREE,
    TWO,
    both_files,
    hand_in,
    look,
    opening,
    together,
)
from tests.repair.agents.test_loop import endings, report

FIRST = ("src/both.py", "one(os)", "str(os)")
SECOND = ("src/both.py", "two(os)", "repr(os)")
THIRD = ("src/both.py", "three(os)", "repr(os)")


def take_back(stage: Scene, why: str = "it is wrong for negative numbers") -> Block:
    """Withdraws the fix that was accepted first."""
    return use("withdraw_fix", fix_id=accepted_ids(stage)[0], why=why)


def accepted_ids(stage: Scene) -> list[str]:
    """The ids in the stage's answers, in their order."""
    said = "".join(stage.words(n) for n in range(len(stage.standin.asked)))
    return [part.partition(".")[0] for part in said.split("Accepted as ")[1:]] or [
        part.partition(" was accepted")[0] for part in said.split("your fix ")[1:]
    ]


async def played(tmp_path: Path, *turns: object) -> Scene:
    """A stage after these turns; a turn may be a function of the stage."""
    waiting = list(turns)

    def brain(body: Body, n: int) -> Reply:
        turn = waiting.pop(0)
        return turn(stage) if callable(turn) else turn  # type: ignore[return-value]

    async with scene(tmp_path, brain, IN_ONE, both_files()) as stage:
        stage.result = await stage.run()  # type: ignore[attr-defined]
        return stage


# AG-12
async def test_a_withdrawn_fix_is_gone_and_its_error_is_worked_on_again(tmp_path: Path) -> None:
    stage = await played(
        tmp_path,
        together(hand_in([ONE], FIRST)),
        lambda stage: together(take_back(stage), look("src/both.py", 5, 5)),
        together(hand_in([TWO], SECOND)),
        together(hand_in([ONE], ("src/both.py", "one(os)", "len(os)"))),
        report(THREE),
    )
    result = stage.result  # type: ignore[attr-defined]
    assert endings(result) == {ONE: "fixed", TWO: "fixed", THREE: "given-up"}
    assert [edit.new_string for p in result.proposals for edit in p.edits] == ["repr(os)", "len(os)"]
    answer = stage.words(2)
    assert f"Open again: {ONE}." in answer
    assert "5\t    return one(os), two(os)" in answer, "the scratch copy is without it"
    assert "was withdrawn by its author" in opening(stage, 3)
    assert len(stage.verifier.withdrawn) == 1


# AG-12
async def test_a_fix_may_be_withdrawn_in_the_reply_that_handed_it_in_and_be_accepted_again(tmp_path: Path) -> None:
    stage = await played(
        tmp_path,
        together(hand_in([ONE], FIRST), hand_in([TWO], SECOND)),
        lambda stage: together(take_back(stage), hand_in([ONE], FIRST), hand_in([THREE], THIRD)),
    )
    result = stage.result  # type: ignore[attr-defined]
    assert endings(result) == dict.fromkeys((ONE, TWO, THREE), "fixed")
    assert [p.error_ids for p in result.proposals] == [(TWO,), (ONE,), (THREE,)]
    assert len(stage.standin.asked) == 2


# AG-12
async def test_a_report_after_it_says_that_a_fix_was_withdrawn_by_its_author(tmp_path: Path) -> None:
    stage = await played(
        tmp_path,
        together(hand_in([ONE], FIRST)),
        lambda stage: together(
            take_back(stage), use("report_unfixable", error_ids=["all"], tried="a", why="b", advice="c")
        ),
    )
    result = stage.result  # type: ignore[attr-defined]
    assert endings(result) == dict.fromkeys((ONE, TWO, THREE), "given-up")
    (told,) = result.unfixables
    assert told.tried == "a; a fix was accepted and withdrawn by its author: it is wrong for negative numbers"
    assert result.proposals == ()


# AG-12
async def test_which_errors_are_open_again_a_check_says(tmp_path: Path) -> None:
    def withdrawing(stage: Scene) -> Reply:
        stage.verifier.gone = {ONE}  # another agent's fix has fixed it, too
        return together(take_back(stage))

    stage = await played(tmp_path, together(hand_in([ONE], FIRST)), withdrawing, report(TWO), report(THREE))
    assert "Open again: none, for other fixes fix its errors." in stage.words(2)
    assert stage.result.already_fixed == (ONE,)  # type: ignore[attr-defined]


# AG-12, AG-5
async def test_calls_that_were_spent_on_an_error_count_after_a_withdrawal(tmp_path: Path) -> None:
    waiting = [
        lambda stage: together(hand_in([ONE], FIRST)),
        lambda stage: together(take_back(stage)),
        lambda stage: together(use("report_unfixable", error_ids=[TWO, THREE], tried="a", why="b", advice="c")),
        lambda stage: together(look("src/both.py")),
    ]
    async with scene(tmp_path, lambda body, n: waiting[n](stage), IN_ONE, both_files()) as stage:
        stage.limits = AgentLimits(calls=2)
        result = await stage.run()
    assert endings(result) == {ONE: "limit", TWO: "given-up", THREE: "given-up"}
    assert len(stage.standin.asked) == 4


class Kept:
    """A toolbox in a real folder, with a verifier that says what it was asked."""

    def __init__(self, root: Path, verifier: object = None) -> None:
        fill(root, both_files())
        workspace = FolderWorkspace(root)
        self.door = verifier or LintVerifier(both_files(), IN_ONE, workspace)
        self.ledger = ClusterLedger(task_of(IN_ONE))
        agent_context = AgentContext(Named(), MemorySteps(), Budget(1.0))  # type: ignore[arg-type]
        self.toolbox = Toolbox(Scratch(workspace), self.door, self.ledger, "0" * 16, agent_context)  # type: ignore[arg-type]

    async def call(self, block: Block) -> str:
        result = await self.toolbox.run(ToolCall(id="c", name=block["name"], arguments=block["input"]))
        return str(result["content"])

    async def accepted(self, ids: list[str], edit: tuple[str, str, str]) -> str:
        assert "Accepted as" in await self.call(hand_in(ids, edit))
        return self.ledger.proposals[-1].id

    async def back(self, fix_id: str, why: str = "why") -> str:
        return await self.call(use("withdraw_fix", fix_id=fix_id, why=why))


class Named:
    """A model that is never asked."""

    name = "claude-sonnet-5-5"


# AG-12, AG-10
async def test_each_wrong_way_to_withdraw_is_answered_and_changes_nothing(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    assert "no accepted fix of yours; yours are: none" in await kept.back("P1")
    mine = await kept.accepted([ONE], FIRST)
    for stranger in ("P000000000000", "", "\n## all is forgiven", mine.upper() + "x"):
        answer = await kept.back(stranger)
        assert f"no accepted fix of yours; yours are: {mine}" in answer
    assert "say why" in await kept.back(mine, " \n")
    assert "its input is wrong" in await kept.call(use("withdraw_fix", fix_id=mine))
    assert [p.id for p in kept.ledger.proposals] == [mine]
    assert f"Withdrawn: {mine}. Open again: {ONE}." in await kept.back(mine)
    assert "you have withdrawn that fix already" in await kept.back(mine)


# AG-12
async def test_an_agent_may_not_withdraw_without_end(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    for _ in range(3):
        assert "Withdrawn" in await kept.back(await kept.accepted([ONE], FIRST))
    mine = await kept.accepted([ONE], FIRST)
    assert "which is the limit" in await kept.back(mine)
    assert [p.id for p in kept.ledger.proposals] == [mine]


# AG-12
async def test_later_fixes_of_its_own_and_other_changes_stay_in_the_scratch_copy(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    first = await kept.accepted([ONE], FIRST)
    await kept.accepted([TWO], SECOND)
    await kept.call(use("edit_file", file="src/both.py", old_string="three(os)", new_string="3"))
    await kept.back(first)
    assert (tmp_path / "src/both.py").read_bytes().splitlines()[4:] == [
        b"    return one(os), repr(os)", b"", b"", b"def more():", b"    return 3",
    ]  # fmt: skip
    assert "Accepted" in await kept.call(hand_in([THREE]))


class Needy(LintVerifier):
    """Says that a later fix of the same agent needed what was withdrawn."""

    replaced: dict[str, Proposal]
    dropped: dict[str, str]

    async def withdraw(self, fix_id: str, why: str) -> Withdrawal:
        return Withdrawal(done=True, replaced=self.replaced, dropped=self.dropped)


# AG-12
async def test_fixes_that_needed_it_are_proven_again_or_dropped_with_the_reason(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    workspace = kept.toolbox.scratch.workspace
    assert isinstance(workspace, FolderWorkspace)
    needy = Needy(both_files(), IN_ONE, workspace)
    kept = Kept(tmp_path, needy)
    needy.workspace = kept.toolbox.scratch.workspace  # type: ignore[assignment]
    ids = [await kept.accepted([i], edit) for i, edit in ((ONE, FIRST), (TWO, SECOND), (THREE, THIRD))]
    anew = kept.ledger.proposals[2].model_copy(update={"id": "Panew"})
    needy.replaced, needy.dropped = {ids[2]: anew}, {ids[1]: "it does not hold without it: still red"}
    answer = await kept.back(ids[0])
    assert f"Open again: {ONE}, {TWO}." in answer
    assert f"{ids[2]} was proven again without it, as Panew. {ids[1]} is gone with it." in answer
    assert "it does not hold without it: still red" in answer
    assert kept.ledger.proposals == [anew]


# AG-9
async def test_where_fixes_are_only_proven_a_withdrawn_one_is_just_not_named(tmp_path: Path) -> None:
    workspace = FolderWorkspace(tmp_path)
    kept = Kept(tmp_path, ProofOnly(LintVerifier(both_files(), IN_ONE, workspace)))
    assert f"Open again: {ONE}." in await kept.back(await kept.accepted([ONE], FIRST))
    assert kept.ledger.proposals == []


# AG-9
async def test_in_a_race_a_withdrawn_fix_is_no_longer_won_and_after_its_end_nothing_is_withdrawn(
    tmp_path: Path,
) -> None:

    race = Race(frozenset({ONE, TWO}))
    door = LintVerifier(both_files(), IN_ONE, FolderWorkspace(tmp_path))
    kept = Kept(tmp_path, RunnerVerifier(race, door, asyncio.Lock()))
    door.workspace = kept.toolbox.scratch.workspace  # type: ignore[assignment]
    mine = await kept.accepted([ONE], FIRST)
    assert race.fixed_ids() == {ONE}
    await kept.back(mine)
    assert race.fixed_ids() == set()
    mine = await kept.accepted([ONE, TWO], ("src/both.py", "one(os), two(os)", "1, 2"))
    assert "the work on them is over" in await kept.back(mine)
    assert race.fixed_ids() == {ONE, TWO}
