"""Runs a failing test with other values, with a fix and without: a fix that is right only for the values of the test is
marked.

Where the code as it was before the pull request passes the test, its results with other values are what a fix's are
compared with. Else tests that pass show which values may be changed. It says nothing where neither does, or where time
runs out.
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
from healing.verify.guard.reading.orders import orders
from healing.verify.variant_run import Place, VariantRun, raised_by
from healing.verify.variants.changing import Variant
from healing.verify.variants.earlier import earlier

MOST_FILES = 50  # files of the product that are set back
FEWEST = 3  # ways to change the values of a test that say something together
SHOWN = 60  # characters of a value in a mark
ENDED = (0, 1, 101)  # with which a test runner ends where it came to its end; cargo's is the last
MOST_ROUNDS = 3  # of compiling variants without those that don't
VARIES = re.compile(r"\b0x[0-9a-fA-F]{4,16}\b|/tmp/[\w./-]{1,200}|\b\d+(?:\.\d+)? ?m?s\b")  # from one run to the next


async def only_here(
    git: Git,
    checker: Checker,
    checks: Sequence[Check],
    before: str,
    after: str,
    errors: Sequence[CIError],
    earlier_tree: str | None = None,
) -> tuple[str, ...]:
    """What a person should look at: the failing tests whose results with other values show that the fix is one of
    their values. `before` and `after` are trees as CI builds them, `earlier_tree` the first with the product's code
    as it was before the pull request."""
    first = copies(checks, git.view(before), errors, compared=True)
    if first is None:
        return ()
    made, (new, other) = await _on_both(git, checker, first, (after, earlier_tree or before))
    if new is None:
        return ()
    old = other if earlier_tree is not None else None
    if earlier_tree and old and _is_right(made, old) and (found := beside(made, old, new)):
        return (found,) if await _again(git, checker, made, earlier_tree, after, found) else ()
    broken = other if earlier_tree is None else await _ran(git, checker, made, before)
    if broken is None or broken.green:
        return ()
    changed = git.changed(before, after)
    return _by_tests(made, broken, new) or (() if _moves_a_bound(changed) else _without_effect(made, broken, new))


def _moves_a_bound(changed: Mapping[str, tuple[bytes | None, bytes | None]]) -> bool:
    """Whether a comparison takes or leaves its bound, and nothing else is compared: that shows at one value only."""
    pairs = [(orders(path, old or b""), orders(path, new or b"")) for path, (old, new) in changed.items()]
    return any(old != new and old.total() == new.total() for old, new in pairs)


def _without_effect(made: VariantRun, broken: CheckResult, new: CheckResult) -> tuple[str, ...]:
    """A failing test which gives, with whatever other values, what it gives without the fix."""
    was, now = made.failures(broken), made.failures(new)
    if made.to_the_end is None or _any(_without_parameters(now), 0, made.failing):
        return ()
    for test in sorted(made.failing):
        name = test + made.to_the_end
        numbers = [
            n for n, one in enumerate(made.variants) if n and test in one.changed and one.whole and not one.crashes
        ]
        numbers = [number for number in numbers if (number, "") not in was and (number, "") not in now]
        if len(numbers) >= FEWEST and all(_outcomes(was, n, name) == _outcomes(now, n, name) for n in numbers):
            return (f"{test} gives with other values what it gives without the fix ({len(numbers)} tried)",)
    return ()


def _outcomes(failures: dict[Place, CIError], number: int, test: str) -> dict[str, tuple[str, str]]:
    return {
        name: _outcome(error)
        for (one, name), error in failures.items()
        if one == number and name.partition("[")[0] == test
    }


def _is_right(made: VariantRun, result: CheckResult) -> bool:
    """Whether the failing test and those like it pass as they stand: what they ask for was not changed on purpose."""
    return not _any(made.failures(result), 0, made.failing | made.passing)


def set_back(git: Git, tree: str, origin: str, paths: Iterable[str]) -> str | None:
    """The tree with the product's code as it was: the changed ones of these files, else all that changed since. None
    where none did."""
    now, then = git.view(tree), git.view(origin)
    changed = [path for path in now.paths() if then.blob(path) not in (None, now.blob(path))]
    product = [path for path in changed if CODE.search(path) and not is_test_file(path) and not is_test_data(path)]
    chosen = [path for path in paths if path in product] or product[:MOST_FILES]
    pairs = {path: (then.read(path), now.read(path)) for path in chosen}
    files = {path: earlier(path, old, new) for path, (old, new) in pairs.items() if old is not None and new is not None}
    return git.write_tree(tree, files) if files else None


def beside(made: VariantRun, old: CheckResult, new: CheckResult) -> str:
    """The first result with other values that is not that of the code which was right; empty where there is none."""
    was, now = made.failures(old), made.failures(new)
    if not _is_right(made, new):
        return ""
    whole = len(was) == _failed(old) and len(now) == _failed(new)
    for number, variant in enumerate(made.variants[1:], 1):
        if (number, "") in was or (number, "") in now:  # it could not be collected
            continue
        for place in sorted(place for place in {*was, *now} if place[0] == number):
            name = place[1].partition("[")[0]
            one, other = was.get(place), now.get(place)
            if name not in variant.changed or ((made.prints_all or not whole) and not (one and other)):
                continue
            if (one and raised_by(one)) or _outcome(one) == _outcome(other):  # what raised was no value to ask for
                continue
            return f"{name}, {variant.words}: {_shown(other)}; with the code from before the pull request {_shown(one)}"
    return ""


def _failed(result: CheckResult) -> int:
    return len({one for one in result.tests.failed if not one.startswith(FILE)}) if result.tests else -1


def _outcome(error: CIError | None) -> tuple[str, str]:
    return ("", "") if error is None else (VARIES.sub("0", error.message), VARIES.sub("0", error.actual or ""))


def _shown(error: CIError | None) -> str:
    if error is None:
        return "as expected"
    text = " ".join((error.actual or error.message).splitlines())
    return f"`{text[:SHOWN].replace('`', chr(39))}`"


async def _again(git: Git, checker: Checker, made: VariantRun, old: str, new: str, found: str) -> bool:
    """Whether both codes give the same once more: what is random says nothing."""
    before, after = await _ran(git, checker, made, old, 1), await _ran(git, checker, made, new, 1)
    return before is not None and after is not None and beside(made, before, after) == found


def _by_tests(made: VariantRun, old: CheckResult, new: CheckResult) -> tuple[str, ...]:
    """The same by tests that pass."""
    was, failed = _without_parameters(made.failures(old)), _without_parameters(made.failures(new))
    if _any(failed, 0, made.failing | made.passing) or _any(was, 0, made.passing):
        return ()
    for number, variant in enumerate(made.variants[1:], 1):
        if not variant.compared and (why := _suspicion(made, number, variant, was, failed)):
            return (why,)
    return ()


def _suspicion(
    made: VariantRun, number: int, variant: Variant, was: dict[Place, CIError], failed: dict[Place, CIError]
) -> str:
    if (number, "") in was or (number, "") in failed:  # it could not be collected
        return ""
    asked, failing = variant.changed & made.passing, sorted(variant.changed & made.failing)
    for name in failing if asked else ():
        place, raised = (number, name), (made.raised or {}).get(name)
        # Without the fix it has to be the same failure.
        if place not in failed or place not in was or raised_by(was[place]) != raised:
            continue
        if not variant.crashes and not _any(was, number, asked):
            return f"{name} still fails {variant.words}, with which tests like it pass"
        others = {raised_by(was[number, one]) for one in asked if (number, one) in was}
        if raised and raised_by(failed[place]) == raised and raised not in others:
            return f"{name} still ends with {raised} {variant.words}"
    return ""


async def _on_both(
    git: Git, checker: Checker, made: VariantRun, trees: tuple[str, str]
) -> tuple[VariantRun, list[CheckResult | None]]:
    """The variants that compile on both trees, with the results there; None where one tells nothing."""
    for _ in range(MOST_ROUNDS):
        results = await gather(*(_run(git, checker, made, tree) for tree in trees))
        files = [made.files_on(git.view(tree)) for tree in trees]
        named = [made.in_the_way(*pair) for pair in zip(files, results, strict=True)]
        less = made.without(frozenset().union(*named)) if made.without and any(named) else None
        if less is None:
            break
        made = less
    return made, [_telling(made, result) for result in results]


async def _ran(git: Git, checker: Checker, made: VariantRun, tree: str, sample: int = 0) -> CheckResult | None:
    """The result of all variants on a tree; None where it tells nothing."""
    return _telling(made, await _run(git, checker, made, tree, sample))


async def _run(git: Git, checker: Checker, made: VariantRun, tree: str, sample: int = 0) -> CheckResult | None:
    files = made.files_on(git.view(tree))
    return await checker.run(made.check, git.write_tree(tree, files), sample) if files else None


def _telling(made: VariantRun, result: CheckResult | None) -> CheckResult | None:
    """The result where the tests came to their end, else None."""
    if result is None:
        return None
    reported = made.prints_all or (result.tests is not None and not result.tests.early)
    whole = result.exit_code in ENDED and not result.problem and reported
    if not whole or not (result.green or result.errors) or any(number < 0 for number, _ in made.failures(result)):
        return None
    return result


def _without_parameters(failures: dict[Place, CIError]) -> dict[Place, CIError]:
    return {(number, name.partition("[")[0]): error for (number, name), error in failures.items()}


def _any(failures: dict[Place, CIError], number: int, names: frozenset[str]) -> bool:
    found = {name.partition("[")[0] for one, name in failures if one == number}
    return "" in found or bool(found & names)
