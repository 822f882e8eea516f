"""What the command line prints of a run, as text."""

from bot.cli.printing import diff_lines, evidence_lines
from healing.model import Edit, Evidence, Proposal

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
