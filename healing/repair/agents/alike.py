"""Errors that say the same at the same place: an agent is shown one of them, and the others as a list."""

from collections.abc import Iterable

from healing.causes import shape_of
from healing.model import CIError

BEGINNING = 500  # characters of a message by which tests are compared


def alike(errors: Iterable[CIError]) -> tuple[tuple[CIError, ...], ...]:
    """The errors in groups, in the order in which each group begins; in a group those with a traceback come first. Of
    tests the words may differ in values: one failing line says another number to each."""
    groups: dict[tuple[object, ...], list[CIError]] = {}
    shapes: dict[str, str] = {}  # many errors say the very same
    for error in errors:
        text = error.message
        if error.test:
            begins = text[:BEGINNING]
            text = shapes.get(begins) or shapes.setdefault(begins, shape_of(begins))
        key = (error.tool, error.code, error.category, error.file, error.line, text)
        groups.setdefault(key, []).append(error)
    return tuple(tuple(sorted(group, key=lambda error: not error.related)) for group in groups.values())
