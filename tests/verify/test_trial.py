"""The verdict on what CI says: computed from its jobs' conclusions and logs."""

import pytest

from healing.failed_jobs import FailedJob
from healing.verify.trial import Trial, TriedJob, judge_trial

CI = ".github/workflows/ci.yml"
RED = FailedJob("tests", CI, log=b"===== 1 failed, 3 passed in 0.10s =====\n")
GREEN = TriedJob(workflow_path=CI, name="tests", conclusion="success", log="===== 4 passed in 0.10s =====\n")


def trial(*jobs: TriedJob, **fields: object) -> Trial:
    return Trial.model_validate({"tree": "t", "jobs": jobs, **fields})


# CK-2
def test_green_is_what_failed_before_passes_now_and_nothing_else_fails() -> None:
    other = TriedJob(workflow_path=CI, name="docs", conclusion="skipped")
    assert judge_trial(trial(GREEN, other), (RED,)).green


# CK-2
@pytest.mark.parametrize("conclusion", ["failure", "timed_out", "cancelled", "action_required"])
def test_a_job_that_ends_badly_is_red_whether_it_had_failed_or_not(conclusion: str) -> None:
    log = "calc.py:2:5: F821 Undefined name `math`\n"
    again = GREEN.model_copy(update={"conclusion": conclusion, "log": log})
    verdict = judge_trial(trial(again), (RED,))
    assert (verdict.green, verdict.looked) == (False, True)
    assert verdict.why == f"CI's job “tests” ends as {conclusion}: calc.py:2 Undefined name `math`"
    other = TriedJob(workflow_path=".github/workflows/lint.yml", name="lint", conclusion=conclusion)
    assert judge_trial(trial(GREEN, other), (RED,)).why == f"CI's job “lint” ends as {conclusion}"


# CK-2
@pytest.mark.parametrize("jobs", [(), (GREEN.model_copy(update={"conclusion": "skipped"}),)])
def test_a_job_that_did_not_run_there_has_judged_nothing(jobs: tuple[TriedJob, ...]) -> None:
    verdict = judge_trial(trial(*jobs), (RED,))
    assert (verdict.green, verdict.looked) == (False, False)
    assert verdict.advice


# CK-2
def test_another_workflows_job_of_the_same_name_does_not_count() -> None:
    verdict = judge_trial(trial(GREEN.model_copy(update={"workflow_path": "other.yml"})), (RED,))
    assert not verdict.looked


# CK-2 CK-5
@pytest.mark.parametrize(
    "log", ["===== 3 passed in 0.10s =====\n", "===== 3 passed, 1 skipped in 0.10s =====\n", "ok\n"]
)
def test_green_because_tests_are_gone_is_not_green(log: str) -> None:
    verdict = judge_trial(trial(GREEN.model_copy(update={"log": log})), (RED,))
    assert (verdict.green, verdict.looked) == (False, True)
    assert "CI's job “tests” is green, but" in verdict.why


# CK-2
def test_where_no_job_is_known_that_had_failed_nothing_is_proven() -> None:
    verdict = judge_trial(trial(GREEN), ())
    assert (verdict.green, verdict.looked) == (False, False)


# CK-2
def test_a_problem_is_no_verdict() -> None:
    verdict = judge_trial(trial(problem="no workflow began", advice="add one"), (RED,))
    assert (verdict.green, verdict.looked, verdict.why, verdict.advice) == (
        False, False, "no workflow began", "add one",
    )  # fmt: skip
