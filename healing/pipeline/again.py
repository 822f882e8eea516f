"""Checks errors again after fixes were accepted, so that nobody works on errors that are already gone."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Sequence

from healing.checks.check import CheckResult
from healing.logs.fingerprint import identity
from healing.model import CIError
from healing.pipeline.remaining import on_head
from healing.verify.verifier import Verifier


async def still_open(verifier: Verifier, seen_on: str, errors: Iterable[CIError]) -> tuple[CIError, ...]:
    """Those of the errors of the branch's tree `seen_on` that no accepted fix fixes, as they are on the integration
    tree. Every fix was proven against all errors, so checks run only for those errors whose own line was
    changed since."""
    tree = verifier.integration
    fixed = {id_ for proposal in verifier.accepted for id_ in proposal.error_ids}
    left = [error for error in errors if error.id not in fixed]
    if tree == seen_on:
        return tuple(left)
    moved = [await asyncio.to_thread(on_head, verifier.git, error, seen_on, tree) for error in left]
    pairs = zip(left, moved, strict=True)
    touched = [old for old, new in pairs if _text_of(verifier, old, seen_on) != _text_of(verifier, new, tree)]
    shown = await _shown_narrowly(verifier, tree, touched) if touched else {}
    unsure = [error for error in touched if error.id not in shown]
    shown |= {error.id: error for error in await still_shown_on(verifier, tree, unsure)} if unsure else {}
    gone = {error.id for error in unsure} - shown.keys()
    return tuple(shown.get(error.id, error) for error in moved if error.id not in gone)


def _text_of(verifier: Verifier, error: CIError, tree: str) -> bytes | None:
    """The error's own line; None where it has none."""
    lines = (verifier.git.view(tree).read(error.file) or b"").splitlines() if error.file else []
    return lines[error.line - 1] if error.line and error.line <= len(lines) else None


async def still_shown_on(verifier: Verifier, tree: str, errors: Iterable[CIError]) -> tuple[CIError, ...]:
    """Those of the errors that the checks still show on the branch's tree `tree`, as they are there. An error stays as
    it is where its checks gave no usable result."""
    errors, results = tuple(errors), await verifier.results(tree)
    shown = await _recognised(verifier, results.values(), errors, await verifier.built(tree), tree)
    return tuple(
        shown.get(error.id, error)
        for error in errors
        if error.id in shown or not _has_usable_results(verifier, error, results.items())
    )


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
    shown = await _shown_narrowly(verifier, tree, targets)
    return [error for error in targets if error.id not in shown]


async def _shown_narrowly(verifier: Verifier, tree: str, errors: Sequence[CIError]) -> dict[str, CIError]:
    """Those of the errors that narrowed checks show on the branch's tree `tree`, by id, as they are there."""
    built = await verifier.built(tree)
    checks = verifier.narrowed(errors)
    results = await asyncio.gather(*(verifier.checker.run(check, built) for check in checks))
    return await _recognised(verifier, results, errors, built, tree)


async def _recognised(
    verifier: Verifier, results: Iterable[CheckResult], errors: Iterable[CIError], built: str, tree: str
) -> dict[str, CIError]:
    """Those of the errors that the results on `built` show, by id, as they are on the branch's tree `tree`."""
    by_identity: dict[str, list[CIError]] = defaultdict(list)
    for error in {e.id: e for result in results for e in result.errors}.values():
        by_identity[identity(error)].append(error)
    shown = {}
    for error in errors:
        if matches := by_identity[identity(error)]:
            moved = await asyncio.to_thread(on_head, verifier.git, matches.pop(0), built, tree)
            shown[error.id] = moved.model_copy(update={"id": error.id})
    return shown


def _has_usable_results(verifier: Verifier, error: CIError, results: Iterable[tuple[str, CheckResult]]) -> bool:
    """Whether every check that first showed the error gave a usable result."""
    own_results = [result for key, result in results if error.id in verifier.shown_by.get(key, frozenset())]
    return bool(own_results) and all(result.usable for result in own_results)
