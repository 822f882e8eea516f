"""Errors judged again after fixes were accepted: what is gone is nobody's work any more."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Sequence

from healing.checks.check import CheckResult
from healing.logs.fingerprint import identity
from healing.model import CIError
from healing.pipeline.remaining import on_head
from healing.verify.verifier import Verifier


async def shown_on(verifier: Verifier, tree: str, errors: Iterable[CIError]) -> tuple[CIError, ...]:
    """Those of the errors that the checks still show on the branch's tree `tree`, as they are there. What a check can't
    tell of stays as it is."""
    results = await verifier.results(tree)
    built = await verifier.built(tree)
    there: dict[str, list[CIError]] = defaultdict(list)
    for error in {e.id: e for result in results.values() for e in result.errors}.values():
        there[identity(error)].append(error)
    found = []
    for error in errors:
        if same := there[identity(error)]:
            fresh = await asyncio.to_thread(on_head, verifier.git, same.pop(0), built, tree)
            found.append(fresh.model_copy(update={"id": error.id}))
        elif not _shows(verifier, error, results.items()):
            found.append(error)
    return tuple(found)


async def fixed_by_now(verifier: Verifier, ids: Iterable[str]) -> tuple[str, ...]:
    """Which of these errors the checks no longer show with all that is accepted. The narrowed checks are asked first:
    where they show all, nothing else is run."""
    targets = [verifier.errors[i] for i in ids if i in verifier.errors]
    if not targets or not verifier.accepted:
        return ()
    tree = verifier.integration
    suspects = await _perhaps_gone(verifier, tree, targets)
    still = {error.id for error in await shown_on(verifier, tree, suspects)} if suspects else set()
    return tuple(error.id for error in suspects if error.id not in still)


async def _perhaps_gone(verifier: Verifier, tree: str, targets: Sequence[CIError]) -> list[CIError]:
    """The targets that narrowed checks don't show. A narrowed check may pass where the whole step fails, so this is no
    verdict."""
    built = await verifier.built(tree)
    results = [await verifier.checker.run(check, built) for check in verifier.narrowed(targets)]
    marks = {identity(error) for result in results for error in result.errors}
    return [error for error in targets if identity(error) not in marks]


def _shows(verifier: Verifier, error: CIError, results: Iterable[tuple[str, CheckResult]]) -> bool:
    """Whether every check that showed the error in the beginning ended in a way that can be read."""
    mine = [result for key, result in results if error.id in verifier.shown_by.get(key, frozenset())]
    return bool(mine) and all(_readable(result) for result in mine)


def _readable(result: CheckResult) -> bool:
    return result.green or (result.exit_code is not None and not result.problem and bool(result.errors))
