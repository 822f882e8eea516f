"""The shapes of the drawings; colours are classes of the style sheet."""

from collections.abc import Iterable

from markupsafe import Markup

Shape = Markup


def drawing(width: float, height: float, label: str, shapes: Iterable[Shape], kind: str = "") -> Markup:
    """Returns the whole SVG; `label` describes it in words."""
    return Markup(
        '<svg class="drawing {}" viewBox="0 0 {} {}" width="{}" height="{}" role="img" aria-label="{}">{}</svg>'
    ).format(kind, _n(width), _n(height), _n(width), _n(height), label, Markup("").join(shapes))


def box(x: float, y: float, width: float, height: float, look: str = "", title: str = "", radius: float = 3) -> Shape:
    """Returns a rectangle; `title` is shown as tooltip."""
    tooltip = Markup("<title>{}</title>").format(title) if title else Markup("")
    return Markup('<rect class="{}" x="{}" y="{}" width="{}" height="{}" rx="{}">{}</rect>').format(
        look, _n(x), _n(y), _n(max(width, 0)), _n(max(height, 0)), _n(radius), tooltip
    )


def words(x: float, y: float, text: str, look: str = "", anchor: str = "start") -> Shape:
    """Returns a line of text with its baseline at `y`."""
    return Markup('<text class="{}" x="{}" y="{}" text-anchor="{}">{}</text>').format(look, _n(x), _n(y), anchor, text)


def line(x1: float, y1: float, x2: float, y2: float, look: str = "") -> Shape:
    return Markup('<line class="{}" x1="{}" y1="{}" x2="{}" y2="{}"/>').format(look, *map(_n, (x1, y1, x2, y2)))


def curve(x1: float, y1: float, x2: float, y2: float, look: str = "") -> Shape:
    """Returns a smooth curve from left to right."""
    half = (x1 + x2) / 2
    return Markup('<path class="{}" d="M{} {}C{} {} {} {} {} {}"/>').format(
        look, *map(_n, (x1, y1, half, y1, half, y2, x2, y2))
    )


def dot(x: float, y: float, radius: float, look: str = "", title: str = "") -> Shape:
    tooltip = Markup("<title>{}</title>").format(title) if title else Markup("")
    return Markup('<circle class="{}" cx="{}" cy="{}" r="{}">{}</circle>').format(
        look, _n(x), _n(y), _n(radius), tooltip
    )


def path(points: Iterable[tuple[float, float]], look: str = "") -> Shape:
    """Returns a line through points."""
    joined = " ".join(f"{_n(x)},{_n(y)}" for x, y in points)
    return Markup('<polyline class="{}" points="{}"/>').format(look, joined)


def cut(text: str, most: int) -> str:
    """Returns the text as one line of at most `most` characters."""
    flat = " ".join(text[: most * 4].split())
    return flat if len(flat) <= most else flat[: most - 1] + "…"


def _n(value: float) -> str:
    return f"{value:.1f}".rstrip("0").rstrip(".")
