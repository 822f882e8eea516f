"""Tests of which a command prints little are run once more in full before an agent is asked, and only then."""

import re
from dataclasses import dataclass

import pytest

from healing.llm.anthropic import AnthropicModel
from healing.llm.budget import Budget
from healing.llm.fallback import alone
from healing.model import Outcome
from healing.pipeline.agent_work.full_runs import lacks_details, with_tracebacks
from healing.pipeline.agent_work.model_set import ModelSet
from healing.steps import MemorySteps
from tests.model_standin import serve
from tests.model_standin.brains import trunk_of
from tests.model_standin.replies import Body, Brain, Reply, use
from tests.model_standin.reviewers import is_review
from tests.pipeline.agent_work.test_again import about, broken, knowing
from tests.pipeline.bench import Bench, Files

LINE = "python -m pytest -q --tb=line"
SHOP = "def share(total, count):\n    rest = total % count\n    return total / (count - 1) + rest * 0\n"
TESTS = (
    "from shop import share\n\n\ndef check(total, count, wanted):\n    assert share(total, count) == wanted\n\n\n"
    "def test_half():\n    wanted = 'abc'.index('c') + 3\n    check(10, 2, wanted)\n\n\n"
    "def test_one():\n    check(7, 1, 7)\n"
)
FILES = {"shop.py": SHOP, "test_shop.py": TESTS}
LOCALS = re.compile(r"^\w+ {2,}= ", re.M)
DIVIDED = "rest       = 0\ntotal      = 7"  # the locals of the function that divides by zero


def reporting(body: Body, _number: int) -> Reply:
    """Gives up at once on everything."""
    if not body["max_tokens"]:
        return Reply(())
    return Reply((use("report_unfixable", error_ids=["all"], tried="reading", why="no", advice="look"),))


@dataclass
class Played:
    outcome: Outcome
    trunks: list[str]  # the first message of each conversation
    in_full: int  # runs that printed local variables


async def played(
    bench: Bench, files: Files, *commands: str, brain: Brain | None = reporting, base: Files | None = None
) -> Played:
    """A healing; without a brain there is no model to ask."""
    steps = MemorySteps()
    if brain is None:
        outcome, bodies = await bench.heal(base or {}, files, *commands, steps=steps), []
    else:
        async with serve(brain) as standin:
            model = AnthropicModel("claude-sonnet-5-5", standin.key, standin.url)
            model_set = ModelSet(alone(model), Budget(10.0))
            outcome = await bench.heal(base or {}, files, *commands, model_set=model_set, steps=steps)
            await model.close()
            bodies = [one.body for one in standin.asked if one.body["max_tokens"] and not is_review(one.body)]
    outputs = [str(one["output"]) for one in steps.results.values() if isinstance(one, dict) and "output" in one]
    trunks = [trunk_of(body) for body in bodies if len(body["messages"]) == 1]
    return Played(outcome, trunks, sum(bool(LOCALS.search(output)) for output in outputs))


# AG-12
@pytest.mark.parametrize(
    ("command", "settings"),
    [
        (LINE, ""),
        ("pytest -qq -x --maxfail=9 --tb=no", ""),
        ("pytest", "[pytest]\naddopts = -q --tb=line -p no:xdist\n"),
    ],
)
async def test_an_agent_is_shown_the_traceback_and_the_locals_that_the_command_left_out(
    bench: Bench, command: str, settings: str
) -> None:
    one = await played(bench, {**FILES, **({"pytest.ini": settings} if settings else {})}, command)
    assert one.in_full == 1, "both errors in one run"
    trunk = "\n".join(one.trunks)
    for wanted in (DIVIDED, "ZeroDivisionError: division by zero", "test_shop.py:14: ", "shop.py:3: ZeroDivisionError"):
        assert wanted in trunk, trunk
    assert "count      = 2\ntotal      = 10\nwanted     = 5" in trunk
    assert "related: " not in trunk, "a frame that the log shows is not listed again"
    assert {error.excerpt for error in one.outcome.errors if DIVIDED in error.excerpt} == set(), "only models are told"


