"""A fix is proven with the tests, their data and the checks as they are: the product's part alone has to cure."""

# ruff: noqa: E501  (files in a line each)

import pytest

from healing.failed_jobs import Trees
from healing.model import Candidate, Edit
from healing.verify.verifier import Verifier
from tests.pipeline.bench import Bench, candidate

CODE = "def double(n: int) -> int:\n    return n * 3\n"
TESTS = "from calc import double\n\n\ndef test_double():\n    assert double(4) == 8\n"
FILES = {
    "calc.py": CODE,
    "tests/test_calc.py": TESTS,
    "Makefile": "test:\n\tpython -m pytest -q\n",
    "README.md": "# Calc\n",
}
FIX = Edit(file="calc.py", old_string="n * 3", new_string="n * 2")
NEW_TEST = "from calc import double\n\n\ndef test_zero():\n    assert double(0) == 0\n"
PATCHING = "import calc\n\n\ndef test_more():\n    assert calc\n\n\ncalc.double = lambda n: n + n\n"


def new(path: str, text: str) -> Edit:
    return Edit(file=path, kind="create", old_string="", new_string=text)


def of(verifier: Verifier, *edits: Edit) -> Candidate:
    return candidate(verifier).model_copy(update={"edits": edits})


# JD-2
async def test_what_a_fix_changes_beside_the_product_is_left_out_and_its_author_is_informed(bench: Bench) -> None:
    verifier = await bench.verifier(FILES, "make test", shared=True)
    quiet = Edit(file="Makefile", old_string="-q", new_string="-qq")
    verdict = await verifier.submit(of(verifier, FIX, quiet))
    assert verdict.accepted, verdict.message
    assert verdict.message == (
        "accepted: verified without Makefile: a fix is proven with the tests, their data and the checks as they are"
    )
    assert verdict.proposal is not None
    assert {edit.file for edit in verdict.proposal.edits} == {"calc.py"}
    assert verdict.proposal.flags == ()


# JD-2, JD-3
async def test_new_tests_and_docs_stay_beside_a_fix_that_is_proven_without_them(bench: Bench) -> None:
    verifier = await bench.verifier(FILES, "python -m pytest -q", shared=True)
    docs = Edit(file="README.md", old_string="# Calc\n", new_string="# Calc\n\nIt doubles.\n")
    verdict = await verifier.submit(of(verifier, FIX, new("tests/test_zero.py", NEW_TEST), docs))
    assert verdict.proposal is not None, verdict.message
    assert {edit.file for edit in verdict.proposal.edits} == {"calc.py", "tests/test_zero.py", "README.md"}
    assert verdict.proposal.touches == ""


# JD-2, JD-3
@pytest.mark.parametrize(
    ("edits", "why"),
    [
        ([new("tests/test_a_first.py", PATCHING)], "new tests and docs repair nothing"),
        ([new("usercustomize.py", PATCHING)], "refused by the guard"),
        ([Edit(file="Makefile", old_string="test:", new_string="MAKEFLAGS += i\ntest:")], "Makefile (judge)"),
        ([new("calc/__init__.py", "def double(n):\n    return n + n\n")], "calc/__init__.py (judge)"),
        ([Edit(file="Makefile", old_string="\t", new_string="\tPATH=.:$$PATH "), new("python", "#!/bin/sh\n")],
         "python (judge)"),
    ],
    ids=["a new test that patches", "a site module", "a flag of make", "a package in the module's place", "a shim"],
)  # fmt: skip
async def test_a_change_that_repairs_nothing_of_the_product_is_refused(
    bench: Bench, edits: list[Edit], why: str
) -> None:
    verifier = await bench.verifier(FILES, "make test", shared=True)
    verdict = await verifier.submit(of(verifier, *edits))
    assert not verdict.accepted
    assert why in verdict.message, verdict.message


