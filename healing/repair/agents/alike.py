"""Errors that say the same at the same place: an agent is shown one of them, and the others as a list."""

from collections.abc import Iterable

from healing.causes import shape_of
from healing.model import CIError


def alike(errors: Iterable[CIError]) -> tuple[tuple[CIError, ...], ...]:
    """The errors in groups, in the order in which each group begins; in a group those with a traceback come first. Of
    tests the words may differ in values: one failing line says another number to each."""
    groups: dict[tuple[object, ...], list[CIError]] = {}
    for error in errors:
        text = shape_of(error.message) if error.test else error.message
        key = (error.tool, error.code, error.category, error.file, error.line, text)
        groups.setdefault(key, []).append(error)
    return tuple(tuple(sorted(group, key=lambda error: not error.related)) for group in groups.values())
