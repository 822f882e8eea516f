"""Several attempts at one commit, told as one."""

import pytest

from handlers.runs.attempt_outcomes import AttemptOutcome, merge_outcomes
from healing.model import NotChecked, Outcome, Resolution, Spending, Unfixable
from tests.handlers.texts import FIX, OUTCOME
from tests.handlers.world import ERROR

OTHER = ERROR.model_copy(update={"id": "E9", "message": "assert 4 == 3"})
REPORT = Unfixable(id="U9", error_ids=("E9",), reason="no-key", tried="", why="no key", advice="")
HEALED = Outcome(
    verdict="healed",
    run_id="run1",
    errors=(ERROR,),
    proposals=(FIX,),
    resolutions=(Resolution(error_id="E1", how=f"fix:{FIX.id}", proposal_id=FIX.id),),
    spending=Spending(calls=1, dollars=0.5, estimate_dollars=1.0),
    seconds={"free": 1.0, "total": 3.0},
)
LATE = Outcome(
    verdict="not-healed",
    run_id="run1",
    errors=(OTHER,),
    unfixables=(REPORT,),
    resolutions=(Resolution(error_id="E9", how="unfixable:U9"),),
    not_looked=(NotChecked(what="job docs", why="no log"),),
    spending=Spending(calls=2, dollars=0.25, estimate_dollars=0.5),
    seconds={"free": 2.0},
)


def test_one_look_is_told_as_it_is() -> None:
    assert merge_outcomes((AttemptOutcome(OUTCOME, False),)) == OUTCOME


# IN-3 GH-3 CK-7
def test_a_late_failure_adds_to_what_was_found_first() -> None:
    both = merge_outcomes((AttemptOutcome(HEALED, False), AttemptOutcome(LATE, False)))
    assert both.verdict == "partly"
    assert [error.id for error in both.errors] == ["E1", "E9"]
    assert {r.error_id: r.how for r in both.resolutions} == {"E1": f"fix:{FIX.id}", "E9": "unfixable:U9"}
    assert (both.proposals, both.unfixables, both.not_looked) == ((FIX,), (REPORT,), LATE.not_looked)
    assert (both.spending.calls, both.spending.dollars, both.spending.estimate_dollars) == (3, 0.75, 0.5)
    assert both.seconds == {"total": 5.0}


# IN-3 GH-3 CK-7
def test_a_retry_that_fixes_takes_the_report_back() -> None:
    fixed = HEALED.model_copy(
        update={"errors": (OTHER,), "resolutions": (Resolution(error_id="E9", how=f"fix:{FIX.id}"),)}
    )
    both = merge_outcomes((AttemptOutcome(LATE, False), AttemptOutcome(fixed, True)))
    assert (both.verdict, both.unfixables, both.not_looked) == ("healed", (), ())
    assert [r.how for r in both.resolutions] == [f"fix:{FIX.id}"]


@pytest.mark.parametrize(
    ("first", "second", "again", "verdict"),
    [
        ("not-healed", "not-healed", False, "not-healed"),
        ("could-not-look", "not-healed", False, "not-healed"),
        ("could-not-look", "could-not-look", True, "could-not-look"),
        ("not-healed", "could-not-look", True, "not-healed"),
    ],
)
def test_without_a_fix_nothing_is_called_healed(first: str, second: str, again: bool, verdict: str) -> None:
    bare = {"proposals": (), "errors": (ERROR,)}
    one = Outcome.model_validate({**bare, "run_id": "r", "verdict": first})
    other = Outcome.model_validate({"run_id": "r", "verdict": second})
    assert merge_outcomes((AttemptOutcome(one, False), AttemptOutcome(other, again))).verdict == verdict
