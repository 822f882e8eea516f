"""Rule for test runs: every test from before a change is there after it, by id, and passes if it passed before."""

from collections import Counter
from collections.abc import Iterable

from healing.testruns.report import FILE, RunReport, form_of

MAX_ALTERED = 3  # functions that a reason names
OUTCOMES = ("passed", "failed", "skipped", "unrun")
SAYS = {  # messages by the outcomes of tests before and now
    ("passed", "skipped"): "passed before and now: skipped",
    ("passed", "failed"): "passed before and now: failed",
    ("passed", "unrun"): "passed before and now: not run to the end",
    ("failed", "skipped"): "failed before and now: skipped",
    ("failed", "unrun"): "failed before and now: not run to the end",
}


def lost_tests(before: RunReport, after: RunReport | None, was_green: bool, green: bool) -> tuple[str, ...]:
    """Why the run after a change doesn't show that the earlier tests are all right; empty if it does. `was_green` and
    `green`: whether the commands exited with 0."""
    if after is None:
        return ("no test runner reports any more, and one did before",)
    reasons = list(_untrue(before, after, green))
    if green and after.failed and not (was_green and before.failed):
        reasons.append(f"the command exits with 0 although {_tests(len(after.failed))} failed")
    return (*reasons, *_missing(before, after, green))


def _untrue(before: RunReport, after: RunReport, green: bool) -> Iterable[str]:
    """Why the runners' reports can't be trusted."""
    if after.forged:
        yield "something else than the test runner wrote to its report"
    if after.early and (green or not before.early):
        yield "the test run ended before its end"
    if altered := sorted(set(after.altered) - set(before.altered)):
        yield f"the code replaces parts of the test runner: {', '.join(altered[:MAX_ALTERED])}"


def _missing(before: RunReport, after: RunReport, green: bool) -> Iterable[str]:
    """How tests from before the change got lost or worse."""
    pairs = TestPairs(before, after)
    counts = Counter((pairs.then(test), pairs.now(test)) for test in dict.fromkeys(before.every))
    if missing := sum(count for (_, now), count in counts.items() if not now):
        yield f"{_tests(missing)} that the runner knew before {'is' if missing == 1 else 'are'} not there any more"
    for outcomes, message in SAYS.items():
        if count := counts[outcomes]:
            yield f"{_tests(count)} {message}"
    if green and (count := counts["unrun", "unrun"]):
        yield f"{_tests(count)} collected and not run to the end"


def newly_failing(before: RunReport, after: RunReport | None) -> frozenset[str]:
    """The tests, and test files, that passed before and fail now, by their exact ids."""
    return frozenset(before.passed) & frozenset(after.failed if after else ())


class TestPairs:
    """Matches each test from before the change with one after it: by its exact id, otherwise by its stable form among
    the new ids, each of which matches only one test."""

    def __init__(self, before: RunReport, after: RunReport) -> None:
        self.before, self.after = _by_id(before), _by_id(after)
        new: dict[str, list[str]] = {}
        for test in self.after:
            if test not in self.before:
                new.setdefault(form_of(test), []).append(test)
        for test in self.before:
            if test not in self.after and form_of(test) != test and (alike := new.get(form_of(test))):
                self.after[test] = self.after[alike.pop()]

    def then(self, one: str) -> str:
        """The outcome of a test before the change; the best one if it ran more than once."""
        return _best(self.before[one])

    def now(self, one: str) -> str:
        """The outcome after the change, empty if it did not run. If it ran more than once, an outcome that is worse
        than any it had before counts."""
        had, has = self.before[one], self.after.get(one, Counter())
        worse = (outcome for outcome in OUTCOMES[1:] if has[outcome] > had[outcome])
        return next(worse, _best(has))


def _by_id(report: RunReport) -> dict[str, Counter[str]]:
    outcomes: dict[str, Counter[str]] = {}
    for outcome in OUTCOMES:
        for test in getattr(report, outcome):
            outcomes.setdefault(test, Counter())[outcome] += 1
    return outcomes


def _best(outcomes: Counter[str]) -> str:
    return next((outcome for outcome in OUTCOMES if outcomes[outcome]), "")


def _tests(count: int) -> str:
    return f"{count} test{'s' * (count != 1)}"


def in_words(before: RunReport | None, after: RunReport) -> str:
    """How a run's tests compare with those before the change, as text; empty if none passed."""
    passed = {test for test in after.passed if not test.startswith(FILE)}
    if not passed:
        return ""
    earlier = passed.intersection(before.passed if before else ())
    return f"{_tests(after.tests_passed)} passed{f', {len(earlier)} of them before the change too' if earlier else ''}"