# AG-12
@pytest.mark.parametrize(
    ("command", "brain"),
    [
        ("python -m pytest -q", reporting),  # prints tracebacks itself
        (f"{LINE} | cat; exit 1", reporting),  # can't be narrowed
        (LINE, None),  # nobody is asked
        ("ruff check --select F shop.py", reporting),
    ],
)
async def test_nothing_is_run_again_where_the_log_says_enough_or_nobody_asks_or_nothing_can_be_narrowed(
    bench: Bench, command: str, brain: Brain | None
) -> None:
    one = await played(
        bench, {**FILES, "shop.py": SHOP.replace("* 0", "* nil") if "ruff" in command else SHOP}, command, brain=brain
    )
    assert one.outcome.errors
    assert one.in_full == 0
    assert bool(one.trunks) == (brain is not None)


# AG-12
async def test_what_two_checks_show_is_run_again_by_one_of_them(bench: Bench) -> None:
    one = await played(bench, FILES, LINE, "pytest --tb=line -v")
    assert one.in_full == 1
    assert DIVIDED in "\n".join(one.trunks)


# AG-12, AG-11
async def test_a_cluster_that_waited_is_shown_the_tracebacks_of_the_tree_that_it_begins_on(bench: Bench) -> None:
    imports = "from shop import label, price\n"
    base = {
        "shop.py": "def price(cents):\n    return cents * 2\n\n\ndef label(name):\n    return name.upper()\n",
        "test_a.py": imports + about("price", "a", 7),
        "test_b.py": imports + about("price", "b", 4) + about("label", "bb", 3),
        "test_c.py": imports + about("price", "c", 7),
    }
    change = broken(("cents * 2", "cents * 3"), ("name.upper()", "name.lower()"))
    one = await played(bench, change, "python -m pytest -q --tb=no", brain=knowing, base=base)
    assert one.outcome.verdict == "healed"
    assert len(one.trunks) == 2
    assert all(">       assert" in trunk for trunk in one.trunks)
    assert "label('a1') == 'A1'" in one.trunks[1]


# AG-12, CK-3
async def test_the_run_in_full_counts_in_the_runs_minutes_and_is_not_made_where_they_are_used_up(bench: Bench) -> None:
    verifier = await bench.verifier(FILES, LINE)
    errors = tuple(verifier.errors.values())
    assert len(errors) == 2
    assert all(map(lacks_details, errors))
    used = dict(verifier.checker.seconds)
    whole = await with_tracebacks(verifier, verifier.integration, errors)
    assert [error.id for error in whole] == [error.id for error in errors]
    assert not any(map(lacks_details, whole))
    assert len(verifier.checker.seconds) == len(used) + 1
    late = await bench.verifier(FILES, LINE)
    late.checker.seconds["other checks"] = 60 * late.checker.rules.minutes
    assert await with_tracebacks(late, late.integration, errors) == errors


# AG-12, AG-10
async def test_a_value_that_ends_the_run_when_it_is_printed_leaves_the_errors_as_they_were(bench: Bench) -> None:
    tests = (
        "import os\n\n\nclass Bomb:\n    def __repr__(self):\n        os._exit(0)\n\n\n"
        "def test_it():\n    bomb = Bomb()\n    assert not os.sep, 'words'\n"
    )
    verifier = await bench.verifier({"test_bomb.py": tests}, LINE)
    errors = tuple(verifier.errors.values())
    assert [error.test for error in errors] == ["test_bomb.py::test_it"]
    before = len(verifier.checker.seconds)
    assert await with_tracebacks(verifier, verifier.integration, errors) == errors
    assert len(verifier.checker.seconds) == before + 1, "it was run"


# AG-12, OP-9
async def test_the_run_in_full_prints_nothing_of_a_file_that_is_closed_to_models(bench: Bench) -> None:
    files = {
        "private.txt": "correct horse battery",
        "shop.py": SHOP,
        "test_open.py": "from shop import share\n\n\ndef test_open():\n    assert share(7, 1) == 7\n",
        "test_closed.py": "from shop import share\n\n\ndef test_closed():\n    key = open('private.txt').read()[::-1]\n"
        "    assert share(len(key), 1) == 3\n",
    }
    one = await played(bench, files, LINE, base={".healignore": "private.txt\n"})
    trunk = "\n".join(one.trunks)
    assert DIVIDED in trunk, "the other test is shown in full"
    assert "test_closed.py::test_closed: ZeroDivisionError" in trunk, "as the check says, not as without the file"
    assert "yrettab" not in trunk
    assert "battery" not in trunk
    assert "FileNotFoundError" not in trunk
