"""What `heal apply all` leaves out: a fix that changes tests or checks, and what was tested only on top of one."""

from bot.laptop.held_back import held_back
from tests.web.rows import proposal


# JD-2
def test_what_was_made_on_top_of_a_fix_that_changes_tests_waits_for_it() -> None:
    in_tests = proposal("tests", ("e1",), touches="tests")
    on_top = proposal("on-top", ("e2",), needs=("tests",))
    higher = proposal("higher", ("e3",), needs=("on-top",))
    alone = proposal("alone", ("e4",))
    besides = proposal("besides", ("e5",), needs=("alone",))
    held = held_back((in_tests, alone, on_top, besides, higher))
    assert {ident: cause.id for ident, cause in held.items()} == {
        "tests": "tests",
        "on-top": "tests",
        "higher": "tests",
    }
