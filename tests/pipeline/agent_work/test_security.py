"""A finding of a security tool is fixed only where two agents found the same fix by themselves, without a setting."""

import pytest

from tests.model_standin.brains import trunk_of
from tests.model_standin.replies import Body, Reply, use
from tests.pipeline.agent_work.test_full_runs import played
from tests.pipeline.bench import Bench

COMMAND = "ruff check --select S307 ."
READ = "def read(text: str) -> object:\n    return eval(text)\n"
SAFE = "    return __import__('ast').literal_eval(text)"
PARSED = "    return __import__('json').loads(text)"


def handing_in(new: str) -> Reply:
    return Reply(
        (
            use(
                "suggest_fix",
                error_ids=["all"],
                title="Read the text without running it",
                explanation="eval runs whatever the text says.",
                confidence=80,
                edits=[{"file": "read.py", "old_string": "    return eval(text)", "new_string": new}],
            ),
        )
    )


# AG-9
@pytest.mark.parametrize(
    ("specialist", "generalist", "asked_again", "fixed"),
    [(SAFE, SAFE, None, SAFE), (SAFE, PARSED, PARSED, PARSED), (SAFE, PARSED, "    return text", None)],
    ids=["they agree", "they differ, and the third decides", "three ways"],
)
async def test_a_security_finding_takes_two_agents_that_found_the_same(
    bench: Bench, specialist: str, generalist: str, asked_again: str | None, fixed: str | None
) -> None:
    conversations: list[str] = []

    def brain(body: Body, _number: int) -> Reply:
        if not body["max_tokens"]:
            return Reply(())
        trunk = trunk_of(body)
        if len(body["messages"]) == 1:
            conversations.append(trunk)
        if "did not find the same fix" in trunk:
            assert asked_again is not None
            assert specialist in trunk
            assert generalist in trunk
            return handing_in(asked_again)
        return handing_in(specialist if "security findings" in trunk else generalist)

    outcome = (await played(bench, {"read.py": READ}, COMMAND, brain=brain)).outcome
    assert len(conversations) == (3 if asked_again else 2)
    assert [edit.new_string.rstrip("\n") for fix in outcome.proposals for edit in fix.edits] == (
        [fixed] if fixed else []
    )
    assert [report.reason for report in outcome.unfixables] == ([] if fixed else ["no-consensus"])
