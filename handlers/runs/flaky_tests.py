"""Records the test outcomes of each run, and reports tests known to be flaky."""

from handlers.comments import reruns as texts
from handlers.model import Context
from healing.logs import flakes
from healing.model import Outcome

MAX_TESTS = 200  # per run: a log may be untrusted
MAX_LENGTH = 500  # characters of a test's name
NOT_SEEN = frozenset({"infrastructure", "dependency", "configuration", "could-not-look"})  # the test was not run here


def outcomes(sha: str, outcome: Outcome) -> tuple[flakes.RecordedOutcome, ...]:
    """Returns the test outcomes of a run. A flaky test failed in CI and passed here, on the same code; any other test
    that was run here failed."""
    reasons = {f"unfixable:{report.id}": report.reason for report in outcome.unfixables}
    how = {resolution.error_id: resolution.how for resolution in outcome.resolutions}
    passed: dict[str, bool] = {}
    for error in outcome.errors:
        end = how.get(error.id, "")
        if error.test and len(error.test) <= MAX_LENGTH and reasons.get(end) not in NOT_SEEN:
            passed[error.test] = end == "flaky" and passed.get(error.test, True)
    tests = list(passed.items())[:MAX_TESTS]
    red = [flakes.RecordedOutcome(test, sha, passed=False) for test, _ in tests]
    return (*red, *(flakes.RecordedOutcome(test, sha, passed=True) for test, green in tests if green))


async def store_outcomes(context: Context, sha: str, outcome: Outcome) -> None:
    """Saves the test outcomes. Idempotent: a test has at most one failure and one pass per commit."""
    if recorded := outcomes(sha, outcome):
        await context.store.save_test_outcomes(recorded)


async def notes(context: Context, outcome: Outcome) -> tuple[str, ...]:
    """Returns a note about the run's flaky tests that are known to be flaky, or nothing."""
    flaky = {resolution.error_id for resolution in outcome.resolutions if resolution.how == "flaky"}
    tests = dict.fromkeys(error.test for error in outcome.errors if error.test and error.id in flaky)
    if not tests:
        return ()
    history = await context.store.test_outcomes(tuple(tests)[: texts.MAX_TESTS])
    text = texts.flaky_tests(flakes.flaky_tests(history))
    return (text,) if text else ()
