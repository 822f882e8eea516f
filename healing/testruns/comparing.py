"""Rule for what ran: every test of before the change is there again after it, by id, and passes if it passed (JD-3)."""

from collections import Counter
from collections.abc import Iterable

from healing.testruns.report import FILE, RunReport, form_of

MOST_ALTERED = 3  # that a reason names


def tests_lost(before: RunReport, after: RunReport | None, was_green: bool, green: bool) -> tuple[str, ...]:
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
    found = Pairs(before, after)
    gone = Counter(found.now(one) for one in before.every)
    no_longer_passing = Counter(found.now(one) for one in before.passed)
    if gone[""]:
        yield f"{_tests(gone[''])} of before the change {_did(gone[''])} not run any more"
    if skipped := no_longer_passing["skipped"]:
        yield f"{_tests(skipped)} passed before and {_are(skipped)} skipped now"
    if failed := no_longer_passing["failed"]:
        yield f"{_tests(failed)} passed before and {_fail(failed)} now"
    if skipped := sum(found.now(one) == "skipped" for one in before.failed):
        yield f"{_tests(skipped)} failed before and {_are(skipped)} skipped now"
    again = (*before.passed, *before.failed, *(() if not green else before.unrun))
    if unrun := sum(found.now(one) == "unrun" for one in again):
        yield f"{_tests(unrun)} of before the change {_did(unrun)} not run to an end"


class Pairs:
    """Finds each test of before the change among those after it: by its very id, else by its stable form among those
    whose id is new, each of which stands for one test only."""

    def __init__(self, before: RunReport, after: RunReport) -> None:
        self.after: dict[str, str] = {}
        groups = (("unrun", after.unrun), ("skipped", after.skipped), ("failed", after.failed), ("passed", after.passed))
        for outcome, entries in groups:  # an id that ran twice counts by its best outcome: a failure was told of above
            self.after |= dict.fromkeys(entries, outcome)
        known = set(before.every)
        new: dict[str, list[str]] = {}
        for one, outcome in self.after.items():
            if one not in known:
                new.setdefault(form_of(one), []).append(outcome)
        for one in dict.fromkeys(before.every):
            outcomes = new.get(form_of(one)) if one not in self.after and form_of(one) != one else None
            if outcomes:
                self.after[one] = outcomes.pop()

    def now(self, one: str) -> str:
        """The outcome of a test of before the change; empty where it did not run."""
        return self.after.get(one, "")


def _tests(count: int) -> str:
    return f"{count} test{'s' * (count != 1)}"


def _did(count: int) -> str:
    return "did" if count else ""


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _fail(count: int) -> str:
    return "fails" if count == 1 else "fail"


def in_words(before: RunReport | None, after: RunReport | None) -> str:
    """How the tests of a green run compare with those before the change, for people; empty where none ran."""
    if after is None:
        return ""
    was = {one for one in before.passed if not one.startswith(FILE)} if before else set()
    same = sum(one in was for one in set(after.passed))
    return f"{_tests(after.tests_passed)} passed" + (f", {same} of them before too" if was else "")
