"""After a fix was accepted: what the next error begins with, and what else the same reply called."""

from pathlib import Path

from healing.llm.anthropic import AnthropicModel
from healing.repair.agents.agent_context import AgentContext
from healing.repair.agents.loop import run_agent
from healing.repair.agents.strategies.consensus import ProofOnly
from healing.repair.agents.task import AgentResult
from healing.verify.verdict import CandidateVerifier
from tests.model_standin import Reply, scripted, use
from tests.model_standin.brains import trunk_of
from tests.model_standin.replies import Block
from tests.repair.agents.folder import undefined
from tests.repair.agents.scene import ERRORS, FILES, IDS, IMPATIENT, Scene, scene
from tests.repair.agents.test_loop import GOOD, endings, report

HELP = "".join(f"# help {n}\n" for n in range(1, 81))
BOTH = b"import os\n\n\ndef both():\n    return one(os), two(os)\n\n\ndef more():\n    return three(os)\n"
IN_ONE = tuple(undefined(name, "src/both.py", line) for name, line in (("one", 5), ("two", 5), ("three", 9)))
ONE, TWO, THREE = (error.id for error in IN_ONE)


def hand_in(ids: list[str], *edits: tuple[str, str, str]) -> Block:
    named = [{"file": file, "old_string": old, "new_string": new} for file, old, new in edits]
    return use("suggest_fix", error_ids=ids, title="t", explanation="e", confidence=80, edits=named)


def look(file: str, first: int = 1, last: int = 0) -> Block:
    return use("read_file", file=file, first_line=first, last_line=last)


def together(*blocks: Block) -> Reply:
    """One reply with several calls."""
    return Reply(blocks)


def both_files() -> dict[str, bytes]:
    return {"src/both.py": BOTH, "src/help.py": HELP.encode()}


def opening(stage: Scene, number: int = -1) -> str:
    """What the branch of a request begins with."""
    return "Now work on" + trunk_of(stage.standin.asked[number].body).partition("Now work on")[2]


# AG-12, AG-11
async def test_the_next_error_begins_with_what_was_read_and_the_accepted_diff(tmp_path: Path) -> None:
    files = {**FILES, "src/help.py": HELP.encode()}
    brain = scripted(
        together(look("src/help.py", 1, 2), look("src/alpha.py")), together(hand_in([IDS[0]], GOOD)), report(IDS[1])
    )
    async with scene(tmp_path, brain, ERRORS[:2], files) as stage:
        result = await stage.run()
    words = opening(stage)
    assert endings(result) == {IDS[0]: "fixed", IDS[1]: "given-up"}
    assert "as your scratch copy has it now:" in words
    assert "file: src/help.py\n1\t# help 1\n2\t# help 2\n" in words
    assert "in src/alpha.py\n- return alpha(os)\n+ return str(os)" in words
    assert f"Already settled in this cluster:\n- {IDS[0]}: your fix {result.proposals[0].id} was accepted\n" in words
    assert "Your scratch copy holds these edits; the first message shows the code without them." in words
    assert "file: src/alpha.py" not in words, "no open error names it"
    assert words.count("# help 1\n") == 1


# AG-12
async def test_what_is_settled_stands_in_one_line_however_it_ended(tmp_path: Path) -> None:
    fix = hand_in([IDS[1]], ("src/beta.py", "return beta(os)", "return str(os)"))
    brain = scripted(together(hand_in([IDS[0]], GOOD)), together(fix), report(IDS[2]), report(IDS[3]))
    async with scene(tmp_path, brain) as stage:
        await stage.run()
    (line,) = [line for line in opening(stage).splitlines() if line.startswith("- ") and "accepted" in line]
    assert line.count("; ") == 2
    assert f"{IDS[2]}: reported as not fixable" in line


