"""Sets aside errors that the change isn't to blame for: those of the base, and of tests that fail by chance."""

import asyncio
from collections import Counter
from collections.abc import Sequence

from healing.checks.running import Checker
from healing.logs.fingerprint import fails_as, identity
from healing.logs.wording import shortened
from healing.model import CIError, Resolution
from healing.pipeline.baseline import RED_BEFORE, Baseline
from healing.pipeline.failure import Failure
from healing.pipeline.second_look import passing_again
from healing.pipeline.trust import base_needs_other_dependencies, not_in_ci_report

SHOWN = 120  # characters of the base's error


async def set_aside_of_base(baseline: Baseline, failure: Failure, checker: Checker) -> None:
    """Sets aside errors that the base shows too.

    Where CI reports such an error, it was there before: it is fixed once, on the base, and not on every pull request.
    Where CI ran the check and doesn't report it, only this environment shows it. The checks that run on the base's tree
    are those that show an error outside the files that this change touches, or an error that CI ran the check for and
    didn't report; in a person's own environment all, as what is missing there may show in any file.
    """
    base = failure.trees.before
    if base is None or base in (failure.trees.built, failure.trees.head):
        return
    if base_needs_other_dependencies(checker, checker.git, base, failure.trees.built):
        return
    suspects = [
        check
        for check in baseline.failing
        for suspect in (baseline.words[check.key].contradicts,)
        if checker.toolchain.personal
        or any(e.file not in failure.changed_files or suspect(e) for e in baseline.results[check.key].errors)
    ]
    results = await asyncio.gather(*(checker.run(check, base) for check in suspects))
    both = zip(suspects, results, strict=True)
    base_results = [(c, r) for c, r in both if r.exit_code is not None and not r.problem]
    base_errors = [error for _, result in base_results for error in result.errors]
    for check, result in base_results:
        shown = [e for e in baseline.results[check.key].errors if fails_as(e, result.errors)]
        ci_report, was_green = baseline.words[check.key], base == failure.trees.green
        only_here = tuple(e for e in shown if ci_report.contradicts(e) or (was_green and not ci_report.confirms(e)))
        if only_here:
            baseline.not_looked.append(not_in_ci_report(check, only_here))
            baseline.leave_out(only_here)
    if base == failure.trees.green:
        return  # CI was green on the base: what it reports now is new since then
    _give_up_red_tests(baseline, base_errors)
    more = Counter(map(identity, baseline.open_errors())) - Counter(map(identity, base_errors))
    baseline.preexisting |= {identity(e) for e in baseline.open_errors() if fails_as(e, base_errors)} - more.keys()
    baseline.resolutions += [
        Resolution(error_id=e.id, how="preexisting")
        for e in baseline.open_errors()
        if identity(e) in baseline.preexisting
    ]


async def set_aside_flaky(baseline: Baseline, checker: Checker) -> None:
    """Sets aside tests that fail by chance. What CI reported has failed there and here, which is twice; on a laptop, or
    where CI's log tells nothing, a test that failed runs again."""
    still_open = {error.id for error in baseline.open_errors()}
    flaky: list[CIError] = []
    for check in baseline.failing:
        first, confirms = baseline.results[check.key], baseline.words[check.key].confirms
        once = [error for error in first.errors if error.id in still_open and not confirms(error)]
        flaky += await passing_again(check, first, once, checker)
    baseline.resolutions += [Resolution(error_id=id_, how="flaky") for id_ in dict.fromkeys(e.id for e in flaky)]
    baseline.preexisting |= {identity(error) for error in flaky}


def _give_up_red_tests(baseline: Baseline, base_errors: Sequence[CIError]) -> None:
    """Reports tests that are red on the base too, and now for another reason."""
    by_reason: dict[str, list[CIError]] = {}
    for error in baseline.open_errors():
        before = next((other for other in base_errors if identity(other) == identity(error)), None)
        if before is not None and error.test and not fails_as(error, base_errors):
            by_reason.setdefault(shortened(before.message.partition("\n")[0], SHOWN), []).append(error)
    for reason, errors in by_reason.items():
        why = f"red on the base commit too, for another reason ({reason}), so no fix can be shown to work here"
        baseline.give_up(errors, RED_BEFORE, why)
        baseline.preexisting |= {identity(error) for error in errors}
