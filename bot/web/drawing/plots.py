"""Plots over weeks: stacked bars and a line, each with a text description for people who can't see it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil

from markupsafe import Markup

from bot.web.drawing import svg

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 420.0, 200.0, 52.0, 40.0, 26.0
DATES = 4  # shown below the axis


@dataclass(frozen=True)
class Series:
    """One series of values, one for each position on the axis or None. `look` is a class of the style sheet."""

    name: str
    values: Sequence[float | None]
    look: str


Written = Callable[[float], str]


def bars(
    label: str, places: Sequence[str], series: Sequence[Series], written: Written, axis: str, whole: bool = False
) -> Markup:
    """Returns stacked bars. `axis` says what the height means, and that a bar is a week."""
    sums = [sum(part.values[i] or 0 for part in series) for i in range(len(places))]
    ticks = _ticks(max(sums, default=0), whole)
    top = ticks[-1]
    step = (WIDTH - LEFT) / max(len(places), 1)
    shapes = _frame(places, ticks, written, axis)
    for i, place in enumerate(places):
        y = HEIGHT - BOTTOM
        for part in series:
            value = part.values[i] or 0
            tall = (HEIGHT - BOTTOM - TOP) * value / top
            y -= tall
            if value:
                tooltip = f"{place}, {part.name}: {written(value)}"
                shapes.append(svg.box(LEFT + step * i + 3, y, step - 6, tall, part.look, tooltip, 1.5))
    return svg.drawing(WIDTH, HEIGHT, _description(label, places, sums, written), shapes, "plot")


def trend(label: str, places: Sequence[str], series: Series, written: Written, axis: str) -> Markup:
    """Returns a line with a dot for each value; the line skips missing values."""
    known = [(i, value) for i, value in enumerate(series.values) if value is not None]
    ticks = _minutes(max((value for _, value in known), default=0))
    limit = ticks[-1]
    step = (WIDTH - LEFT) / max(len(places), 1)
    points = [
        (LEFT + step * (i + 0.5), HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * min(value, limit) / limit)
        for i, value in known
    ]
    shapes = [*_frame(places, ticks, written, axis), svg.path(points, f"trend {series.look}")]
    shapes += [
        svg.dot(x, y, 3, f"dot {series.look}", f"{places[i]}: {written(value)}")
        for (i, value), (x, y) in zip(known, points, strict=True)
    ]
    return svg.drawing(WIDTH, HEIGHT, _description(label, places, series.values, written), shapes, "plot")


def _frame(places: Sequence[str], ticks: Sequence[float], written: Written, axis: str) -> list[svg.Shape]:
    """Returns the grid with its numbers, their meaning, and some of the dates, each below its week."""
    shapes = [svg.words(0, 12, axis, "tick")]
    for value in ticks:
        y = HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * value / ticks[-1]
        shapes.append(svg.line(LEFT, y, WIDTH, y, "grid"))
        shapes.append(svg.words(LEFT - 6, y + 4, written(value), "tick", "end"))
    step, every = (WIDTH - LEFT) / max(len(places), 1), max(1, -(-len(places) // DATES))
    for i in range(0, len(places), every):
        shapes.append(svg.words(LEFT + step * (i + 0.5), HEIGHT - BOTTOM + 16, places[i], "tick", "middle"))
    shapes.append(svg.words(WIDTH, HEIGHT - 4, "week that begins on", "tick", "end"))
    return shapes


def _description(label: str, places: Sequence[str], values: Sequence[float | None], written: Written) -> str:
    labels = [f"{place} {written(value)}" for place, value in zip(places, values, strict=True) if value]
    return f"{label}. " + ("By week: " + "; ".join(labels) if labels else "Nothing yet")


def _ticks(most: float, whole: bool) -> list[float]:
    """Returns ticks from 0 to the first that is not below `most`, in steps of 1, 2 or 5 × 10ⁿ; `whole` allows only
    integers."""
    size = 10.0**-3
    while True:
        for step in (size, size * 2, size * 5):
            if step * 4 >= most and (not whole or step >= 1):
                return [step * i for i in range(max(1, ceil(most / step - 1e-9)) + 1)]
        size *= 10


def _minutes(most: float) -> list[float]:
    """Returns ticks for seconds, in steps that are usual for time."""
    step = next((step for step in STEPS if step * 4 >= most), STEPS[-1])
    return [float(step * i) for i in range(max(1, ceil(most / step)) + 1)]


STEPS = (1, 5, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600, 86_400, 604_800)