# JD-2, JD-3
async def test_a_product_change_that_needs_the_new_test_beside_it_is_refused(bench: Bench) -> None:
    verifier = await bench.verifier(FILES, "python -m pytest -q", shared=True)
    useless = Edit(file="calc.py", old_string="n * 3", new_string="n * 3 + 0")
    verdict = await verifier.submit(of(verifier, useless, new("tests/test_a_first.py", PATCHING)))
    assert not verdict.accepted
    assert "still there: tests/test_calc.py::test_double" in verdict.message


# JD-2
async def test_a_fix_of_a_test_that_does_not_parse_says_first_that_it_changes_the_tests(bench: Bench) -> None:
    files = {**FILES, "calc.py": CODE.replace("3", "2"), "tests/test_calc.py": TESTS.replace("double():", "double(:")}
    verifier = await bench.verifier(files, "python -m pytest -q")
    verdict = await verifier.submit(
        of(verifier, Edit(file="tests/test_calc.py", old_string="double(:", new_string="double():"))
    )
    assert verdict.proposal is not None, verdict.message
    assert verdict.proposal.touches == "tests"
    assert verdict.proposal.flags[0] == "changes the tests: tests/test_calc.py, because pytest found fault with it"


# JD-2
async def test_settings_that_are_themselves_the_error_are_repaired_with_the_word_that_checks_change(
    bench: Bench,
) -> None:
    files = {**FILES, "calc.py": CODE.replace("3", "2"), "pyproject.toml": '[tool.pytest.ini_options]\naddopts = "-q\n'}
    verifier = await bench.verifier(files, "python -m pytest")
    verdict = await verifier.submit(of(verifier, Edit(file="pyproject.toml", old_string='"-q\n', new_string='"-q"\n')))
    assert verdict.proposal is not None, verdict.message
    assert verdict.proposal.touches == "checks"


# JD-2
@pytest.mark.parametrize(("known", "accepted"), [(True, True), (False, False)])
async def test_a_test_follows_a_name_that_this_pull_request_renamed_and_no_other(
    bench: Bench, known: bool, accepted: bool
) -> None:
    before = {
        "calc.py": "def double(n):\n    return n * 2\n",
        "tests/test_calc.py": "import calc\n\n\ndef test_double():\n    assert calc.double(4) == 8\n",
    }
    base, head = bench.trees(before, {"calc.py": "def twice(n):\n    return n * 2\n"})
    at_head = await bench.verifier({**before, "calc.py": "def twice(n):\n    return n * 2\n"}, "python -m pytest -q")
    trees = Trees(head, head, target=base, merge_base=base) if known else Trees(head, head)
    verifier = Verifier(
        at_head.git, bench.checker(head), trees, at_head.checks, at_head.errors, shown_by=at_head.shown_by
    )
    verdict = await verifier.submit(
        of(verifier, Edit(file="tests/test_calc.py", old_string="calc.double(", new_string="calc.twice("))
    )
    assert verdict.accepted is accepted, verdict.message
    assert verdict.proposal is None or verdict.proposal.touches == "tests"


# JD-2
@pytest.mark.parametrize(
    ("named", "accepted"),
    [
        (
            "import logging\n\n\ndef test_log():\n    logging.getLogger().warn(1)\n",
            True,
        ),
        ("import calc\n\n\ndef test_old():\n    assert calc.old_one() == 1\n", False),  # it says that this has to stay
    ],
)
async def test_a_test_follows_a_name_that_an_error_replaces_unless_the_repository_defines_it(
    bench: Bench, named: str, accepted: bool
) -> None:
    calc = (
        "import warnings\n\n\ndef new_one():\n    return 1\n\n\ndef old_one():\n"
        '    warnings.warn("old_one() is deprecated, use new_one() instead", DeprecationWarning)\n    return 1\n'
    )
    files = {"calc.py": calc, "tests/test_calc.py": named}
    verifier = await bench.verifier(files, "python -W error::DeprecationWarning -m pytest -q")
    line = named.splitlines(keepends=True)[-1]
    follows = line.replace("warn(", "warning(").replace("old_one", "new_one")
    verdict = await verifier.submit(of(verifier, Edit(file="tests/test_calc.py", old_string=line, new_string=follows)))
    assert verdict.accepted is accepted, verdict.message
    assert verdict.proposal is None or verdict.proposal.touches == "tests"


