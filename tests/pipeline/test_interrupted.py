"""Somebody ends a healing: what it has found is kept, and every error still has an ending."""

from dataclasses import replace

import pytest

from healing.pipeline.interrupted import Interrupted
from tests.pipeline.bench import Bench
from tests.pipeline.test_pipeline import GREEN, PYTEST, every_error_ends_once

# ruff removes the first import by itself; the second name has a fixer; the last is for an agent.
CHANGE = {
    "calc.py": "import os\n\n\ndef double(n):\n    return n * 3\n",
    "more.py": "def root(n):\n    return math.isqrt(n)\n",
}


# SC-1 OP-11
@pytest.mark.parametrize(
    ("at", "found"), [("Trying rule-based fixes", {"autofix:ruff"}), ("Repairing what", set[str]())]
)
async def test_an_interrupted_healing_ends_with_what_it_has_found(bench: Bench, at: str, found: set[str]) -> None:
    outcome = await replace(bench, interrupted_at=at).heal(GREEN, CHANGE, PYTEST, "ruff check .")
    assert {proposal.source for proposal in outcome.proposals} == found
    assert outcome.verdict == ("partly" if found else "not-healed")
    (report,) = outcome.unfixables
    assert (report.reason, report.why) == ("stopped", "`maya` cancelled this run.")
    assert len(report.error_ids) == len(outcome.errors) - len(found)
    assert every_error_ends_once(outcome)


# SC-1 OP-11
async def test_a_healing_that_is_interrupted_before_it_looked_has_no_outcome(bench: Bench) -> None:
    with pytest.raises(Interrupted, match="cancelled"):
        await replace(bench, interrupted_at="Reading the logs").heal(GREEN, CHANGE, PYTEST)
