"""Runs failing tests again: one that passes then fails by chance, so no fix can be shown for it."""

from collections.abc import Iterable

from healing.checks.check import Check, CheckResult
from healing.checks.narrow import narrow, ran_nothing
from healing.checks.running import Checker
from healing.logs.fingerprint import identity
from healing.model import CIError

QUICK = 30.0  # seconds of a whole step that is run again where its failing tests can't be run alone
AGAIN = 1  # the sample of the whole step's second run


async def passing_again(check: Check, first: CheckResult, errors: list[CIError], checker: Checker) -> list[CIError]:
    """Those errors of tests in a check's first run that a second one doesn't show. The tests run alone; one that passes
    then may fail only after others, so the whole step decides."""
    errors = [error for error in errors if error.test]
    alone = narrow(check, errors, checker.rules.limits, checker.git.view(first.tree).read)
    if alone is not None:
        errors = _gone(errors, await checker.run(alone, first.tree))
    elif first.whole_seconds > QUICK:
        return []
    return _gone(errors, await checker.run(check, first.tree, AGAIN)) if errors else []


def _gone(errors: Iterable[CIError], again: CheckResult) -> list[CIError]:
    """The errors that the second run shows no more. One that didn't run to its end, or ran no test, shows nothing."""
    if not again.usable or ran_nothing(again):
        return []
    shown = {identity(error) for error in again.errors}
    return [error for error in errors if identity(error) not in shown]
