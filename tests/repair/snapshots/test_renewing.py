"""Stale snapshots are written anew where a person asked for it, and nowhere else: a real tool in the real sandbox."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from healing.checks.check import command_check
from healing.environment.toolchain import TOOLS, base_environment
from healing.failed_jobs import Trees
from healing.model import Outcome
from healing.pipeline.failure import Failure
from healing.pipeline.pipeline import Tools, heal
from tests.pipeline.bench import Bench, open_bench

pytestmark = pytest.mark.slow
CODE = "def shout(text):\n    return text.upper() + '!'\n"
TEST = (
    "from inline_snapshot import snapshot\n\nfrom shout import shout\n\n\ndef test_shout():\n"
    '    assert shout("a") == snapshot("A")\n'
)
PYTEST = "python -m pytest -q"


async def healed(bench: Bench, *, asked: bool, test: str = TEST) -> Outcome:
    toolchain = await base_environment(bench.data / "snapshots", bench.sandbox.owner, (*TOOLS, "inline-snapshot"))
    (head,) = bench.trees({"shout.py": CODE, "test_shout.py": test})
    checker = bench.checker(head)
    checker.toolchain = replace(toolchain, bare=None)
    failure = Failure(checker.run_id, "0" * 40, Trees(head, head), checks=(command_check(PYTEST),), snapshots=asked)
    return await heal(failure, Tools(bench.git, checker.steps, checker, None, time.monotonic, bench._say))


@contextmanager
def opened() -> Iterator[Bench]:
    with open_bench() as bench:
        (bench.data / "snapshots").mkdir(mode=0o711)
        yield bench


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    with opened() as made:
        yield made


# AF-3
async def test_what_a_person_asked_for_is_written_by_the_tool_and_marked(bench: Bench) -> None:
    outcome = await healed(bench, asked=True)
    assert outcome.verdict == "healed", outcome.not_looked
    (proposal,) = outcome.proposals
    assert proposal.source == "fixer:snapshots-inline-snapshot"
    assert [edit.new_string for edit in proposal.edits] == ['    assert shout("a") == snapshot("A!")\n']
    assert any("because a person asked" in flag for flag in proposal.flags)


# AF-3 CK-5
async def test_without_being_asked_no_snapshot_is_touched(bench: Bench) -> None:
    outcome = await healed(bench, asked=False)
    assert outcome.verdict == "not-healed"
    assert outcome.proposals == ()


# AF-3
async def test_where_no_snapshot_is_at_fault_that_is_reported(bench: Bench) -> None:
    plain = "from shout import shout\n\n\ndef test_shout():\n    assert shout('a') == 'A'\n"
    outcome = await healed(bench, asked=True, test=plain)
    assert outcome.proposals == ()
    (reported,) = [one for one in outcome.not_looked if one.what == "the snapshots"]
    assert "no failing test here compares with a snapshot" in reported.why
