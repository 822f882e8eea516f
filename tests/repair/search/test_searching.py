"""Searches in the real sandbox: one survivor is offered, two are not, and nothing of Heal's is importable there."""

from dataclasses import replace

import pytest

from healing.checks.check import command_check
from healing.failed_jobs import Trees
from healing.model import Outcome
from healing.pipeline.failure import Failure
from healing.pipeline.pipeline import Tools, heal
from tests.pipeline.bench import Bench, Files

LIB = '''"""Steps."""

LIMITS = {"low": 1, "high": 9}


def clamp(value, low, high):
    """Within the limits."""
    if value < low:
        return low
    if value > high:
        return high
    return value


def pick(values, start=0):
    """Every second one."""
    found = []
    for number, value in enumerate(values):
        if number >= start and number % 2 == 0:
            found.append(value)
    return found
'''
TESTS = """from lib import LIMITS, clamp, pick


def test_clamp():
    assert [clamp(n, 1, 9) for n in (0, 1, 5, 9, 12)] == [1, 1, 5, 9, 9]


def test_pick():
    assert pick("abcdef") == ["a", "c", "e"]
    assert pick("abcdef", 2) == ["c", "e"]


def test_limits():
    assert LIMITS["high"] == 9
"""
PYTEST = "python -m pytest -q"


async def searched(bench: Bench, files: Files, *, before: Files | None = None) -> Outcome:
    """Heals one commit, or a pull request on `before`, with search."""
    *old, head = bench.trees(*([before] if before else []), files)
    checker = bench.checker(head)
    failure = Failure(checker.run_id, "0" * 40, Trees(head, head), checks=(command_check(PYTEST),), search=True)
    failure = replace(failure, base_view_tree=old[0] if old else None)
    tools = Tools(bench.git, checker.steps, checker, None, lambda: 0.0, bench._say)
    return await heal(failure, tools)


def broken(old: str, new: str) -> Files:
    assert LIB.count(old) == 1
    return {"lib.py": LIB.replace(old, new), "test_lib.py": TESTS}


# AF-6
@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "template"),
    [
        ("number >= start", "number > start", "comparison"),
        ("and number", "or number", "boolean"),
        ('"high": 9', '"high": 10', "constant"),
        ("return found", "return None", "return"),
    ],
)
async def test_the_only_change_with_which_all_tests_pass_is_offered_with_low_confidence(
    bench: Bench, old: str, new: str, template: str
) -> None:
    outcome = await searched(bench, broken(old, new))
    (proposal,) = outcome.proposals
    assert outcome.verdict == "healed"
    assert proposal.source == f"search:{template}"
    assert proposal.confidence < 50
    assert [(e.old_string in LIB, e.new_string in LIB) for e in proposal.wide] == [(False, True)]
    assert {r.how for r in outcome.resolutions} == {"fixer:search"}


# AF-6
@pytest.mark.slow
async def test_where_two_changes_survive_none_is_offered(bench: Bench) -> None:
    outcome = await searched(bench, broken("% 2 == 0", "% 2 != 0"))  # `== 0`, or `!= 1`: the tests can't tell
    assert outcome.proposals == ()
    assert outcome.verdict == "not-healed"


# AF-6
@pytest.mark.slow
async def test_the_pull_requests_own_old_line_is_named_but_not_offered(bench: Bench) -> None:
    outcome = await searched(bench, broken(">= start", "> start"), before={"lib.py": LIB, "test_lib.py": TESTS})
    assert outcome.proposals == ()
    assert [place.message for culprit in outcome.culprits for place in culprit.places] == [
        "if number > start and number % 2 == 0:"
    ]


# WT-5
@pytest.mark.slow
async def test_nothing_of_heals_is_importable_while_patches_are_tried(bench: Bench) -> None:
    files = broken("number >= start", "number > start")
    files["test_none.py"] = (
        "import importlib.util\n\n\ndef test_nothing():\n"
        "    assert not any(map(importlib.util.find_spec, ('healing', 'handlers', 'bot')))\n"
    )
    outcome = await searched(bench, files)
    assert [p.source for p in outcome.proposals] == ["search:comparison"]
