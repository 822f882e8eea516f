"""Formats numbers and times for pages."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from markupsafe import Markup

from bot.web import labels

STEPS = ((60.0, "s", 1.0), (3600.0, "min", 60.0), (86_400.0, "h", 3600.0), (float("inf"), "d", 86_400.0))
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def duration(seconds: float | None) -> str:
    """`42 s`, `3.1 min`, `2.0 h`."""
    if seconds is None:
        return "–"
    for limit, unit, size in STEPS:
        if seconds < limit:
            value = max(seconds, 0.0) / size
            return f"{value:.0f} {unit}" if (unit == "s" and value >= 10) or value >= 100 else f"{value:.1f} {unit}"
    return "–"


def dollars(value: float | None) -> str:
    """`$0.042`; a dash if nothing was spent."""
    if not value:
        return "–"
    return f"${value:.3f}" if value < 1 else f"${value:,.2f}"


def day(at: float) -> str:
    """`3 Nov`, in UTC."""
    moment = datetime.fromtimestamp(at, UTC)
    return f"{moment.day} {MONTHS[moment.month - 1]}"


def moment(at: float | None) -> Markup:
    """Returns a time in UTC, readable by people and machines; a script converts it to the reader's time zone."""
    if at is None:
        return Markup("–")
    return _time(at, f"{day(at)}, {datetime.fromtimestamp(at, UTC):%H:%M} UTC", "moment")


def ago(at: float | None, now: float) -> Markup:
    """`3 h ago`, at the time of rendering; a script keeps it up to date."""
    if at is None:
        return Markup("–")
    passed = now - at
    return _time(at, "just now" if passed < 60 else f"{rounded(passed)} ago", "ago")


def _time(at: float, shown: str, kind: str) -> Markup:
    then = datetime.fromtimestamp(at, UTC)
    return Markup('<time datetime="{}" title="{} UTC" data-shown="{}">{}</time>').format(
        f"{then:%Y-%m-%dT%H:%M:%SZ}", f"{then:%Y-%m-%d %H:%M:%S}", kind, shown
    )


def rounded(seconds: float) -> str:
    """`5 min`, `3 h`, `12 d`: rounded to whole units."""
    unit, size = next((unit, size) for limit, unit, size in STEPS if seconds < limit)
    return f"{seconds // size:.0f} {unit}"


def plural(count: int, one: str, many: str = "") -> str:
    """`1 error`, `2 errors`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


FILTERS: dict[str, Callable[..., Any]] = {
    "duration": duration,
    "dollars": dollars,
    "day": day,
    "moment": moment,
    "plural": plural,
    "ago": ago,
    "tone": labels.tone,
    "state": labels.run_state,
    "fix_state": labels.fix_state,
    "ending": labels.ending,
    "maker": labels.maker,
    "reason": labels.reason,
    "kind": labels.kind,
    "readable": labels.readable,
    "prose": labels.prose,
    "short": lambda sha: str(sha)[:8],
    "percent": lambda share: "–" if share is None else f"{share * 100:.0f} %",
}
