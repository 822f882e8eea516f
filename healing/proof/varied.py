"""Runs a failing test with other values, with a fix and without: a fix that cures only the values of the test is
marked. It says nothing where no test that passes shows which values may be changed, or where time runs out.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from healing.checks.check import Check, CheckResult
from healing.checks.narrow import narrow, tool_of
from healing.checks.running import Checker
from healing.gitio import Git
from healing.guard.reading.text import BIG
from healing.model import CIError
from healing.variants.alike import alike
from healing.variants.changing import Variant, variants

SECONDS = 20.0  # for one run of all variants of a file: a busy machine starts slowly
FILES = 1  # test files whose variants are run for one fix
RAISED = re.compile(r"^(?:E {1,6})?([A-Za-z_][\w.]{0,80})(?::|\Z)")
ALL = " --maxfail=0"  # a setting that ends the run at the first failure does not count here
WRONG_VALUE = frozenset({"AssertionError", "Failed"})


@dataclass(frozen=True)
class _Copies:
    """The variants of one test file, each at a path beside it, with the check that runs them all."""

    check: Check
    files: dict[str, Variant]
    failing: frozenset[str]
    passing: frozenset[str]
    raised: dict[str, str]  # the exception that each failing test ended with; empty where a value was wrong


async def only_here(
    git: Git, checker: Checker, checks: Sequence[Check], before: str, after: str, errors: list[CIError]
) -> tuple[str, ...]:
    """What a person should look at: the failing tests that fail as before with other values. `before` and `after` are
    trees as CI builds them."""
    found = list[str]()
    for path in sorted({(error.test or "").partition("::")[0] for error in errors if error.test})[:FILES]:
        of_file = [error for error in errors if (error.test or "").partition("::")[0] == path]
        copies = _copies(git, checks, before, path, of_file)
        if copies is not None:
            found += await _compared(git, checker, copies, before, after)
    return tuple(found)


def _copies(git: Git, checks: Sequence[Check], tree: str, path: str, errors: list[CIError]) -> _Copies | None:
    source = git.view(tree).read(path)
    check = next((check for check in checks if tool_of(check) == "pytest"), None)
    if check is None or source is None or len(source) > BIG or not path.endswith(".py"):
        return None
    failing = frozenset((error.test or "").partition("::")[2].partition("[")[0] for error in errors)
    try:
        passing = alike(source, failing)
        made = list(variants(source, failing, passing)) if passing else []
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if len(made) < 2:
        return None
    place = PurePosixPath(path)
    files = {str(place.with_name(f"{place.stem}_varied_{n}.py")): one for n, one in enumerate(made)}
    tests = [f"{file}::{name}" for file, one in files.items() for name in sorted(one.changed)]
    narrowed = narrow(check, [errors[0].model_copy(update={"test": test}) for test in tests])
    if narrowed is None:
        return None
    step = narrowed.step.model_copy(update={"run": narrowed.step.run + ALL, "name": "pytest (other values)"})
    raised = {(error.test or "").partition("::")[2].partition("[")[0]: raised_by(error) for error in errors}
    return _Copies(narrowed.model_copy(update={"step": step, "seconds": SECONDS}), files, failing, passing, raised)


async def _compared(git: Git, checker: Checker, copies: _Copies, before: str, after: str) -> list[str]:
    """Sentences for people. Without a failure nothing more is run: that is what an honest fix mostly gives."""
    new = await _ran(git, checker, copies, after)
    if not new or new.green:
        return []
    failed = _failed(new)
    old = await _ran(git, checker, copies, before)
    if not old or old.green:
        return []
    was = _failed(old)
    (control, _), *others = copies.files.items()
    if _any(failed, control, copies.failing | copies.passing) or _any(was, control, copies.passing):
        return []
    for file, variant in others:
        if why := _told(copies, file, variant, was, failed):
            return [why]
    return []


def _told(copies: _Copies, file: str, variant: Variant, was: dict[str, str], failed: dict[str, str]) -> str:
    if file in was or file in failed:  # it could not be collected
        return ""
    asked, failing = variant.changed & copies.passing, sorted(variant.changed & copies.failing)
    for name in failing:
        test = f"{file}::{name}"
        raised = copies.raised.get(name)
        if test not in failed or was.get(test) != raised:  # without the fix it has to be the same failure
            continue
        if not variant.crashes and not _any(was, file, asked):
            return f"{name} still fails {variant.words}, with which tests like it pass"
        if raised and failed[test] == raised and raised not in _raised(was, file, asked):
            return f"{name} still ends with {raised} {variant.words}"
    return ""


async def _ran(git: Git, checker: Checker, copies: _Copies, tree: str) -> CheckResult | None:
    """The result of all variants on a tree; None where it tells nothing."""
    changes = {file: variant.source for file, variant in copies.files.items()}
    result = await checker.run(copies.check, git.write_tree(tree, changes))
    whole = result.exit_code in (0, 1) and not result.problem and result.tests is not None and not result.tests.early
    return result if whole and (result.green or result.errors) else None


def _failed(result: CheckResult) -> dict[str, str]:
    """The tests that failed, without their parameters, with the exception of each."""
    return {(error.test or error.file or "").partition("[")[0]: raised_by(error) for error in result.errors}


def _any(failed: dict[str, str], file: str, names: frozenset[str]) -> bool:
    return file in failed or any(f"{file}::{name}" in failed for name in names)


def _raised(failed: dict[str, str], file: str, names: frozenset[str]) -> set[str]:
    return {failed[test] for name in names if (test := f"{file}::{name}") in failed}


def raised_by(error: CIError) -> str:
    """The exception by which a test ended; empty where a value was wrong."""
    found = RAISED.match(error.message)
    return found.group(1) if found and found.group(1) not in WRONG_VALUE else ""
