"""What a request says once: code beside a traceback, values beside their assertion, commands, and tools of use only."""

import re
from pathlib import Path

import pytest

from healing.llm.protocol import Block
from healing.model import CIError
from healing.repair.agents.error_words import facts
from healing.repair.agents.fences import new_nonce
from healing.repair.agents.first_message import trunk
from healing.repair.agents.profiles import load_profile
from healing.repair.agents.shown_code import code_lines, without_shown_code
from healing.repair.agents.task import Excerpt
from healing.repair.agents.tools.commands import DEFAULTS, distinct
from healing.repair.agents.tools.toolbox import available
from tests.model_standin import oracle
from tests.repair.agents.folder import task_of
from tests.repair.agents.scene import ERRORS, FIXES, scene

NONCE = new_nonce()
CODE = Excerpt(
    file="test_shop.py",
    first_line=1,
    text="from shop import total\n\n\ndef test_total():\n    items = [1, 2]\n\n    assert total(items) == 4",
)
FRAME = """    def test_total():
        items = [1, 2]

>       assert total(items) == 4
E       assert 3 == 4
E        +  where 3 = total([1, 2])

items = [1, 2]

test_shop.py:7: AssertionError"""
FAILED = ERRORS[0].model_copy(
    update={
        "file": "test_shop.py",
        "line": 7,
        "excerpt": FRAME,
        "message": "assert 3 == 4",
        "expected": "4",
        "actual": "3",
    }
)


# AG-12
def test_of_a_frame_whose_code_is_shown_the_failing_line_and_the_values_stay() -> None:
    first, second = trunk(task_of((FAILED,), contexts=(CODE,)), NONCE)
    assert "excerpt of the log:\n>       assert total(items) == 4\nE       assert 3 == 4\n" in first
    assert "items = [1, 2]\n\ntest_shop.py:7: AssertionError" in first, "the locals are nowhere else"
    assert "5\t    items = [1, 2]" in second


# AG-12
@pytest.mark.parametrize(
    "parts",
    [(), (CODE.model_copy(update={"file": "other.py"}),), (CODE.model_copy(update={"text": "def test_total():"}),)],
    ids=["no code", "another file", "only a part"],
)
def test_a_frame_of_which_a_line_is_not_shown_stays_whole(parts: tuple[Excerpt, ...]) -> None:
    assert without_shown_code(FRAME, code_lines(parts)) == FRAME


# AG-12
def test_each_frame_is_judged_by_its_own_file_and_text_that_is_no_traceback_stays() -> None:
    deeper = "    def total(items):\n>       return items.sum\n\nshop.py:2: in total"
    both = f"{FRAME}\n{deeper}"
    assert without_shown_code(both, code_lines([CODE])).endswith(f"test_shop.py:7: AssertionError\n{deeper}")
    log = "    indented\n> quoted\nnothing fails here"
    assert without_shown_code(log, code_lines([CODE])) == log


# AG-12
@pytest.mark.parametrize(
    ("change", "named"),
    [({}, False), ({"excerpt": "FAILED test_shop.py::test_total"}, True), ({"actual": "5"}, True)],
    ids=["compared in the excerpt", "a thin log", "other values"],
)
def test_the_values_of_an_assertion_are_named_where_the_log_does_not_compare_them(
    change: dict[str, str], named: bool
) -> None:
    error: CIError = FAILED.model_copy(update=change)
    assert ("expected: 4\nactual: " in facts(error)) is named


# AG-2
def test_a_program_is_listed_once_and_pytest_both_ways() -> None:
    listed = {" ".join(words) for words in distinct(DEFAULTS)}
    assert {"pytest", "python -m pytest", "python -m unittest", "ruff check", "mypy"} <= listed
    assert not listed & {"python3 -m pytest", "python3 -m unittest", "python -m ruff check", "python -m mypy"}
    only = (("python3", "-m", "pytest"), ("python", "-m", "mypy"), ("python", "-m"))
    assert tuple(distinct(only)) == only, "nothing is left out that has no other entry"


# AG-2
def test_steps_have_labels_only_where_commands_can_not_run_them() -> None:
    task = task_of(ERRORS, steps=("pytest -q",), commands=(("pytest", "-q"),), steps_are_commands=True)
    assert "run_step" not in available(task, None)
    assert "Labels for" not in trunk(task, NONCE)[0]
    assert "run_step" in available(task.model_copy(update={"steps_are_commands": False}), None)
    bare = task.profile.model_copy(update={"tools": ("read_file", "run_step")})
    assert "run_step" in available(task.model_copy(update={"profile": bare}), None), "it has no other way"


# AG-12
async def test_only_where_an_agent_of_the_phase_has_several_errors_a_fix_can_be_withdrawn(tmp_path: Path) -> None:
    def names(tools: list[Block]) -> set[str]:
        return {tool["name"] for tool in tools}

    async with scene(tmp_path, oracle(FIXES)) as stage:
        await stage.run()
        await stage.run(several=False)
        first, *_, last = stage.standin.asked
    assert names(first.body["tools"]) - names(last.body["tools"]) == {"withdraw_fix"}


# AG-10
def test_a_secret_word_is_short_and_differs_each_time() -> None:
    words = {new_nonce() for _ in range(50)}
    assert len(words) == 50
    assert all(re.fullmatch("[0-9a-f]{8}", word) for word in words)


def test_the_test_specialist_promises_no_change_where_none_is_shown() -> None:
    assert "the change" not in load_profile("test_specialist").instructions
