"""Pull requests that break a good base: what can be known is cured for free, and for the rest the lines are named."""

import asyncio

import pytest

from healing.graph import is_test
from healing.model import Outcome
from tests.pipeline.bench import Bench
from tests.repair.fixers.breaking import BREAKS, SHOP, Break

PYTEST = "python -m pytest -q"
CURABLE = [b for b in BREAKS if b.cure]
UNKNOWABLE = [b for b in BREAKS if not b.cure]


async def healed(bench: Bench, broken: Break) -> Outcome:
    return await bench.heal(SHOP, broken.change, PYTEST, on_pull=True)


def test_there_are_at_least_twenty_pull_requests_of_both_kinds() -> None:
    assert len(BREAKS) >= 20
    assert len(CURABLE) >= 10
    assert len(UNKNOWABLE) >= 7


# AF-3
@pytest.mark.slow
@pytest.mark.parametrize("broken", CURABLE, ids=lambda b: b.name)
async def test_what_the_pull_requests_own_diff_tells_is_fixed_without_a_model(bench: Bench, broken: Break) -> None:
    outcome = await healed(bench, broken)
    assert outcome.verdict == "healed", [u.why for u in outcome.unfixables]
    assert [p.source for p in outcome.proposals] == [broken.cure]
    assert not any(is_test(edit.file) for p in outcome.proposals for edit in p.edits)
    written = "".join(edit.new_string for p in outcome.proposals for edit in p.wide)
    assert all(text in written for text in broken.holds.values())


# AF-6
@pytest.mark.slow
@pytest.mark.parametrize("broken", UNKNOWABLE, ids=lambda b: b.name)
async def test_what_nobody_can_know_is_left_but_its_lines_are_named(bench: Bench, broken: Break) -> None:
    outcome = await healed(bench, broken)
    assert outcome.proposals == ()
    (culprit,) = outcome.culprits
    file, text = broken.at
    assert any(place.file == file and text in place.message for place in culprit.places)
    assert len(culprit.places) == len([pair for pairs in broken.edits.values() for pair in pairs])
    assert culprit.of > len(culprit.places)
    assert culprit.certain


WALK = """\
def total(n):
    found = 0
    # one by one
    step = 1
    # down
    while n > 0:
        found += n
        n -= step
    return found
"""
WALKS = "from walk import total\n\n\ndef test_total():\n    assert total(3) == 6\n"
HANGS = {
    "walk.py": WALK.replace("found = 0", "found = 1").replace("step = 1", "step = -1").replace("n -= step", "n += step")
}


# AF-6
@pytest.mark.slow
async def test_half_a_change_that_hangs_is_ended_soon_and_the_line_is_named_all_the_same(bench: Bench) -> None:
    async with asyncio.timeout(120):  # it was over a minute for each half that hangs
        outcome = await bench.heal({"walk.py": WALK, "test_walk.py": WALKS}, HANGS, PYTEST, on_pull=True)
    assert outcome.proposals == ()
    (culprit,) = outcome.culprits
    assert [place.message for place in culprit.places] == ["found = 1"]
    assert culprit.certain
    assert culprit.runs > 2
