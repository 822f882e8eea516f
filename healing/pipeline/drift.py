"""Base drift: what is red on the merge with the base branch, green on the pull request's branch alone."""

from collections.abc import Sequence

from healing.logs.fingerprint import identity
from healing.model import CIError
from healing.pipeline.baseline import Baseline
from healing.verify.verifier import Verifier


async def drifted(baseline: Baseline, verifier: Verifier, left: Sequence[CIError]) -> tuple[str, ...]:
    """The ids of those errors among `left` that the head by itself doesn't show. Only where the base has gone on since
    the branch left it; the checks that show them run once more, on the head."""
    trees = verifier.trees
    if not left or trees.target is None or trees.built == trees.head:
        return ()
    wanted = {identity(error): error.id for error in left}
    shown: set[str] = set()
    seen_on_head: set[str] = set()
    for check in baseline.failing:
        mine = wanted.keys() & {identity(error) for error in baseline.results[check.key].errors}
        if not mine:
            continue
        result = await verifier.checker.run(check, trees.head)
        usable = result.green or (result.exit_code is not None and not result.problem and result.errors)
        seen_on_head |= {identity(error) for error in result.errors} if usable else mine
        shown |= mine
    return tuple(wanted[mark] for mark in sorted(shown - seen_on_head))
