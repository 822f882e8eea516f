"""What an agent did, as people read it."""

import json
from pathlib import Path

import pytest

from healing.repair.agents.call_text import call_text
from healing.repair.agents.transcript import transcript_of
from tests.model_standin import Reply, oracle, scripted
from tests.repair.agents.scene import ERRORS, FILES, FIXES, IDS, scene
from tests.repair.agents.test_limits import EtagCache
from tests.repair.agents.test_loop import GOOD, fix

TOKEN = "ghp_" + "Ab1" * 12


# AG-1
async def test_a_transcript_says_who_said_what_with_which_tool_and_what_it_cost(tmp_path: Path) -> None:
    look = Reply.use("read_file", file="src/alpha.py", first_line=1, last_line=0)
    wrong = Reply.use("read_file", file="../etc/passwd", first_line=1, last_line=0)
    async with scene(tmp_path, scripted(look, wrong, fix(list(IDS[:1]), GOOD)), ERRORS[:1]) as stage:
        stage.trajectories = EtagCache()
        await stage.run()
        reported = transcript_of(stage.trajectories.kept[0])
        spent = stage.budget.spending
    assert [(line.role, line.tool, line.failed) for line in reported.lines] == [
        ("heal", "", False),
        ("model", "", False),
        ("tool", "read_file", False),
        ("model", "", False),
        ("tool", "read_file", True),
        ("model", "", False),
        ("tool", "suggest_fix", False),
    ]
    assert (reported.calls, round(reported.dollars, 6)) == (spent.calls, round(spent.dollars, 6))
    assert sum(line.dollars for line in reported.lines) == reported.dollars > 0
    assert '"src/alpha.py"' in reported.lines[2].asked
    assert reported.lines[2].call == "file: src/alpha.py\nfirst_line: 1\nlast_line: 0"
    first = reported.first
    assert first.startswith("# Your part: ")
    assert "file: src/alpha.py\n" in first
    assert {line.error_id for line in reported.lines} == set(reported.errors) == set(IDS[:1])


# AG-1
async def test_the_first_message_of_a_transcript_is_what_was_sent(tmp_path: Path) -> None:
    async with scene(tmp_path, scripted(fix(list(IDS[:1]), GOOD)), ERRORS[:1]) as stage:
        stage.trajectories = EtagCache()
        await stage.run()
        *trunk, opening = stage.standin.asked[0].body["messages"][0]["content"]
    told = transcript_of(stage.trajectories.kept[0])
    assert told.first == "\n\n".join(block["text"] for block in trunk)
    assert told.lines[0].text == opening["text"]


# AG-1
def test_edits_of_a_call_are_shown_as_diffs_and_what_is_no_json_as_it_is() -> None:
    edit = {"file": "a.py", "old_string": "def f():\n    x = 1\n", "new_string": "def f():\n    x = 2\n"}
    diff = "--- a.py\n+++ a.py\n def f():\n-    x = 1\n+    x = 2"
    assert call_text(json.dumps(edit)) == diff
    made = {"error_ids": ["E1", "E2"], "confidence": 90, "edits": [edit, {**edit, "old_string": ""}, 7]}
    created = "--- /dev/null\n+++ a.py\n+def f():\n+    x = 2"
    assert call_text(json.dumps(made)) == f"error_ids: E1, E2\nconfidence: 90\n{diff}\n{created}\n7"
    assert call_text('{"cut": "of') == '{"cut": "of'
    assert call_text(json.dumps({"edits": [], "x": {"a": [1]}})) == 'edits: (none)\nx: {"a": [1]}'
    assert "are the same" in call_text(json.dumps({**edit, "new_string": edit["old_string"]}))


# AG-1, AG-10
async def test_nothing_hidden_and_no_secret_is_in_a_transcript(tmp_path: Path) -> None:
    files = {**FILES, "src/alpha.py": FILES["src/alpha.py"] + f"\ntoken = '{TOKEN}'  # \u202egnp\n".encode()}
    look = Reply.use("read_file", file="src/alpha.py", first_line=1, last_line=0)
    async with scene(tmp_path, scripted(look, fix(list(IDS[:1]), GOOD)), ERRORS[:1], files) as stage:
        stage.trajectories = EtagCache()
        await stage.run()
        (kept,) = stage.trajectories.kept
    text = transcript_of(kept).model_dump_json()
    assert "return alpha(os)" in text
    assert TOKEN not in text
    assert "\u202e" not in text


# AG-1
async def test_a_reply_that_was_refused_or_cut_stands_in_the_transcript_too(tmp_path: Path) -> None:
    async with scene(tmp_path, scripted(Reply(refusal="cyber")), ERRORS[:1]) as stage:
        stage.trajectories = EtagCache()
        await stage.run()
        reported = transcript_of(stage.trajectories.kept[0])
    assert reported.lines[-1].text == "(nothing; the reply ended with: refusal)"


# LM-6, AG-3
async def test_a_fix_says_what_its_agents_calls_cost(tmp_path: Path) -> None:
    async with scene(tmp_path, oracle(FIXES, careful=True)) as stage:
        result = await stage.run()
    assert len(result.proposals) == 4
    assert all(proposal.dollars > 0 for proposal in result.proposals)
    assert sum(p.dollars for p in result.proposals) == pytest.approx(stage.budget.spending.dollars, abs=1e-5)
