"""Checks errors again after fixes were accepted, so that no agent works on errors that are already gone."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Sequence

from healing.checks.check import CheckResult
from healing.logs.fingerprint import identity
from healing.model import CIError
from healing.pipeline.remaining import on_head
from healing.verify.verifier import Verifier


async def still_shown_on(verifier: Verifier, tree: str, errors: Iterable[CIError]) -> tuple[CIError, ...]:
    """Those of the errors that the checks still show on the branch's tree `tree`, as they are there. An error stays as
    it is where its checks gave no usable result."""
    results = await verifier.results(tree)
    built = await verifier.built(tree)
    by_identity: dict[str, list[CIError]] = defaultdict(list)
    for error in {e.id: e for result in results.values() for e in result.errors}.values():
        by_identity[identity(error)].append(error)
    shown = []
    for error in errors:
        if matches := by_identity[identity(error)]:
            moved = await asyncio.to_thread(on_head, verifier.git, matches.pop(0), built, tree)
            shown.append(moved.model_copy(update={"id": error.id}))
        elif not _has_usable_results(verifier, error, results.items()):
            shown.append(error)
    return tuple(shown)


async def fixed_by_now(verifier: Verifier, ids: Iterable[str]) -> tuple[str, ...]:
    """Which of these errors the checks no longer show with everything accepted so far. Narrowed checks run first; where
    they still show all errors, nothing else is run."""
    targets = [verifier.errors[i] for i in ids if i in verifier.errors]
    if not targets or not verifier.accepted:
        return ()
    tree = verifier.integration
    suspects = await _perhaps_gone(verifier, tree, targets)
    shown_ids = {error.id for error in await still_shown_on(verifier, tree, suspects)} if suspects else set()
    return tuple(error.id for error in suspects if error.id not in shown_ids)


async def _perhaps_gone(verifier: Verifier, tree: str, targets: Sequence[CIError]) -> list[CIError]:
    """The targets that narrowed checks don't show. A narrowed check may pass where the whole step fails, so this is not
    final."""
    built = await verifier.built(tree)
    results = [await verifier.checker.run(check, built) for check in verifier.narrowed(targets)]
    marks = {identity(error) for result in results for error in result.errors}
    return [error for error in targets if identity(error) not in marks]


def _has_usable_results(verifier: Verifier, error: CIError, results: Iterable[tuple[str, CheckResult]]) -> bool:
    """Whether every check that first showed the error gave a usable result."""
    own_results = [result for key, result in results if error.id in verifier.shown_by.get(key, frozenset())]
    return bool(own_results) and all(result.usable for result in own_results)
