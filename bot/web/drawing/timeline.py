"""The timeline of a run: its phases one after another and the agents below them, on one time scale."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from bot.web.drawing import svg
from bot.web.labels import phase
from bot.web.words import duration

WIDTH, NAMES, ROW, TOP = 900.0, 210.0, 26.0, 46.0
MAX_ROWS = 60
TICKS = 5
MIN_SECONDS = 0.05  # seconds of the shortest phase that is shown


@dataclass(frozen=True)
class Bar:
    """One row: it begins `begins` seconds after the run began and lasts `seconds`; `look` is a class of the style
    sheet."""

    name: str
    begins: float
    seconds: float
    look: str
    note: str = ""


def phases(laps: Mapping[str, float]) -> list[Bar]:
    """Returns the phases in order, each beginning where the last one ended; those with nothing to do are left out."""
    bars, at = [], 0.0
    for name, seconds in laps.items():
        if seconds >= MIN_SECONDS:
            bars.append(Bar(phase(name), at, seconds, "bar-phase"))
        at += seconds
    return bars


def timeline(bars: Sequence[Bar]) -> Markup:
    """Returns the drawing; empty if there is nothing to draw."""
    rows = bars[:MAX_ROWS]
    whole = max((bar.begins + bar.seconds for bar in rows), default=0.0)
    if whole <= 0:
        return Markup("")
    wide = WIDTH - NAMES - 70
    height = TOP + ROW * len(rows) + 6
    shapes = [svg.words(NAMES, 14, f"time since the run began; it took {duration(whole)}", "tick")]
    for tick in range(TICKS + 1):
        x = NAMES + wide * tick / TICKS
        shapes.append(svg.line(x, TOP - 6, x, height - 4, "grid"))
        shapes.append(svg.words(x, TOP - 12, duration(whole * tick / TICKS) if tick else "0", "tick", "middle"))
    for number, bar in enumerate(rows):
        y = TOP + ROW * number
        x, long = NAMES + wide * bar.begins / whole, max(wide * bar.seconds / whole, 2.0)
        tooltip = f"{bar.name}: {duration(bar.seconds)}{f', {bar.note}' if bar.note else ''}"
        shapes.append(svg.words(NAMES - 10, y + 15, svg.cut(bar.name, 32), "name", "end"))
        shapes.append(svg.box(x, y + 4, long, ROW - 9, bar.look, tooltip))
        shapes.append(svg.words(x + long + 6, y + 15, duration(bar.seconds), "tick"))
    label = f"Timeline of {duration(whole)}: " + "; ".join(f"{bar.name} {duration(bar.seconds)}" for bar in rows)
    return svg.drawing(WIDTH, height, label, shapes, "timeline")
