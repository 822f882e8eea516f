"""Fixes that a person applies by their ids, because `heal apply all` leaves them out."""

from collections.abc import Iterable

from healing.model import Proposal


def held_back(proposals: Iterable[Proposal]) -> dict[str, Proposal]:
    """The fixes that change tests or what is run, and those that were tested only on top of such a one, by id; each
    with the fix that holds it back, which may be itself. Fixes come after those that they need."""
    held: dict[str, Proposal] = {}
    for one in proposals:
        below = (held[id_] for id_ in one.needs if id_ in held)
        if (cause := one if one.touches else next(below, None)) is not None:
            held[one.id] = cause
    return held
