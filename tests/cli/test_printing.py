"""What the command line prints of a run, as text."""

import pytest

from bot.cli.printing import diff_lines, error_line, evidence_lines
from healing.model import Category, CIError, Edit, Evidence, Proposal

TESTS = [f"tests/test_prices.py::test_price[{number}]" for number in range(40)]


def proven_by(command: str) -> Proposal:
    ran = Evidence(
        command=command,
        before_tree="a" * 40,
        after_tree="b" * 40,
        before_exit=1,
        after_exit=0,
        before_output="",
        after_output="",
        note="40 tests passed",
    )
    return Proposal(
        id="d1a96cdd5809",
        source="fixer:renamed_symbol",
        phase="free",
        title="Give it its name back",
        explanation="It was renamed.",
        confidence=90,
        error_ids=(),
        edits=(),
        wide=(),
        reverse=(),
        evidence=(ran,),
        base_tree="a" * 40,
    )


def test_a_command_that_names_dozens_of_tests_is_cut_between_two_of_them_but_not_where_a_fix_is_shown() -> None:
    command = " ".join(["pytest", *TESTS])
    (report,) = evidence_lines(proven_by(command), whole=False)
    shown = "fails without the fix, passes with it: 40 tests passed"
    assert report == f"$ pytest {' '.join(TESTS[:4])} …  {shown}"
    assert list(evidence_lines(proven_by(command))) == [f"$ {command}  {shown}"]
    assert list(evidence_lines(proven_by("make test"), whole=False)) == [f"$ make test  {shown}"]


# UX-3
def test_a_diff_shows_that_a_last_line_gets_an_end() -> None:
    edit = Edit(file="m.py", old_string="return 1", new_string="return 1\n")
    lines = [line for line, _ in diff_lines((edit,), {"m.py": b"def f():\n    return 1"})]
    assert lines[-2:] == ["-    return 1\n\\ No newline at end of file", "+    return 1"]


# EX-12
@pytest.mark.parametrize(
    ("message", "expected", "actual", "line"),
    [
        ("assert 1 == 2", "2", "1", "assert 1 == 2"),
        ("expected: [1]\nactual: [2]", "[1]", "[2]", "expected: [1]; got [2]"),
        (
            "AssertionError: Regex pattern did not match.", "'old'", "'new'",
            "AssertionError: Regex pattern did not match; expected 'old', got 'new'",
        ),
        (
            "Expected values to be equal:\n+ actual - expected\n\n  {\n+   a: 1\n-   a: 2\n  }", None, None,
            "Expected values to be equal; expected a: 2, got a: 1",
        ),
        ("does not match /x/. Input:\n\n'abc'\n", None, None, "does not match /x/. Input: 'abc'"),
        ("syntax error\nnote: more", None, None, "syntax error"),
        ("", None, None, ""),
    ],
)  # fmt: skip
def test_an_error_s_line_says_what_was_expected_and_what_there_was(
    message: str, expected: str | None, actual: str | None, line: str
) -> None:
    error = CIError(id="E", tool="t", category=Category.TEST, message=message, expected=expected, actual=actual)
    assert error_line(error) == f"{line}  [t]"


def test_a_command_that_passes_only_with_the_other_fixes_has_one_line() -> None:
    proposal = proven_by("make test")
    (ran,) = proposal.evidence
    left = ran.model_copy(update={"after_exit": 1, "note": "5 → 4 errors"})
    joint = ran.model_copy(update={"alone": False, "note": "together with the other fixes; 40 tests passed"})
    lines = list(evidence_lines(proposal.model_copy(update={"evidence": (joint, left)})))
    assert lines == [
        "$ make test  fails without the fixes, and with this one alone; passes together with the other fixes; "
        "40 tests passed"
    ]
