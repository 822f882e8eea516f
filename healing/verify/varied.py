"""Runs a failing test with other values, with and without a fix, and flags a fix that works only for the test's own
values.

If the code from before the pull request passes the test, its results with other values are the reference for the fix's
results. Otherwise tests that pass show which values may be changed. Without either, or when time runs out, nothing is
flagged.
"""

import re
from asyncio import gather
from collections.abc import Iterable, Mapping, Sequence

from healing.checks.check import Check, CheckResult
from healing.checks.running import Checker
from healing.git import Git
from healing.model import CIError
from healing.testruns.report import FILE
from healing.verify.copies import copies
from healing.verify.guard.paths import CODE, is_test_data, is_test_file
from healing.verify.guard.reading.orders import comparison_counts
from healing.verify.variant_run import Place, VariantRun, raised_by
from healing.verify.variants.changing import Variant
from healing.verify.variants.earlier import earlier

MAX_FILES = 50  # product files that are set back to before the pull request
MINIMUM = 3  # variants that must agree before a fix without effect is flagged
SHOWN = 60  # characters of a value in a flag
ENDED = (0, 1, 101)  # exit codes of a test runner that ran to its end; the last is cargo's
MAX_ROUNDS = 3  # of leaving out the variants that don't compile
VARIES = re.compile(r"\b0x[0-9a-fA-F]{4,16}\b|/tmp/[\w./-]{1,200}|\b\d+(?:\.\d+)? ?m?s\b")  # from run to run


async def special_case_flags(
    git: Git,
    checker: Checker,
    checks: Sequence[Check],
    before: str,
    after: str,
    errors: Sequence[CIError],
    earlier_tree: str | None = None,
) -> tuple[str, ...]:
    """Flags for a reviewer: the failing tests whose results with other values show that the fix works only for their
    own values. `before` and `after` are trees as CI builds them; `earlier_tree` is the first with the product's code as
    it was before the pull request."""
    first = copies(checks, git.view(before), errors, compared=True)
    if first is None:
        return ()
    run, (with_fix, other) = await _on_both(git, checker, first, (after, earlier_tree or before))
    if with_fix is None:
        return ()
    reference = other if earlier_tree is not None else None
    if (
        earlier_tree
        and reference
        and _is_right(run, reference)
        and (difference := first_difference(run, reference, with_fix))
    ):
        return (difference,) if await _again(git, checker, run, earlier_tree, after, difference) else ()
    without_fix = other if earlier_tree is None else await _result_on(git, checker, run, before)
    if without_fix is None or without_fix.green:
        return ()
    changed = git.changed(before, after)
    return _by_tests(run, without_fix, with_fix) or (
        () if _moves_a_bound(changed) else _without_effect(run, without_fix, with_fix)
    )


def _moves_a_bound(changed: Mapping[str, tuple[bytes | None, bytes | None]]) -> bool:
    """Whether a comparison only starts or stops including its bound, and nothing else is compared: that shows at one
    value only."""
    pairs = [
        (comparison_counts(path, old or b""), comparison_counts(path, new or b""))
        for path, (old, new) in changed.items()
    ]
    return any(old != new and old.total() == new.total() for old, new in pairs)


def _without_effect(variant_run: VariantRun, broken: CheckResult, new: CheckResult) -> tuple[str, ...]:
    """A flag for a failing test that gives, with all other values, what it gives without the fix."""
    was, now = variant_run.failures(broken), variant_run.failures(new)
    if variant_run.to_the_end is None or _any(_without_parameters(now), 0, variant_run.failing):
        return ()
    for test in sorted(variant_run.failing):
        name = test + variant_run.to_the_end
        numbers = [
            n
            for n, variant in enumerate(variant_run.variants)
            if n and test in variant.changed and variant.whole and not variant.crashes
        ]
        numbers = [number for number in numbers if (number, "") not in was and (number, "") not in now]
        if len(numbers) >= MINIMUM and all(_outcomes(was, n, name) == _outcomes(now, n, name) for n in numbers):
            return (f"{test} gives with other values what it gives without the fix ({len(numbers)} tried)",)
    return ()


def _outcomes(failures: dict[Place, CIError], number: int, test: str) -> dict[str, tuple[str, str]]:
    return {
        name: _outcome(error)
        for (variant, name), error in failures.items()
        if variant == number and name.partition("[")[0] == test
    }


def _is_right(variant_run: VariantRun, result: CheckResult) -> bool:
    """Whether the failing test and those like it pass with their own values, so what they expect was not changed on
    purpose."""
    return not _any(variant_run.failures(result), 0, variant_run.failing | variant_run.passing)


def with_old_product(git: Git, tree: str, origin: str, paths: Iterable[str]) -> str | None:
    """The tree with the product's code as it was at `origin`: those of `paths` that changed since, otherwise all files
    that did. None if none did."""
    now, then = git.view(tree), git.view(origin)
    changed = [path for path in now.paths() if then.blob(path) not in (None, now.blob(path))]
    product = [path for path in changed if CODE.search(path) and not is_test_file(path) and not is_test_data(path)]
    chosen = [path for path in paths if path in product] or product[:MAX_FILES]
    pairs = {path: (then.read(path), now.read(path)) for path in chosen}
    files = {path: earlier(path, old, new) for path, (old, new) in pairs.items() if old is not None and new is not None}
    return git.write_tree(tree, files) if files else None


