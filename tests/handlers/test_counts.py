"""Counts in summaries are of errors that a fix removed."""

import pytest

from bot.cli.printing import outcome_lines
from handlers.comments.summary import summary_title
from healing.model import Category, CIError, Outcome, Resolution
from healing.pipeline.endings import counted


def outcome(*hows: str) -> Outcome:
    errors = tuple(CIError(id=f"E{n}", tool="t", category=Category.TEST, message="m") for n in range(len(hows)))
    ended = tuple(Resolution(error_id=f"E{n}", how=how) for n, how in enumerate(hows))
    return Outcome(verdict="healed", run_id="r", errors=errors, resolutions=ended)


# AG-13
@pytest.mark.parametrize(
    ("hows", "words"),
    [
        (("fix:a", "autofix:ruff", "fixer:x", "cascade:fast", "memory:a"), "5 errors"),
        (("fix:a", "flaky", "preexisting", "unfixable:U1"), "1 of 4 errors"),
        (("fix:a",), "1 error"),
        (("flaky", "flaky"), "2 errors"),
    ],
)
def test_only_errors_that_a_fix_removed_are_counted_as_removed(hows: tuple[str, ...], words: str) -> None:
    assert counted(outcome(*hows)) == words


# AG-13
def test_what_people_read_first_tells_removed_errors_from_all() -> None:
    ended = outcome("fix:a", "fix:a", "flaky")
    assert next(iter(outcome_lines(ended))) == "fixed: 2 of 3 errors, 0 fixes"
    assert summary_title(ended, offered=2) == "2 of 3 errors have a tested fix"
