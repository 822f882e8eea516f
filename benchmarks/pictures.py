"""Bars as an SVG file that reads well on light and dark pages: no script, no font of its own, no size in pixels."""

from collections.abc import Sequence
from html import escape

ROW, TOP, LEFT, WIDTH, RIGHT = 26, 40, 300, 420, 110
STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#24292f}.b{fill:#2f81f7}.t{font-weight:600;font-size:15px}"
    "@media(prefers-color-scheme:dark){text{fill:#e6edf3}}"
)


def bars(title: str, values: Sequence[tuple[str, float]]) -> str:
    """A bar for each (label, value), as long as the value is beside the largest; its number stands at its end."""
    most = max((abs(value) for _, value in values), default=0.0) or 1.0
    width, height = LEFT + WIDTH + RIGHT, TOP + ROW * len(values) + 10
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="{escape(title, quote=True)}">',
        f"<style>{STYLE}</style>",
        f'<text class="t" x="10" y="22">{escape(title)}</text>',
    ]
    for at, (label, value) in enumerate(values):
        y = TOP + ROW * at
        long = max(WIDTH * abs(value) / most, 1)
        parts.append(f'<text x="{LEFT - 8}" y="{y + 16}" text-anchor="end">{escape(label[:44])}</text>')
        parts.append(f'<rect class="b" x="{LEFT}" y="{y + 3}" width="{long:.1f}" height="{ROW - 8}" rx="3"/>')
        parts.append(f'<text x="{LEFT + long + 6:.1f}" y="{y + 16}">{value:g}</text>')
    return "\n".join([*parts, "</svg>", ""])
