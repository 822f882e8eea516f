"""Which lines of a function are shown: all, or of a very long one its beginning, its end and the lines around those
that errors name. Gaps are marked with their line numbers."""

from collections.abc import Iterable

WHOLE = 120  # longest function, in lines, that is shown whole
BEGINNING = 20  # lines at the start of a longer one
END = 10  # lines at its end, with what it returns
AROUND = 25  # lines before and after a named one, at least

Span = tuple[int, int]


def lines_of(function: Span, named: Iterable[int] = ()) -> list[Span]:
    """The line ranges of a function that are shown: one or several. Of a long function without named lines these are
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
