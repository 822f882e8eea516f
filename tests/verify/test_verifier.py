"""The verifier: what passes it is proven, what does not is told why and what to do."""

import pytest

from healing.failed_jobs import Trees
from healing.model import Edit
from healing.verify.protection import Protection
from healing.verify.refusing import Refusal
from healing.verify.verifier import Verifier
from tests.pipeline.bench import Bench, candidate

CODE = "def double(n: int) -> int:\n    return n * 3\n\n\ndef half(n: int) -> int:\n    return n // 2\n"
TESTS = (
    "from calc import double, half\n\n\ndef test_double():\n    assert double(4) == 8\n\n\n"
    "def test_half():\n    assert half(4) == 2\n"
)
FILES = {"calc.py": CODE, "test_calc.py": TESTS}
PYTEST = "python -m pytest -q"
FIX = ("calc.py", "n * 3", "n * 2")


# CK-3
async def test_a_right_fix_is_accepted_with_evidence_of_exit_codes_before_and_after(bench: Bench) -> None:
    verifier = await bench.verifier(FILES, PYTEST, shared=True)
    verdict = await verifier.submit(candidate(verifier, FIX))
    assert verdict.accepted, verdict.message
    assert verdict.proposal is not None
    narrowed = verdict.proposal.evidence[0]
    assert (narrowed.command, narrowed.before_exit, narrowed.after_exit, narrowed.runs) == (
        "python -m pytest -q test_calc.py::test_double", 1, 0, 2,
    )  # fmt: skip
    assert narrowed.before_tree != narrowed.after_tree
    assert verifier.integration == narrowed.after_tree


# CK-3
@pytest.mark.parametrize(
    ("edit", "why"),
    [
        (("calc.py", "n * 3", "n * 4"), "still there: test_calc.py::test_double"),
        (("calc.py", "return n", "return 2 * n"), "2 times (lines 2, 6)"),
        (("calc.py", "n * 5", "n * 2"), "not there verbatim"),
        (("calc.py", "n * 3", "n * 3"), "nothing would change"),
        (("calc.py", "return n * 3", "return n *"), "no longer parses"),
        (("nope.py", "a", "b"), "no such file"),
        (("test_calc.py", "double(4) == 8", "double(4) == 12"), "refused by the guard"),
        (("calc.py", "n * 3\n\n\ndef half", "n * 2\n\n\ndef hlaf"), "new: test_calc.py"),
    ],
)
async def test_what_is_not_a_fix_is_refused_with_the_reason(bench: Bench, edit: tuple[str, str, str], why: str) -> None:
    verifier = await bench.verifier(FILES, PYTEST, shared=True)
    verdict = await verifier.submit(candidate(verifier, edit))
    assert not verdict.accepted
    assert why in verdict.message
    assert verifier.integration == verifier.trees.head


SILENT = 'test -z "$(grep 3 calc.py)"'


# CK-3
async def test_a_check_that_fails_without_a_word_is_proven_fixed_by_its_exit_code(bench: Bench) -> None:
    verifier = await bench.verifier(FILES, SILENT)
    verdict = await verifier.submit(candidate(verifier, ("calc.py", "n * 3", "n * 33")))
    assert "still there" in verdict.message
    verdict = await verifier.submit(candidate(verifier, FIX))
    assert verdict.accepted, verdict.message
    assert verdict.proposal is not None
    assert [(e.command, e.before_exit, e.after_exit) for e in verdict.proposal.evidence] == [(SILENT, 1, 0)]


# CK-3
async def test_a_check_that_was_not_silent_is_not_fixed_by_making_it_silent(bench: Bench) -> None:
    verifier = await bench.verifier(FILES, "python calc.py 2>&1 | grep -q '^E' && exit 1; " + PYTEST)
    verdict = await verifier.submit(candidate(verifier, ("calc.py", "def double", "print('E')\n\n\ndef double")))
    assert not verdict.accepted
    assert "without a readable error" in verdict.message


# Prints two errors whatever the change is, with so much between them after it that the second one is cut out.
NOISY = (
    "from calc import double\npad = 'a.b c\\n' * 900_000 if double(1) == 2 else ''\n"
    "print('calc.py:2:5: F821 undefined name `one`', 'calc.py:6:5: F821 undefined name `two`', sep=f'\\n{pad}')\n"
    "print(pad)\nraise SystemExit(1)\n"
)


# CK-3 JD-3
async def test_an_error_that_may_be_in_output_that_was_not_read_is_not_fixed(bench: Bench) -> None:
    verifier = await bench.verifier({**FILES, "noisy.py": NOISY}, "python noisy.py")
    assert sorted(e.line or 0 for e in verifier.errors.values()) == [2, 6]
    verdict = await verifier.submit(candidate(verifier, FIX))
    assert not verdict.accepted
    assert "prints more than is read" in verdict.message


SHARED = {
    "calc.py": "state = []\n\n\ndef note(n):\n    state.append(n)\n    return n\n",
    "test_calc.py": "from calc import note, state\n\n\ndef test_a():\n    assert note(1) == 1\n\n\n"
    "def test_b():\n    assert not state\n",
}


