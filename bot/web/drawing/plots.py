"""Plots over weeks: stacked bars and a line, each with its words for people who can't see it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from bot.web.drawing import svg

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 420.0, 170.0, 46.0, 24.0, 14.0


@dataclass(frozen=True)
class Series:
    """One colour: a value for each place of the axis; None is no value. `look` is a class of the style sheet."""

    name: str
    values: Sequence[float | None]
    look: str


Written = Callable[[float], str]


def bars(label: str, places: Sequence[str], series: Sequence[Series], written: Written) -> Markup:
    """Stacked bars."""
    sums = [sum(one.values[i] or 0 for one in series) for i in range(len(places))]
    top = _round_up(max(sums, default=0))
    step = (WIDTH - LEFT) / max(len(places), 1)
    shapes = _frame(places, top, written)
    for i, place in enumerate(places):
        y = HEIGHT - BOTTOM
        for one in series:
            value = one.values[i] or 0
            tall = (HEIGHT - BOTTOM - TOP) * value / top
            y -= tall
            if value:
                tooltip = f"{place}, {one.name}: {written(value)}"
                shapes.append(svg.box(LEFT + step * i + 3, y, step - 6, tall, one.look, tooltip, 1.5))
    return svg.drawing(WIDTH, HEIGHT, _told(label, places, sums, written), shapes, "plot")


def trend(label: str, places: Sequence[str], one: Series, written: Written, top: float | None = None) -> Markup:
    """A line with a dot for each value; where there is none, the line goes on to the next one."""
    known = [(i, value) for i, value in enumerate(one.values) if value is not None]
    limit = top or _round_up(max((value for _, value in known), default=0))
    step = (WIDTH - LEFT) / max(len(places), 1)
    points = [
        (LEFT + step * (i + 0.5), HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * min(value, limit) / limit)
        for i, value in known
    ]
    shapes = [*_frame(places, limit, written), svg.path(points, f"trend {one.look}")]
    shapes += [
        svg.dot(x, y, 3, f"dot {one.look}", f"{places[i]}: {written(value)}")
        for (i, value), (x, y) in zip(known, points, strict=True)
    ]
    return svg.drawing(WIDTH, HEIGHT, _told(label, places, one.values, written), shapes, "plot")


def _frame(places: Sequence[str], top: float, written: Written) -> list[svg.Shape]:
    shapes = []
    for part in (0.0, 0.5, 1.0):
        y = HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * part
        shapes.append(svg.line(LEFT, y, WIDTH, y, "grid"))
        shapes.append(svg.words(LEFT - 6, y + 4, written(top * part), "tick", "end"))
    if places:
        shapes.append(svg.words(LEFT, HEIGHT - 6, places[0], "tick"))
        shapes.append(svg.words(WIDTH, HEIGHT - 6, places[-1], "tick", "end"))
    return shapes


def _told(label: str, places: Sequence[str], values: Sequence[float | None], written: Written) -> str:
    labels = [f"{place} {written(value)}" for place, value in zip(places, values, strict=True) if value]
    return f"{label}. " + ("By week: " + "; ".join(labels) if labels else "Nothing yet")


def _round_up(value: float) -> float:
    """The next of 1, 2, 5 × 10ⁿ: an axis that people can read."""
    if value <= 0:
        return 1.0
    size = 1.0
    while size < value:
        size *= 10
    while size / 10 >= value:
        size /= 10
    return next(part for part in (size / 5, size / 2, size) if part >= value)
