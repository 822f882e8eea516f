"""Groups errors with the same message at the same place: an agent is shown one of them in full, the others as a
list."""

from collections.abc import Iterable

from healing.causes import shape_of
from healing.model import CIError

BEGINNING = 500  # characters of a message by which tests are compared


def group_alike(errors: Iterable[CIError]) -> tuple[tuple[CIError, ...], ...]:
    """The errors in groups, ordered by each group's first error; in a group, errors with a traceback come first.
    Messages of tests may differ in values, because one failing line reports another number in each."""
    groups: dict[tuple[object, ...], list[CIError]] = {}
    shapes: dict[str, str] = {}  # cache: many messages are equal
    for error in errors:
        text = error.message
        if error.test:
            beginning = text[:BEGINNING]
            text = shapes.get(beginning) or shapes.setdefault(beginning, shape_of(beginning))
        key = (error.tool, error.code, error.category, error.file, error.line, text)
        groups.setdefault(key, []).append(error)
    return tuple(tuple(sorted(group, key=lambda error: not error.related)) for group in groups.values())