# AG-12
async def test_lines_that_were_read_are_kept_as_the_accepted_fix_left_them(tmp_path: Path) -> None:
    long = "import os\n\n\n" + "".join(f"def f{n}():\n    return {n}\n\n\n" for n in range(40)).replace(
        "return 2\n", "return one(os)\n"
    ).replace("return 39\n", "return two(os)\n")
    errors = (undefined("one", "src/long.py", 13), undefined("two", "src/long.py", 161))
    brain = scripted(
        Reply((look("src/long.py", 1, 90),)),
        Reply(
            (hand_in([errors[0].id], ("src/long.py", "    return one(os)\n", "    text = os\n    return str(text)\n")),)
        ),
        report(errors[1].id),
    )
    async with scene(tmp_path, brain, errors, {"src/long.py": long.encode()}) as stage:
        await stage.run()
    words = opening(stage)
    assert "13\t    text = os\n14\t    return str(text)" in words
    assert "one(os)" not in words.partition("as your scratch copy has it now:")[2]
    shown = words.partition("as your scratch copy has it now:")[2]
    assert "\tdef f18():" in shown, "the first message had it not"
    assert "\tdef f3():" not in shown, "it stands there still"


# AG-1
async def test_two_fixes_and_a_look_in_one_reply_are_each_answered_on_what_those_before_left(tmp_path: Path) -> None:
    brain = scripted(
        together(
            hand_in([ONE], ("src/both.py", "one(os)", "str(os)")),
            hand_in([TWO], ("src/both.py", "return str(os), two(os)", "return str(os), repr(os)")),
            look("src/both.py", 5, 5),
        ),
        report(THREE),
    )
    async with scene(tmp_path, brain, IN_ONE, both_files()) as stage:
        result = await stage.run()
    words = opening(stage)
    assert endings(result) == {ONE: "fixed", TWO: "fixed", THREE: "given-up"}
    assert len(stage.standin.asked) == 2
    places = [words.index(text) for text in (f"settles: {ONE}", f"settles: {TWO}", "5\t    return str(os), repr(os)")]
    assert places == sorted(places), "in the order of the reply"
    assert words.count("return str(os), repr(os)") == 3, (
        "the question, the answer, the edit: what was read is no fourth"
    )


# AG-1
async def test_what_was_refused_or_searched_beside_an_accepted_fix_is_answered_too(tmp_path: Path) -> None:
    brain = scripted(
        together(
            hand_in([ONE], ("src/both.py", "one(os)", "str(os)")),
            hand_in([TWO], ("src/both.py", "two(os)", "two(os, 1)")),
            use("grep", expression="help 7$", files="*", context=0),
            use("no_such_tool"),
        ),
        report(TWO),
        report(THREE),
    )
    async with scene(tmp_path, brain, IN_ONE, both_files()) as stage:
        result = await stage.run()
    words = opening(stage, 1)
    assert "still red after the edits" in words
    assert "src/help.py:7:# help 7" in words
    assert "- `(no tool of yours)`, asked" in words
    assert "there is no tool" in words
    assert len(result.failed) == 1
    assert "What your last reply called" not in opening(stage, 2), "told once"


# AG-11
async def test_the_edits_of_an_accepted_fix_for_another_error_add_nothing(tmp_path: Path) -> None:
    async def edits(gone: set[str], folder: Path) -> tuple[AgentResult, str]:
        edit = ("src/both.py", "one(os)", "str(os)")
        brain = scripted(together(hand_in([ONE], edit), hand_in([TWO], edit)), report(TWO), report(THREE))
        async with scene(folder, brain, IN_ONE, both_files()) as stage:
            stage.verifier.gone = gone
            return await stage.run(), opening(stage, 1)

    result, words = await edits(set(), tmp_path / "a")
    assert f"an accepted fix of yours makes this change. Still there with it: {TWO}." in words
    assert result.failed == ()
    result, words = await edits({TWO}, tmp_path / "b")
    assert f"Now work on error {THREE}." in words
    assert result.already_fixed == (TWO,)


