"""A fix that its author takes back: the branch is then as if it had never been in it, and nothing stays unjudged."""

import asyncio

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from healing.model import Candidate, Proposal
from healing.pipeline.again import fixed_by_now
from healing.verify.verifier import Verifier
from healing.verify.withdrawing import withdraw
from tests.pipeline.bench import Bench, candidate

CALC = "def one():\n    a = eins()\n    b = zwei()\n    return a, b\n\n\ndef two():\n    return drei()\n"
FILES = {"calc.py": CALC, "other.py": "def four():\n    return vier()\n"}
RUFF = "ruff check ."
FIXES = {
    "eins": ("calc.py", "eins()", "1"),
    "zwei": ("calc.py", "zwei()", "2"),
    "drei": ("calc.py", "drei()", "3"),
    "vier": ("other.py", "vier()", "4"),
}


def fix_of(verifier: Verifier, name: str, *edits: tuple[str, str, str]) -> Candidate:
    return candidate(verifier, *(edits or (FIXES[name],)), of=lambda e: f"`{name}`" in e.message)


async def accepted(verifier: Verifier, name: str, *edits: tuple[str, str, str], on: str | None = None) -> Proposal:
    verdict = await verifier.submit(fix_of(verifier, name, *edits), on=on)
    assert verdict.proposal is not None, verdict.message
    return verdict.proposal


async def open_errors(verifier: Verifier) -> set[str]:
    """The errors that a run shows on the branch as it is."""
    fixed = await fixed_by_now(verifier, tuple(verifier.errors))
    return set(verifier.errors) - set(fixed)


# AG-12
async def test_without_a_withdrawn_fix_the_branch_is_that_of_the_others_and_its_errors_show_again(bench: Bench) -> None:
    verifier = await bench.verifier(FILES, RUFF, shared=True)
    only = await accepted(verifier, "vier")
    alone = verifier.integration
    gone = await accepted(verifier, "drei")
    done = await withdraw(verifier, gone.id, "it was wrong", "agent-1")
    assert (done.done, dict(done.replaced), dict(done.dropped)) == (True, {}, {})
    assert ([p.id for p in verifier.accepted], verifier.integration) == ([only.id], alone)
    assert set(gone.error_ids) <= await open_errors(verifier)
    assert verifier.withdrawn == [(gone, "withdrawn by its author: it was wrong")]


# AG-12
async def test_a_fix_that_was_made_on_it_and_holds_without_it_is_proven_again(bench: Bench) -> None:
    verifier = await bench.verifier({"calc.py": "def one():\n    a = eins()\n    b = zwei()\n    return a, b\n"}, RUFF)
    first = await accepted(verifier, "eins")
    later = await accepted(verifier, "zwei")
    assert later.needs == (first.id,), "the next line"
    done = await withdraw(verifier, first.id, "why", "agent-1")
    (new,) = verifier.accepted
    assert (new.id, new.needs) == (done.replaced[later.id].id, ())
    assert new.evidence[0].before_tree == verifier.trees.head != later.evidence[0].before_tree
    assert b"    a = eins()\n    b = 2\n" in (verifier.git.view(verifier.integration).read("calc.py") or b"")


# AG-12
async def test_a_fix_that_is_nothing_without_it_goes_with_it(bench: Bench) -> None:
    files = {"calc.py": "def one():\n    return eins(zwei)\n"}
    verifier = await bench.verifier(files, RUFF)
    first = await accepted(verifier, "eins", ("calc.py", "eins(zwei)", "str(zwei)"))
    later = await accepted(verifier, "zwei", ("calc.py", "str(zwei)", "str(2)"))
    assert later.needs == (first.id,)
    done = await withdraw(verifier, first.id, "why", "agent-1")
    assert "it does not hold without" in done.dropped[later.id]
    assert (verifier.accepted, verifier.integration) == ([], verifier.trees.head)
    assert [why.partition(":")[0] for _, why in verifier.withdrawn] == ["withdrawn by its author", "dropped"]
    assert await open_errors(verifier) == set(verifier.errors)


# AG-12, CK-5
async def test_a_withdrawal_brings_nothing_in_that_was_refused(bench: Bench) -> None:
    """A fix whose line a test guards: what comes after it is accepted only beside it, and goes when it goes."""
    tests = "from calc import A, B\n\n\ndef test_a():\n    assert A == 1\n\n\ndef test_b():\n    assert B == A + 1\n"
    files = {"calc.py": "A = 0\nB = 0\n", "test_calc.py": tests}
    verifier = await bench.verifier(files, "python -m pytest -q")
    wrong = await verifier.submit(candidate(verifier, ("calc.py", "B = 0", "B = 2")))
    assert not wrong.accepted
    first = await verifier.submit(
        candidate(verifier, ("calc.py", "A = 0\n", "A = 1\n"), of=lambda e: "test_a" in (e.test or ""))
    )
    assert first.proposal, first.message
    second = await verifier.submit(
        candidate(verifier, ("calc.py", "B = 0", "B = 2"), of=lambda e: "test_b" in (e.test or ""))
    )
    assert second.proposal, second.message
    done = await withdraw(verifier, first.proposal.id, "to keep only the other", "agent-1")
    assert list(done.dropped) == [second.proposal.id]
    assert verifier.integration == verifier.trees.head


