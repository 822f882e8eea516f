"""Selects the errors of a log that made its command fail: those that need a fix."""

from collections.abc import Iterable, Sequence

from healing.model import CIError, Severity

_ASIDE = 0.3  # formats give a lower score to what doesn't fail a job by itself, such as compiler warnings


def without_incidental(errors: Sequence[CIError]) -> tuple[CIError, ...]:
    """`errors` without notes, and without incidental warnings where there are errors too.

    A linter's warnings are kept: they fail its job. Something made the command fail, so if only notes are left, all are
    kept.
    """
    relevant = [e for e in errors if e.severity is not Severity.NOTE]
    if any(e.severity is Severity.ERROR for e in relevant):
        relevant = [e for e in relevant if e.severity is Severity.ERROR or e.score >= _ASIDE]
    return tuple(relevant or errors)


def sightings(logs: Iterable[Sequence[CIError]]) -> dict[str, int]:
    """Error id → the number of `logs` (of one commit's jobs) that report it: a matrix reports one error many times."""
    counts: dict[str, int] = {}
    for errors in logs:
        for ident in {e.id for e in errors}:
            counts[ident] = counts.get(ident, 0) + 1
    return counts


def reporting_jobs(jobs: Iterable[tuple[str, Sequence[CIError]]]) -> dict[str, tuple[str, ...]]:
    """Error id → the names of the `jobs` (name, errors) that report it."""
    names: dict[str, dict[str, None]] = {}
    for name, errors in jobs:
        for error in errors:
            names.setdefault(error.id, {})[name] = None
    return {ident: tuple(found) for ident, found in names.items()}
