"""Fixes together: what breaks something beside others is taken out at once, a phase that harms is taken back."""

import asyncio
from collections.abc import Callable

from healing.model import CIError
from healing.pipeline.remaining import Remaining
from healing.verify.protection import Protection
from tests.pipeline.bench import Bench, candidate

PYTEST = "python -m pytest -q"
HEAD = "from a import A\nfrom b import B\n\n\n"


def of(name: str) -> Callable[[CIError], bool]:
    def chosen(error: CIError) -> bool:
        return (error.test or "").endswith(name)

    return chosen


# MQ-3, CK-6
async def test_a_fix_that_its_own_check_says_no_to_beside_the_others_is_taken_out_at_once(bench: Bench) -> None:
    tests = "def test_a():\n    assert A == 1\n\n\ndef test_b():\n    assert B == 2\n    assert A + B < 3\n"
    verifier = await bench.verifier({"a.py": "A = 0\n", "b.py": "B = 0\n", "test_ab.py": HEAD + tests}, PYTEST)
    head = verifier.trees.head
    first = await verifier.submit(candidate(verifier, ("a.py", "A = 0", "A = 1"), of=of("test_a")), on=head)
    assert first.accepted, first.message
    alone = verifier.integration
    second = await verifier.submit(candidate(verifier, ("b.py", "B = 0", "B = 2"), of=of("test_b")), on=head)
    assert not second.accepted
    assert "together with what was accepted before it breaks something" in second.message
    assert (verifier.integration, [p.id for p in verifier.accepted]) == (
        alone,
        [first.proposal.id if first.proposal else ""],
    )
    assert verifier.prevented == 1


# CK-6
async def test_a_phase_after_which_errors_jump_is_undone_as_a_whole_and_no_other_follows(bench: Bench) -> None:
    sums = "".join(f"def test_sum{n}():\n    assert A + B < 3\n\n\n" for n in range(4))
    tests = f"def test_a():\n    assert A == 1\n\n\ndef test_b():\n    assert B == 2\n\n\n{sums}"
    verifier = await bench.verifier({"a.py": "A = 0\n", "b.py": "B = 0\n", "test_ab.py": HEAD + tests}, PYTEST)
    protection = Protection(verifier)
    for name, edit in (("test_a", ("a.py", "A = 0", "A = 1")), ("test_b", ("b.py", "B = 0", "B = 2"))):
        verdict = await verifier.submit(candidate(verifier, edit, of=of(name)), on=verifier.trees.head)
        assert verdict.accepted, verdict.message
    withdrawn = await protection.settle()
    assert len(withdrawn) == 2
    assert (verifier.accepted, verifier.integration) == ([], verifier.trees.head)
    assert "4 errors where there were 2" in protection.undone
    assert not protection.goes_on((), tuple(verifier.errors.values()))
    assert verifier.prevented == 2


# CK-6
async def test_a_later_phase_may_not_break_again_what_an_earlier_one_fixed(bench: Bench) -> None:
    tests = (
        "def test_a():\n    assert A == 1\n    assert B < 2\n\n\ndef test_b():\n    assert B == 2\n\n\n"
        "def test_c():\n    pass\n"
    )
    verifier = await bench.verifier({"a.py": "A = 0\n", "b.py": "B = 0\n", "test_ab.py": HEAD + tests}, PYTEST)
    protection = Protection(verifier)
    first = await verifier.submit(
        candidate(verifier, ("a.py", "A = 0", "A = 1"), of=of("test_a")), on=verifier.trees.head
    )
    assert first.accepted, first.message
    assert await protection.settle() == ()
    second = await verifier.submit(
        candidate(verifier, ("b.py", "B = 0", "B = 2"), of=of("test_b")), on=verifier.trees.head
    )
    assert second.accepted, "alone on the head it breaks nothing: there test_a is red anyway"
    withdrawn = await protection.settle()
    assert [p.id for p in withdrawn] == [second.proposal.id if second.proposal else ""]
    assert [p.id for p in verifier.accepted] == [first.proposal.id if first.proposal else ""]


# CK-6
async def test_two_phases_that_change_nothing_are_the_last_ones(bench: Bench) -> None:
    verifier = await bench.verifier({"a.py": "import os\n", "b.py": "import sys\n"}, "ruff check .")
    protection = Protection(verifier)
    errors = tuple(verifier.errors.values())
    assert protection.goes_on(errors, errors)
    assert protection.goes_on(errors, errors[:1]), "something changed: counting starts anew"
    assert protection.goes_on(errors[:1], errors[:1])
    assert not protection.goes_on(errors[:1], errors[:1])


