"""Pays once for the same failure: waits for another run that is working on it, and tries that run's fixes here.

A run waits only for work that would be paid for, and only where the same cause is in files with the same bytes.
"""

from collections.abc import Awaitable, Callable, Sequence

from healing.causes import find_causes
from healing.model import CIError, content_id
from healing.pipeline.claims import Claims
from healing.pipeline.free import Free
from healing.pipeline.remaining import Remaining
from healing.steps import Json, Steps
from healing.verify.protection import Protection
from healing.view import TreeView

WAITING = "Waiting for another run on the same failure; its fixes will be tried here"


async def share(
    claims: Claims,
    free: Free,
    protection: Protection,
    remaining: Remaining,
    steps: Steps,
    progress: Callable[[str], Awaitable[None]],
    replay: Callable[[int], Awaitable[None]],
) -> tuple[CIError, ...]:
    """Waits for earlier runs that are working on the same errors, and has `replay` (called with the number of the wait)
    try the fixes that they found. Returns what is left, which this run has claimed. Each wait is a durable step."""
    turn = 0
    while left := await remaining.after("free"):
        breakages = breakages_of(left, free.verifier.git.view(free.verifier.integration))

        async def wait(wanted: tuple[str, ...] = breakages) -> Json:
            waited = False
            while await claims.claim(wanted):
                waited = True
                await progress(WAITING)
                await claims.pause()
            return waited

        if not await steps.run("others", [turn, *breakages], wait):
            break
        turn += 1
        await replay(turn)
        await protection.settle()
    return left


def breakages_of(errors: Sequence[CIError], view: TreeView) -> tuple[str, ...]:
    """One key for each root cause, from its fingerprint and the bytes of the files where it shows."""
    return tuple(
        sorted(
            content_id("breakage", cause.fingerprint, [view.blob(file) or "" for file in cause.files])
            for cause in find_causes(errors, view)
        )
    )
