"""Base drift: errors that show on the merge with the base branch but not on the pull request's branch alone."""

from collections.abc import Sequence

from healing.logs.fingerprint import identity
from healing.model import CIError
from healing.pipeline.baseline import Baseline
from healing.verify.verifier import Verifier


async def drifted_error_ids(baseline: Baseline, verifier: Verifier, left: Sequence[CIError]) -> tuple[str, ...]:
    """The ids of those errors in `left` that the head by itself doesn't show. Empty unless the base has moved on since
    the branch left it. The checks that show these errors run once more, on the head."""
    trees = verifier.trees
    if not left or trees.target is None or trees.built == trees.head:
        return ()
    wanted = {identity(error): error.id for error in left}
    shown: set[str] = set()
    seen_on_head: set[str] = set()
    for check in baseline.failing:
        expected = wanted.keys() & {identity(error) for error in baseline.results[check.key].errors}
        if not expected:
            continue
        result = await verifier.checker.run(check, trees.head)
        seen_on_head |= {identity(error) for error in result.errors} if result.usable else expected
        shown |= expected
    return tuple(wanted[mark] for mark in sorted(shown - seen_on_head))