# CK-3 AG-9
async def test_the_same_edits_by_two_at_the_same_moment_are_offered_once(bench: Bench) -> None:
    """Two agents with the same cure for two errors: people would accept the first and fail with the second."""
    tests = "def test_a():\n    assert A == 1\n\n\ndef test_b():\n    assert A > 0\n"
    verifier = await bench.verifier({"a.py": "A = 0\n", "b.py": "B = 0\n", "test_ab.py": HEAD + tests}, PYTEST)

    async def hand_in(name: str) -> str:
        mine = candidate(verifier, ("a.py", "A = 0", "A = 1"), of=of(name)).model_copy(
            update={"source": f"agent:{name}"}
        )
        return (await verifier.submit(mine, on=verifier.trees.head)).message

    output = await asyncio.gather(hand_in("test_a"), hand_in("test_b"))
    assert sorted(text.partition(":")[0] for text in output) == ["accepted", "already fixed"]
    assert len(verifier.accepted) == 1


HIDDEN = {
    "a.py": "A = 0\n",
    "b.py": "B = undefined\n",
    "test_a.py": "from a import A\n\n\ndef test_a():\n    assert A == 1\n",
    "test_b.py": "from a import A\nfrom b import B\n\n\ndef test_b():\n    assert A > 0 and B\n",
}


# CK-3 CK-7 MQ-1
async def test_the_same_edit_for_an_error_that_another_fix_revealed_is_answered_as_already_fixed(bench: Bench) -> None:
    verifier = await bench.verifier(HIDDEN, f"{PYTEST} test_a.py", f"{PYTEST} test_b.py")
    remaining = Remaining(verifier, verifier.errors.values())
    revealing = await verifier.submit(
        candidate(verifier, ("b.py", "undefined", "1"), of=lambda e: "undefined" in e.message), on=verifier.trees.head
    )
    assert revealing.accepted, revealing.message
    assert len(await remaining()) == 2
    base = verifier.integration
    edit = ("a.py", "A = 0", "A = 1")
    first = await verifier.submit(candidate(verifier, edit, of=of("test_a")), on=base)
    assert first.accepted, first.message
    assert first.proposal is not None
    (hidden,) = remaining.revealed
    second = await verifier.submit(candidate(verifier, edit, of=of("test_b")), on=base)
    assert (second.accepted, second.already_fixed) == (False, True), second.message
    assert first.proposal.id in second.message
    assert verifier.fixed_by == {hidden.id: first.proposal.id}
    assert len(verifier.accepted) == 2
    assert await remaining() == ()


# AG-13
async def test_another_edit_for_what_an_accepted_fix_has_fixed_is_not_offered_too(bench: Bench) -> None:
    tests = "def test_a():\n    assert A + B > 1\n"
    verifier = await bench.verifier({"a.py": "A = 1\n", "b.py": "B = 0\n", "test_ab.py": HEAD + tests}, PYTEST)
    first = await verifier.submit(candidate(verifier, ("b.py", "B = 0", "B = 1")), on=verifier.trees.head)
    assert first.accepted, first.message
    second = await verifier.submit(candidate(verifier, ("a.py", "A = 1", "A = 2")), on=verifier.trees.head)
    assert second.already_fixed, second.message
    assert len(verifier.accepted) == 1


# CK-7
async def test_the_same_edit_again_settles_no_error_that_it_leaves(bench: Bench) -> None:
    tests = "def test_a():\n    assert A == 1\n\n\ndef test_b():\n    assert B == 2\n"
    verifier = await bench.verifier({"a.py": "A = 0\n", "b.py": "B = 0\n", "test_ab.py": HEAD + tests}, PYTEST)
    edit = ("a.py", "A = 0", "A = 1")
    assert (await verifier.submit(candidate(verifier, edit, of=of("test_a")), on=verifier.trees.head)).accepted
    again = await verifier.submit(candidate(verifier, edit, of=of("test_b")), on=verifier.trees.head)
    assert (again.accepted, again.already_fixed, verifier.fixed_by) == (False, False, {})


# CK-7
async def test_of_errors_with_the_same_words_the_one_whose_line_is_left_is_left(bench: Bench) -> None:
    """Lines above the first fix move the second error by one."""
    text = "def f():\n    return totl\n\n\ndef g():\n    return totl\n"
    verifier = await bench.verifier({"a.py": f"TOTAL = 1\n{text}"}, "ruff check --output-format concise a.py")
    assert sorted(error.line or 0 for error in verifier.errors.values()) == [3, 7]
    remaining = Remaining(verifier, verifier.errors.values())
    edit = ("a.py", "def f():\n    return totl", "\ndef f():\n    return TOTAL")
    fixed = await verifier.submit(candidate(verifier, edit, of=lambda e: e.line == 3), on=verifier.trees.head)
    assert fixed.accepted, fixed.message
    (left,) = await remaining()
    assert (verifier.errors[left.id].line, left.line) == (7, 8)
