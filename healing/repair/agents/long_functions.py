"""Which lines of a function are shown: all, or of a very long one its beginning, its end and what is around the lines
that errors name. What is left out between them is marked by its lines."""

from collections.abc import Iterable

WHOLE = 120  # lines of a function that is still shown whole
BEGINNING = 20  # lines of a longer one: its head, and what it begins with
END = 10  # and what it gives back
AROUND = 25  # lines before and after a named one, at least

Span = tuple[int, int]


def lines_of(function: Span, named: Iterable[int] = ()) -> list[Span]:
    """The lines that are shown of a function, in one or several runs. Of a long one in which nothing is named that is
    its beginning and its end."""
    first, last = function
    if last - first <= WHOLE:
        return [function]
    inside = sorted({line for line in named if first <= line <= last})
    if not inside:
        return [(first, first + WHOLE - END - 1), (last - END + 1, last)]
    around = max((WHOLE - BEGINNING - END) // (2 * len(inside)), AROUND)
    windows = [(max(first, line - around), min(last, line + around)) for line in inside]
    return [(first, first + BEGINNING - 1), *windows, (last - END + 1, last)]