# AG-1
async def test_what_is_changed_after_an_accepted_fix_in_one_reply_is_there_for_the_next_error(tmp_path: Path) -> None:
    change = use("edit_file", file="src/both.py", old_string="two(os)", new_string="repr(os)")
    brain = scripted(
        together(hand_in([ONE], ("src/both.py", "one(os)", "str(os)")), change),
        together(hand_in([TWO])),
        report(THREE),
    )
    async with scene(tmp_path, brain, IN_ONE, both_files()) as stage:
        result = await stage.run()
        after = (stage.root / "src/both.py").read_bytes()
    assert "It also holds other changes of yours, in\n" in opening(stage, 1)
    assert endings(result) == {ONE: "fixed", TWO: "fixed", THREE: "given-up"}
    assert "one(os)" not in result.proposals[1].edits[0].old_string
    assert after == BOTH, "the worktree is the base again"


# AG-1
async def test_a_change_beside_named_edits_is_kept_where_it_was_not_handed_in(tmp_path: Path) -> None:
    changes = [
        use("edit_file", file="src/both.py", old_string=f"{name}(os)", new_string="repr(os)")
        for name in ("one", "three")
    ]
    brain = scripted(
        together(*changes, hand_in([ONE], ("src/both.py", "one(os)", "str(os)")), hand_in([THREE])), report(TWO)
    )
    async with scene(tmp_path, brain, IN_ONE, both_files()) as stage:
        result = await stage.run()
    assert endings(result) == {ONE: "fixed", THREE: "fixed", TWO: "given-up"}
    assert "repr" not in str(result.proposals[0].edits)
    assert "one" not in str(result.proposals[1].edits), "the fix that was accepted is what stands there"


# AG-5
async def test_edits_that_were_refused_may_come_again_once_another_fix_was_accepted(tmp_path: Path) -> None:
    early = ("src/both.py", "two(os)", "two(os, 1)")
    brain = scripted(
        together(hand_in([TWO], early), hand_in([ONE], ("src/both.py", "one(os)", "str(os)"))),
        together(hand_in([TWO], early)),
        together(hand_in([TWO], early)),
        report(THREE),
    )
    async with scene(tmp_path, brain, IN_ONE, both_files()) as stage:
        result = await stage.run()
    assert endings(result) == {ONE: "fixed", TWO: "repeated", THREE: "given-up"}
    assert len(stage.verifier.submitted) == 3, "on the new base once, and not twice"


# AG-9
async def test_where_a_fix_is_only_proven_the_scratch_copy_stays_the_untouched_base(tmp_path: Path) -> None:
    brain = scripted(together(hand_in([IDS[0]], GOOD), look("src/alpha.py", 5, 5)), report(IDS[1]))
    async with scene(tmp_path, brain, ERRORS[:2]) as stage:
        await _run(stage, ProofOnly(stage.verifier))
    assert "Your scratch copy is the untouched base again, without those changes." in opening(stage)
    assert "5\t    return alpha(os)" in opening(stage)


# OP-3
async def test_a_further_life_goes_the_same_way_through_replies_with_several_calls(tmp_path: Path) -> None:
    brain = scripted(
        together(look("src/help.py"), hand_in([ONE], ("src/both.py", "one(os)", "str(os)")), look("src/both.py")),
        together(hand_in([TWO], ("src/both.py", "two(os)", "repr(os)"))),
        report(THREE),
    )
    async with scene(tmp_path, brain, IN_ONE, both_files()) as stage:
        first = await stage.run()
        assert await stage.run() == first
        assert len(stage.standin.asked) == 3


async def _run(stage: Scene, verifier: CandidateVerifier) -> AgentResult:
    model = AnthropicModel(stage.model_name, stage.standin.key, stage.standin.url)
    try:
        agent_context = AgentContext(model, stage.steps, stage.budget, retry=IMPATIENT)
        return await run_agent(stage.task(), stage.workspace, verifier, agent_context)
    finally:
        await model.close()
