"""Whether a red check on a laptop says something about the code: only where its environment is shown to reproduce it.

The same command runs on the commit that the change is based on. Green there, and the change is what turned it red; red
with the very same errors, and either the failure was there before or this environment is not the project's. What CI's
own log tells as well needs no such proof.
"""

from collections.abc import Collection

from healing.checks.check import Check, CheckResult
from healing.checks.lacks import REPRODUCE, Lack, Scene, lack_of
from healing.checks.running import Checker
from healing.failure import Failure
from healing.gitio import Git
from healing.model import CIError, NotLooked
from healing.proof.judging import identity
from healing.sandbox.bubblewrap import WHOLE_VIEW, Bubblewrap


async def distrust(
    check: Check, result: CheckResult, failure: Failure, git: Git, checker: Checker, told: Collection[CIError]
) -> NotLooked | None:
    """Why a red result counts for nothing, with the line that helps; None where it counts. `told`: what CI's logs
    say."""
    if not failure.environment:
        return None  # in the App CI's own logs and the base branch's errors decide (baseline.py)
    here = {identity(error) for error in result.errors}
    if here & {identity(error) for error in told}:
        return None
    base = failure.trees.target or failure.trees.merge_base
    return await doubt_of(check, result, base, git, checker)


async def doubt_of(check: Check, result: CheckResult, base: str | None, git: Git, checker: Checker) -> NotLooked | None:
    """Why a red result counts for nothing where only `base` can show it: the tree that the change starts from, None
    where nothing was changed."""
    here = {identity(error) for error in result.errors}
    before = await checker.run(check, base) if base and base != result.tree else None
    # Where nothing was changed the command fails on the base itself.
    scene = Scene(
        git.view(result.tree), before is not None and before.green, checker.toolchain.which, checker.toolchain.unseen
    )
    lack = lack_of(result.exit_code, result.output, scene)
    if lack is not None:
        return _lacking(check, lack, checker)
    if before is None or before.green:
        return None
    if before.problem or before.exit_code is None:
        why = before.problem.splitlines()[0] if before.problem else before.why
        return NotLooked(what=check.title, why=f"{REPRODUCE}: on the base commit it could not be run ({why})")
    there = {identity(error) for error in before.errors}
    if there and here - there:
        return None  # what was red before is set aside, and the change broke more
    first = next(iter(result.errors), None)
    shown = f": {first.message.splitlines()[0][:160]}" if first and first.message else ""
    return NotLooked(
        what=check.title,
        why=f"{REPRODUCE}: it fails in the same way on the base commit{shown}",
        advice="Run it yourself on the base commit. If it passes there, checks don't see all of your environment "
        "(heal doctor says what they see); if it fails, fix the base first.",
    )


def _lacking(check: Check, lack: Lack, checker: Checker) -> NotLooked:
    whole = isinstance(checker.sandbox, Bubblewrap)
    advice = lack.advice if whole else f"{lack.advice} (if it works in your shell: {WHOLE_VIEW})"
    return NotLooked(what=check.title, why=f"{REPRODUCE}: {lack.why}", advice=advice)
