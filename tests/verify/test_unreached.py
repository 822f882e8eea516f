"""A check of several commands ends at the first that fails: what its later commands find was not seen before.

A repair of the first command's complaint is accepted where it can't be what the later command complains of: where it
changes the layout of code and nothing else.
"""

import pytest

from healing.model import Category, CIError
from healing.verify.moved import is_of_another_file, only_layout
from healing.verify.protection import Protection
from tests.pipeline.bench import Bench, candidate

CODE = "import sys\n\n\ndef double(n: int)  -> int:\n    return n * 3\n"
TESTS = "from calc import double\n\n\ndef test_double():\n    assert double(4) == 8\n"
FILES = {"calc.py": CODE, "test_calc.py": TESTS, "test_ok.py": "def test_ok():\n    assert True\n"}
FORMAT = "grep -q '  ->' calc.py && echo 'calc.py:4: would reformat [black]' && echo 'would reformat calc.py' && exit 1"
LAYOUT = ("calc.py", "(n: int)  -> int", "(n: int) -> int")
PYTEST = "python -m pytest -q"


# CK-3
async def test_the_layout_is_repaired_where_a_test_fails_that_had_not_run(bench: Bench) -> None:
    verifier = await bench.verifier(FILES, f"{FORMAT}; {PYTEST}")
    protection = Protection(verifier)
    verdict = await verifier.submit(candidate(verifier, LAYOUT))
    assert verdict.accepted, verdict.message
    assert verdict.proposal is not None
    evidence = verdict.proposal.evidence[-1]
    assert evidence.after_exit == 1
    assert evidence.note.endswith("→ 0 errors, and 1 new that were hidden before"), evidence.note
    assert await protection.settle() == ()


# CK-3
async def test_a_formatter_that_minds_a_file_which_the_repair_leaves_alone_did_so_before(bench: Bench) -> None:
    code = CODE.replace("n * 3", "m * 2").replace("import sys\n\n\n", "").replace("  ->", " ->")
    files = {**FILES, "calc.py": code, "b.py": "X  = 1\n"}
    verifier = await bench.verifier(files, "ruff check --select F821 calc.py && ruff format --check b.py")
    verdict = await verifier.submit(candidate(verifier, ("calc.py", "m * 2", "n * 2")))
    assert verdict.accepted, verdict.message
    files["b.py"] = "X = 1\n"
    verifier = await bench.verifier(files, "ruff check --select F821 calc.py && ruff format --check .")
    edits = (("calc.py", "m * 2", "n * 2"), ("b.py", "X = 1", "X  = 1"))
    verdict = await verifier.submit(candidate(verifier, *edits))
    assert not verdict.accepted, "here it is what the repair wrote"


# CK-3
@pytest.mark.parametrize(
    ("check", "edits", "why"),
    [
        (f"{FORMAT}; {PYTEST}", (LAYOUT, ("calc.py", "n * 3", "n * 4")), "a test fails that had not run"),
        (f"{PYTEST} test_ok.py; {FORMAT}; {PYTEST}", (LAYOUT,), "other tests had run"),
        (f'{FORMAT}; echo "calc.py:4:1: E501 line too long"; exit 1', (LAYOUT,), "another complains of the new layout"),
    ],
)
async def test_what_might_be_the_repairs_doing_still_counts_against_it(
    bench: Bench, check: str, edits: tuple[tuple[str, str, str], ...], why: str
) -> None:
    verifier = await bench.verifier(FILES, check)
    verdict = await verifier.submit(candidate(verifier, *edits))
    assert not verdict.accepted, why


# CK-3
@pytest.mark.parametrize(
    ("path", "old", "new", "alone", "by_tool"),
    [
        ("a.py", b"x = (1+2)\n", b"x = 1 + 2\n", True, True),
        ("a.py", b"import b\nimport a\n", b"import a\nimport b\n", False, False),  # what is imported first may matter
        ("a.py", b"x = 1\n", b"x = 2\n", False, False),
        ("a.js", b"x = 1\n", b"x = 1;\n", False, True),
        ("a.js", b"x = (1 + 2) * 3\n", b"x = 1 + 2 * 3\n", False, True),  # only a formatter leaves the meaning
        ("a.js", b"x = 1\n", b"x = 2\n", False, False),
        ("Makefile", b"a:\n\tb\n", b"a:\n    b\n", False, False),
    ],
)
def test_a_layout_is_told_from_a_meaning(path: str, old: bytes, new: bytes, alone: bool, by_tool: bool) -> None:
    change = {path: (old, new)}
    assert (only_layout(change, by_tool=False), only_layout(change, by_tool=True)) == (alone, by_tool)


# CK-3
@pytest.mark.parametrize(
    ("tool", "category", "file", "other"),
    [
        ("black", Category.FORMAT, "b.py", True),
        ("flake8", Category.LINT, "b.py", True),
        ("black", Category.FORMAT, "a.py", False),
        ("black", Category.FORMAT, None, False),
        ("pylint", Category.LINT, "b.py", False),  # it follows imports
        ("mypy", Category.TYPE, "b.py", False),
        ("git", Category.FORMAT, "b.py", False),  # what a generator makes of other files
    ],
)
def test_only_who_reads_a_file_by_itself_complains_of_it_alone(
    tool: str, category: Category, file: str | None, other: bool
) -> None:
    error = CIError(id="E1", tool=tool, category=category, message="m", file=file)
    assert is_of_another_file(error, {"a.py"}) is other