# CK-4
async def test_a_test_that_fails_only_after_another_is_not_flaky_and_the_whole_step_judges(bench: Bench) -> None:
    verifier = await bench.verifier(SHARED, PYTEST)  # red when all run together, green alone
    verdict = await verifier.submit(candidate(verifier, ("calc.py", "state = []", "state: list[int] = []")))
    assert not verdict.accepted
    verdict = await verifier.submit(candidate(verifier, ("calc.py", "    state.append(n)\n", "")))
    assert verdict.accepted, verdict.message
    assert verdict.proposal is not None
    (whole,) = verdict.proposal.evidence
    assert (whole.command, whole.before_exit, whole.after_exit, whole.runs) == (PYTEST, 1, 0, 3)


# CK-4
async def test_a_failure_that_passes_without_the_change_is_not_claimed_as_fixed(bench: Bench) -> None:
    red = await bench.verifier(FILES, PYTEST)
    lucky, changed = bench.trees({**FILES, "calc.py": CODE.replace("n * 3", "n * 2")}, {"notes.md": "x"})
    verifier = Verifier(
        red.git, bench.checker(lucky), Trees(lucky, lucky), red.checks, red.errors, shown_by=red.shown_by
    )
    verdict = await verifier.submit(candidate(verifier, ("calc.py", "n * 2", "2 * n")))
    assert not verdict.accepted
    with pytest.raises(Refusal, match="passes without the change too: the failure is flaky"):
        await verifier.evidence(list(verifier.errors.values()), lucky, changed, strict=False)


# CK-3
async def test_two_fixes_that_are_good_alone_but_break_something_together_do_not_both_stay(bench: Bench) -> None:
    files = {
        "a.py": "A = 0\n",
        "b.py": "B = 0\n",
        "test_ab.py": "from a import A\nfrom b import B\n\n\ndef test_a():\n    assert A == 1 or B == 2\n\n\n"
        "def test_b():\n    assert B == 2 or A == 2\n\n\ndef test_sum():\n    assert A + B < 3\n",
    }
    verifier = await bench.verifier(files, PYTEST)
    protection = Protection(verifier)
    first = await verifier.submit(
        candidate(verifier, ("a.py", "A = 0", "A = 1"), of=lambda e: "test_a" in (e.test or "")), on=verifier.trees.head
    )
    second = await verifier.submit(
        candidate(verifier, ("b.py", "B = 0", "B = 2"), of=lambda e: "test_b" in (e.test or "")), on=verifier.trees.head
    )
    assert first.accepted, first.message
    assert second.accepted, second.message
    withdrawn = await protection.settle()
    assert [p.id for p in withdrawn] == [second.proposal.id if second.proposal else ""]
    assert [p.id for p in verifier.accepted] == [first.proposal.id if first.proposal else ""]


async def test_the_same_edits_are_not_accepted_twice(bench: Bench) -> None:
    verifier = await bench.verifier(FILES, PYTEST, shared=True)
    assert (await verifier.submit(candidate(verifier, FIX), on=verifier.trees.head)).accepted
    again = await verifier.submit(candidate(verifier, FIX), on=verifier.trees.head)
    assert not again.accepted
    assert "already fixed" in again.message
    assert again.already_fixed


# CK-3 AF-2
async def test_what_a_formatter_moved_can_be_taken_away_with_the_same_words(bench: Bench) -> None:
    verifier = await bench.verifier({"a.py": "import sys\nimport os\n\nprint(sys.path)\n"}, "ruff check --select I,F .")
    unsorted, unused = (next(e.id for e in verifier.errors.values() if e.code == code) for code in ("I001", "F401"))
    gone = Edit(file="a.py", old_string="import os\n", new_string="")
    moved = (gone, Edit(file="a.py", old_string="import sys\n", new_string="import os\nimport sys\n"))
    like = candidate(verifier, ("a.py", "", ""))
    for errors, edits in (((unsorted,), moved), ((unused,), (gone,))):
        verdict = await verifier.submit(like.model_copy(update={"error_ids": errors, "edits": edits}))
        assert verdict.accepted, verdict.message
    assert verifier.git.view(verifier.integration).read("a.py") == b"import sys\n\nprint(sys.path)\n"


# AG-5
@pytest.mark.parametrize(("red", "worse"), [(1, True), (2, False), (3, False)])
async def test_errors_that_are_more_by_over_a_half_are_reported(bench: Bench, red: int, worse: bool) -> None:
    """A fix that cures one of so many and breaks two that were whole."""
    names = [f"f{number}" for number in range(red)]
    code = "ONE = 1\n\n\n" + "".join(f"def {name}():\n    return ONE\n\n\n" for name in names)
    tests = "".join(f"def test_{name}():\n    assert calc.{name}() == {2 + (name != 'f0')}\n\n\n" for name in names)
    tests += "def test_a():\n    assert calc.ONE == 1\n\n\ndef test_b():\n    assert calc.ONE < 2\n"
    verifier = await bench.verifier({"calc.py": code, "test_calc.py": f"import calc\n\n\n{tests}"}, PYTEST)
    wish = candidate(verifier, ("calc.py", "ONE = 1", "ONE = 2"), of=lambda e: "test_f0" in (e.test or ""))
    verdict = await verifier.submit(wish)
    assert "new: test_calc.py::test_a" in verdict.message
    assert verdict.worse is worse
