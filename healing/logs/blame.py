"""Which of the errors that a log tells made its command fail: what has to be healed, and nothing beside it."""

from collections.abc import Iterable, Sequence

from healing.model import CIError, Severity

_ASIDE = 0.3  # formats give less to what does not fail a job by itself: a compiler's warnings


def blamed(errors: Sequence[CIError]) -> tuple[CIError, ...]:
    """`errors` without notes, and without warnings in passing where there are errors too.

    A linter's warnings stay: they fail its job. Something failed the command, so where nothing is left all is kept.
    """
    loud = [e for e in errors if e.severity is not Severity.NOTE]
    if any(e.severity is Severity.ERROR for e in loud):
        loud = [e for e in loud if e.severity is Severity.ERROR or e.score >= _ASIDE]
    return tuple(loud or errors)


def sightings(logs: Iterable[Sequence[CIError]]) -> dict[str, int]:
    """Error id → in how many of the `logs` (of one commit's jobs) it is reported: a matrix tells one error many
    times."""
    counts: dict[str, int] = {}
    for errors in logs:
        for ident in {e.id for e in errors}:
            counts[ident] = counts.get(ident, 0) + 1
    return counts
