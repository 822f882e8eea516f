"""A mark of a merge conflict that a change left in a file."""

import pytest

from healing.model import Category
from tests.pipeline.bench import Bench
from tests.repair.fixers.repos import Broken

CODE = "const a = 1\n\nconst b = 2\n"
PYTHON = "a = 1\n\nb = 2\n"


def without_marks(file: str, was: str, now: str, message: str = "Unexpected token '>>>'") -> list[dict[str, str]]:
    broken = Broken({file: now}, {file: was}).said(f"SyntaxError: {message}", (file, 2), category=Category.SYNTAX)
    return [broken.after(one) for one in broken.candidates() if one.source == "fixer:merge_mark"]


# AF-3
@pytest.mark.parametrize(("file", "was"), [("a.js", CODE), ("a.py", PYTHON), ("a.js", CODE.replace("\n", "\r\n"))])
@pytest.mark.parametrize("mark", [">>>>>>> main", ">>>>>>>", "<<<<<<< HEAD", "=======", "||||||| 1234567"])
def test_a_single_mark_that_the_change_added_is_removed(file: str, was: str, mark: str) -> None:
    head, end, tail = was.partition("\r\n" if "\r" in was else "\n")
    assert without_marks(file, was, f"{head}{end}{mark}{end}{tail}") == [{file: was}]
    assert without_marks(file, was, f"{was}{mark}") == [{file: was}]


# AF-3
@pytest.mark.parametrize(("file", "line"), [("Makefile", 2), ("deploy.yml", 3)])
def test_a_mark_in_a_file_that_no_parser_reads_is_removed_where_the_error_is_at_it(file: str, line: int) -> None:
    text = "all: test\nclean: test\n"
    broken = Broken({file: text.replace("clean", "=======\nclean")}, {file: text})
    broken.said("syntax error: missing separator.  Stop.", (file, line), category=Category.CONFIG)
    found = [broken.after(one) for one in broken.candidates() if one.source == "fixer:merge_mark"]
    assert found == [{file: text}]


# AF-3
@pytest.mark.parametrize(
    ("file", "was", "now"),
    [
        # Nobody knows which side is right.
        ("a.js", CODE, f"<<<<<<< HEAD\n{CODE}=======\nconst c = 1\n>>>>>>> main\n"),
        ("a.js", CODE, f"{CODE}=======\nconst c = 1\n>>>>>>> main\n"),
        # The file can be read with it, or can't be read without it either.
        ("a.py", PYTHON, f"{PYTHON}c = '''\n=======\n'''\n"),
        ("a.js", CODE, f"{CODE}>>>>>>> main\nconst (\n"),
        # It was there before.
        ("a.js", f"{CODE}>>>>>>> main\n", f"{CODE}const c = 1\n>>>>>>> main\n"),
        # It is no mark.
        ("a.js", CODE, f"{CODE}>>>>>>>> main\n"),
        ("a.js", CODE, f"{CODE} >>>>>>> main\n"),
        ("a.js", CODE, f"{CODE}======= main\n"),
        ("a.txt", "Title\n", "Title\n=======\n"),
    ],
)
def test_what_is_no_single_mark_stays(file: str, was: str, now: str) -> None:
    assert without_marks(file, was, now) == []


# AF-3
async def test_a_file_that_a_merge_left_unreadable_is_healed(bench: Bench) -> None:
    files = {"calc.py": PYTHON, "tests/test_calc.py": "import calc\n\n\ndef test_calc():\n    assert calc.b == 2\n"}
    change = {"calc.py": PYTHON.replace("b =", ">>>>>>> main\nb =")}
    outcome = await bench.heal(files, change, "python -m pytest -q")
    assert (outcome.verdict, [one.source for one in outcome.proposals]) == ("healed", ["fixer:merge_mark"])