# AG-12, CK-5
async def test_a_fix_of_a_model_that_is_judged_strictly_stays_judged_strictly(bench: Bench) -> None:
    verifier = await bench.verifier({"calc.py": "def one():\n    a = eins()\n    b = zwei()\n    return a, b\n"}, RUFF)
    first = await accepted(verifier, "eins")
    await verifier.submit(fix_of(verifier, "zwei").model_copy(update={"strict": True}))
    (later,) = verifier.accepted[1:]
    assert verifier.handed_in[later.id][0].strict
    del verifier.handed_in[later.id]  # as where it was accepted in another place
    await withdraw(verifier, first.id, "why", "agent-1")
    assert all(
        one.strict
        for one, _ in verifier.handed_in.values()
        if one.title == later.title and one.error_ids == later.error_ids
    )


# AG-12
async def test_what_is_not_there_any_more_can_not_be_withdrawn(bench: Bench) -> None:
    verifier = await bench.verifier(FILES, RUFF, shared=True)
    gone = await accepted(verifier, "drei")
    assert (await withdraw(verifier, gone.id, "why", "agent-1")).done
    again = await withdraw(verifier, gone.id, "why", "agent-1")
    assert (again.done, again.message) == (False, "it is not among the accepted fixes any more")
    assert not (await withdraw(verifier, "nonsense", "why", "agent-1")).done


# AG-12, OP-3
async def test_two_agents_that_hand_in_and_withdraw_at_once_end_with_what_stands(bench: Bench) -> None:
    verifier = await bench.verifier(FILES, RUFF, shared=True)
    first = await accepted(verifier, "drei")

    async def takes_back() -> None:
        assert (await withdraw(verifier, first.id, "why", "agent-1")).done

    done = await asyncio.gather(takes_back(), accepted(verifier, "vier"), accepted(verifier, "eins"))
    assert {p.id for p in verifier.accepted} == {one.id for one in done if one}
    tree: str | None = verifier.trees.head
    for proposal in verifier.accepted:
        tree = verifier.branch.merged_into(str(tree), proposal)
    assert verifier.integration == tree


# AG-12
@pytest.mark.timeout(600)
def test_whatever_is_accepted_and_withdrawn_the_branch_is_that_of_the_standing_fixes(bench: Bench) -> None:
    class Machine(RuleBasedStateMachine):
        """Accept, withdraw, accept again, in any order."""

        def __init__(self) -> None:
            super().__init__()
            self.loop = asyncio.new_event_loop()
            self.verifier = self.run(bench.verifier(FILES, RUFF, shared=True))

        def run(self, coroutine):  # type: ignore[no-untyped-def]
            return self.loop.run_until_complete(coroutine)

        def teardown(self) -> None:
            self.loop.close()

        @rule(name=st.sampled_from(sorted(FIXES)), on_head=st.booleans())
        def hand_in(self, name: str, on_head: bool) -> None:
            verifier, before = self.verifier, self.run(open_errors(self.verifier))
            verdict = self.run(verifier.submit(fix_of(verifier, name), on=verifier.trees.head if on_head else None))
            wanted = {i for i, e in verifier.errors.items() if f"`{name}`" in e.message}
            if verdict.proposal:
                assert set(verdict.proposal.error_ids) == wanted <= before

        @precondition(lambda self: self.verifier.accepted)
        @rule(data=st.data())
        def take_back(self, data: st.DataObject) -> None:
            verifier = self.verifier
            gone = data.draw(st.sampled_from([p.id for p in verifier.accepted]))
            stood = {p.id for p in verifier.accepted}
            done = self.run(withdraw(verifier, gone, "why", "agent-1"))
            assert done.done
            new = {one.id for one in done.replaced.values()}
            assert {p.id for p in verifier.accepted} == stood - {gone} - set(done.dropped) - set(done.replaced) | new
            assert not self.run(withdraw(verifier, gone, "why", "agent-1")).done or gone in new

        @invariant()
        def the_tree_is_that_of_the_standing_fixes(self) -> None:
            verifier = self.verifier
            tree: str | None = verifier.trees.head
            for proposal in verifier.accepted:
                assert tree is not None
                tree = verifier.branch.merged_into(tree, proposal)
            assert verifier.integration == tree

        @invariant()
        def open_is_what_a_run_on_that_tree_shows(self) -> None:
            settled = {i for p in self.verifier.accepted for i in p.error_ids}
            assert self.run(open_errors(self.verifier)) == set(self.verifier.errors) - settled

        @invariant()
        def every_standing_fix_has_all_that_it_needs_before_it(self) -> None:
            there: set[str] = set()
            for proposal in self.verifier.accepted:
                assert set(proposal.needs) <= there
                there.add(proposal.id)

    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=8,
            stateful_step_count=8,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            derandomize=True,
        ),
    )
