"""Runs failing tests again with the whole traceback and locals, where the command prints little (`--tb=line`,
`--noStackTrace`), so that an agent doesn't spend its first calls on that."""

import asyncio
from collections.abc import Sequence

from healing.logs.fingerprint import identity
from healing.model import CIError
from healing.pipeline.remaining import on_head
from healing.repair.agents.alike import group_alike
from healing.verify.refusing import Refusal
from healing.verify.verifier import Verifier

LIMIT = 50  # tests that are run again
ASKS_FOR_MORE = "run with `RUST_BACKTRACE=1`"
FEW_LINES = 3  # of a log about a failure: the place, the message, the summary line


def lacks_details(error: CIError) -> bool:
    """Whether a test's failure came without a traceback and with little output or no line."""
    few = len(error.excerpt.splitlines()) <= FEW_LINES or error.line is None or ASKS_FOR_MORE in error.excerpt
    return bool(error.test) and not error.related and few


async def with_tracebacks(verifier: Verifier, tree: str, errors: Sequence[CIError]) -> tuple[CIError, ...]:
    """The errors, which the checks show on the branch's tree `tree`; thin ones as a full run shows them there.

    Each check runs once for all of its thin errors, and once a check has shown an error no further check runs for it.
    An error that such a run doesn't show stays as it is, and so does every id. As for everything that a model reads
    from a check, the run is made without the files that are closed to models.
    """
    groups = group_alike(error for error in errors if lacks_details(error))
    wanted = [*(first for first, *_ in groups), *(error for _, *same in groups for error in same)][:LIMIT]
    if not wanted:
        return tuple(errors)
    try:
        built = await verifier.built(tree)
    except Refusal:  # CI could not build that tree: the end of the phase deals with it
        return tuple(errors)
    checker, shown = await verifier.for_models(built)
    results = await asyncio.gather(*(checker.run(check, shown) for check in verifier.narrowed_in_full(wanted)))
    whole = {identity(error): error for result in results for error in result.errors if not lacks_details(error)}
    full = {error.id: whole[identity(error)] for error in wanted if identity(error) in whole}
    placed = {i: await asyncio.to_thread(on_head, verifier.git, error, built, tree) for i, error in full.items()}
    return tuple(_in_full(error, placed.get(error.id)) for error in errors)


def _in_full(error: CIError, whole: CIError | None) -> CIError:
    """The error as the full run shows it. If the test fails somewhere else there, for example for lack of a file that
    is closed to models, the error stays as it is."""
    if whole is None or (error.line is not None and (error.file, error.line) != (whole.file, whole.line)):
        return error
    return whole.model_copy(update={"id": error.id})