def first_difference(variant_run: VariantRun, old: CheckResult, new: CheckResult) -> str:
    """The first result with other values that differs from that of the reference code; empty if there is none."""
    was, now = variant_run.failures(old), variant_run.failures(new)
    if not _is_right(variant_run, new):
        return ""
    complete = len(was) == _failed(old) and len(now) == _failed(new)
    for number, variant in enumerate(variant_run.variants[1:], 1):
        if (number, "") in was or (number, "") in now:  # it could not be collected
            continue
        for place in sorted(place for place in {*was, *now} if place[0] == number):
            name = place[1].partition("[")[0]
            want, got = was.get(place), now.get(place)
            if name not in variant.changed or ((variant_run.prints_all or not complete) and not (want and got)):
                continue
            if (want and raised_by(want)) or _outcome(want) == _outcome(got):  # exceptions aren't compared
                continue
            return f"{name}, {variant.words}: {_shown(got)}; with the code from before the pull request {_shown(want)}"
    return ""


def _failed(result: CheckResult) -> int:
    return len({test for test in result.tests.failed if not test.startswith(FILE)}) if result.tests else -1


def _outcome(error: CIError | None) -> tuple[str, str]:
    return ("", "") if error is None else (VARIES.sub("0", error.message), VARIES.sub("0", error.actual or ""))


def _shown(error: CIError | None) -> str:
    if error is None:
        return "as expected"
    text = " ".join((error.actual or error.message).splitlines())
    return f"`{text[:SHOWN].replace('`', chr(39))}`"


async def _again(git: Git, checker: Checker, variant_run: VariantRun, old: str, new: str, found: str) -> bool:
    """Whether both trees give the same difference once more: random results are ignored."""
    before, after = (
        await _result_on(git, checker, variant_run, old, 1),
        await _result_on(git, checker, variant_run, new, 1),
    )
    return before is not None and after is not None and first_difference(variant_run, before, after) == found


def _by_tests(variant_run: VariantRun, old: CheckResult, new: CheckResult) -> tuple[str, ...]:
    """Flags found by comparing with tests that pass."""
    was, failed = _without_parameters(variant_run.failures(old)), _without_parameters(variant_run.failures(new))
    if _any(failed, 0, variant_run.failing | variant_run.passing) or _any(was, 0, variant_run.passing):
        return ()
    for number, variant in enumerate(variant_run.variants[1:], 1):
        if not variant.compared and (why := _suspicion(variant_run, number, variant, was, failed)):
            return (why,)
    return ()


def _suspicion(
    variant_run: VariantRun, number: int, variant: Variant, was: dict[Place, CIError], failed: dict[Place, CIError]
) -> str:
    if (number, "") in was or (number, "") in failed:  # it could not be collected
        return ""
    witnesses, failing = variant.changed & variant_run.passing, sorted(variant.changed & variant_run.failing)
    for name in failing if witnesses else ():
        place, raised = (number, name), (variant_run.raised or {}).get(name)
        # Without the fix it has to be the same failure.
        if place not in failed or place not in was or raised_by(was[place]) != raised:
            continue
        if not variant.crashes and not _any(was, number, witnesses):
            return f"{name} still fails {variant.words}, with which tests like it pass"
        expected = {raised_by(was[number, witness]) for witness in witnesses if (number, witness) in was}
        if raised and raised_by(failed[place]) == raised and raised not in expected:
            return f"{name} still ends with {raised} {variant.words}"
    return ""


async def _on_both(
    git: Git, checker: Checker, variant_run: VariantRun, trees: tuple[str, str]
) -> tuple[VariantRun, list[CheckResult | None]]:
    """The variants that compile on both trees, with their results there; None for a result that is unusable."""
    for _ in range(MAX_ROUNDS):
        results = await gather(*(_run(git, checker, variant_run, tree) for tree in trees))
        files = [variant_run.files_on(git.view(tree)) for tree in trees]
        named = [variant_run.in_the_way(*pair) for pair in zip(files, results, strict=True)]
        smaller = variant_run.without(frozenset().union(*named)) if variant_run.without and any(named) else None
        if smaller is None:
            break
        variant_run = smaller
    return variant_run, [_usable(variant_run, result) for result in results]


async def _result_on(
    git: Git, checker: Checker, variant_run: VariantRun, tree: str, sample: int = 0
) -> CheckResult | None:
    """The result of all variants on a tree; None if it is unusable."""
    return _usable(variant_run, await _run(git, checker, variant_run, tree, sample))


async def _run(git: Git, checker: Checker, variant_run: VariantRun, tree: str, sample: int = 0) -> CheckResult | None:
    files = variant_run.files_on(git.view(tree))
    return await checker.run(variant_run.check, git.write_tree(tree, files), sample) if files else None


def _usable(variant_run: VariantRun, result: CheckResult | None) -> CheckResult | None:
    """The result if the tests ran to their end, otherwise None."""
    if result is None:
        return None
    reported = variant_run.prints_all or (result.tests is not None and not result.tests.early)
    complete = result.exit_code in ENDED and not result.problem and reported
    if (
        not complete
        or not (result.green or result.errors)
        or any(number < 0 for number, _ in variant_run.failures(result))
    ):
        return None
    return result


def _without_parameters(failures: dict[Place, CIError]) -> dict[Place, CIError]:
    return {(number, name.partition("[")[0]): error for (number, name), error in failures.items()}


def _any(failures: dict[Place, CIError], number: int, names: frozenset[str]) -> bool:
    failed = {name.partition("[")[0] for variant, name in failures if variant == number}
    return "" in failed or bool(failed & names)