RAISING = "import calc\n\n\ndef test_gone():\n    with pytest.raises(calc.Gone, match='gone'):\n        calc.find()\n"
LOST = {
    "calc.py": "class Gone(KeyError):\n    pass\n\n\nclass Other(KeyError):\n    pass\n\n\ndef find():\n"
    "    raise Gone('gone')\n",
    "more.py": "KEPT = 1\n",
    "tests/test_calc.py": f"import pytest\n\n{RAISING}",
}


# JD-2
@pytest.mark.parametrize(
    ("change", "line", "refused"),
    [
        ({}, "calc.Lost, match='gone'", ""),
        # An exception that was there before is another expectation.
        ({}, "calc.Other, match='gone'", "expects something else than before"),
        ({}, "(calc.Lost, calc.Other), match='gone'", "expects something else than before"),
        ({}, "KeyError, match='gone'", "expects something else than before"),
        # The product still has one of the old name: the test may mean that.
        ({"more.py": "class Gone(KeyError):\n    pass\n"}, "calc.Lost, match='gone'", "expects something else than before"),
        # What it prints isn't what it is called.
        ({"calc.py": LOST["calc.py"].replace("Gone", "Lost").replace("'gone'", "'Lost'")}, "calc.Lost, match='Lost'", "expects something else"),
    ],
)  # fmt: skip
async def test_a_test_expects_the_exception_by_the_name_that_this_pull_request_gave_it(
    bench: Bench, change: dict[str, str], line: str, refused: str
) -> None:
    renamed = {"calc.py": LOST["calc.py"].replace("Gone", "Lost"), **change}
    base, head = bench.trees(LOST, renamed)
    at_head = await bench.verifier({**LOST, **renamed}, "python -m pytest -q")
    trees = Trees(head, head, target=base, merge_base=base)
    verifier = Verifier(
        at_head.git, bench.checker(head), trees, at_head.checks, at_head.errors, shown_by=at_head.shown_by
    )
    edit = Edit(file="tests/test_calc.py", old_string="calc.Gone, match='gone'", new_string=line)
    verdict = await verifier.submit(of(verifier, edit))
    assert verdict.accepted is not bool(refused), verdict.message
    assert refused in verdict.message
    assert verdict.proposal is None or verdict.proposal.touches == "tests"


# JD-2
@pytest.mark.parametrize(("come", "accepted"), [("by", True), ("offset", False)])
async def test_a_test_passes_a_renamed_parameter_by_its_new_name_and_by_no_other(
    bench: Bench, come: str, accepted: bool
) -> None:
    """Another function still has a parameter of the old name."""
    code = (
        "def more(n, step=1, offset=1):\n    return n + offset * step\n\n\ndef less(n, step=1):\n    return n - step\n"
    )
    tests = "import calc\n\n\ndef test_more():\n    assert calc.more(4, step=1) == 5\n    assert calc.less(4, step=1) == 3\n"
    files = {"calc.py": code, "tests/test_calc.py": tests}
    now = {**files, "calc.py": code.replace("n, step=1, offset", "n, by=1, offset").replace("* step", "* by")}
    base, head = bench.trees(files, now)
    at_head = await bench.verifier(now, "python -m pytest -q")
    trees = Trees(head, head, target=base, merge_base=base)
    verifier = Verifier(
        at_head.git, bench.checker(head), trees, at_head.checks, at_head.errors, shown_by=at_head.shown_by
    )
    edit = Edit(file="tests/test_calc.py", old_string="more(4, step=1)", new_string=f"more(4, {come}=1)")
    verdict = await verifier.submit(of(verifier, edit))
    assert verdict.accepted is accepted, verdict.message
    assert verdict.proposal is None or verdict.proposal.touches == "tests"
