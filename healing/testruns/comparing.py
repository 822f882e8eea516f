"""Rule for what ran: every test of before the change is there again after it, by id, and passes if it passed."""

from collections import Counter
from collections.abc import Iterable

from healing.testruns.report import FILE, RunReport, form_of

MOST_ALTERED = 3  # that a reason names
OUTCOMES = ("passed", "failed", "skipped", "unrun")
SAYS = {  # what became of tests, by their outcomes before and now
    ("passed", "skipped"): "passed before and now: skipped",
    ("passed", "failed"): "passed before and now: failed",
    ("passed", "unrun"): "passed before and now: not run to the end",
    ("failed", "skipped"): "failed before and now: skipped",
    ("failed", "unrun"): "failed before and now: not run to the end",
}


def lost_tests(before: RunReport, after: RunReport | None, was_green: bool, green: bool) -> tuple[str, ...]:
    """Why the run after a change doesn't show that the tests of before it are well; empty where it does. `was_green`
    and `green`: whether the commands exited with 0."""
    if after is None:
        return ("no test runner reports any more, and one did before",)
    found = list(_untrue(before, after, green))
    if green and after.failed and not (was_green and before.failed):
        found.append(f"the command exits with 0 although {_tests(len(after.failed))} failed")
    return (*found, *_missing(before, after, green))


def _untrue(before: RunReport, after: RunReport, green: bool) -> Iterable[str]:
    """Why what the runners reported can't be believed."""
    if after.forged:
        yield "something else than the test runner wrote to its report"
    if after.early and (green or not before.early):
        yield "the test run ended before its end"
    if altered := sorted(set(after.altered) - set(before.altered)):
        yield f"the code replaces parts of the test runner: {', '.join(altered[:MOST_ALTERED])}"


def _missing(before: RunReport, after: RunReport, green: bool) -> Iterable[str]:
    """What became of the tests of before the change, where it isn't well."""
    pairs = Pairs(before, after)
    became = Counter((pairs.then(one), pairs.now(one)) for one in dict.fromkeys(before.every))
    if gone := sum(count for (_, now), count in became.items() if not now):
        yield f"{_tests(gone)} that the runner knew before {'is' if gone == 1 else 'are'} not there any more"
    for both, words in SAYS.items():
        if count := became[both]:
            yield f"{_tests(count)} {words}"
    if green and (count := became["unrun", "unrun"]):
        yield f"{_tests(count)} collected and not run to the end"


class Pairs:
    """Finds each test of before the change among those after it: by its very id, else by its stable form among those
    whose id is new, each of which stands for one test only."""

    def __init__(self, before: RunReport, after: RunReport) -> None:
        self.before, self.after = _by_id(before), _by_id(after)
        new: dict[str, list[str]] = {}
        for one in self.after:
            if one not in self.before:
                new.setdefault(form_of(one), []).append(one)
        for one in self.before:
            if one not in self.after and form_of(one) != one and (alike := new.get(form_of(one))):
                self.after[one] = self.after[alike.pop()]

    def then(self, one: str) -> str:
        """The outcome of a test before the change; the best one where it ran more than once."""
        return _best(self.before[one])

    def now(self, one: str) -> str:
        """The outcome after it, empty where it did not run. Where it ran more than once, one that is worse than any
        that it had before counts."""
        had, has = self.before[one], self.after.get(one, Counter())
        worse = (outcome for outcome in OUTCOMES[1:] if has[outcome] > had[outcome])
        return next(worse, _best(has))


def _by_id(report: RunReport) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = {}
    for outcome in OUTCOMES:
        for one in getattr(report, outcome):
            found.setdefault(one, Counter())[outcome] += 1
    return found


def _best(outcomes: Counter[str]) -> str:
    return next((outcome for outcome in OUTCOMES if outcomes[outcome]), "")


def _tests(count: int) -> str:
    return f"{count} test{'s' * (count != 1)}"


def in_words(before: RunReport | None, after: RunReport) -> str:
    """How the tests of a run compare with those before the change, for people; empty where none passed."""
    passed = {one for one in after.passed if not one.startswith(FILE)}
    if not passed:
        return ""
    was = passed.intersection(before.passed if before else ())
    return f"{_tests(after.tests_passed)} passed{f', {len(was)} of them before the change too' if was else ''}"
