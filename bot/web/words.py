"""How pages write figures and moments: short, the same everywhere."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from markupsafe import Markup

STEPS = ((60.0, "s", 1.0), (3600.0, "min", 60.0), (86_400.0, "h", 3600.0), (float("inf"), "d", 86_400.0))
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
VERDICTS = {
    "healed": "healed",
    "partly": "partly healed",
    "not-healed": "not healed",
    "could-not-look": "could not look",
    "gathering": "gathering",
    "running": "in progress",
    "stopped": "stopped",
    "superseded": "superseded",
    "done": "done",
}


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
    """`$0.042`; nothing spent is a dash."""
    if not value:
        return "–"
    return f"${value:.3f}" if value < 1 else f"${value:,.2f}"


def day(at: float) -> str:
    """`3 Nov`, in UTC."""
    moment = datetime.fromtimestamp(at, UTC)
    return f"{moment.day} {MONTHS[moment.month - 1]}"


def moment(at: float | None) -> Markup:
    """A moment as people and machines read it, in UTC."""
    if at is None:
        return Markup("–")
    then = datetime.fromtimestamp(at, UTC)
    shown = f"{day(at)}, {then:%H:%M}"
    return Markup('<time datetime="{}" title="{} UTC">{}</time>').format(
        f"{then:%Y-%m-%dT%H:%M:%SZ}", f"{then:%Y-%m-%d %H:%M:%S}", shown
    )


def plural(count: int, one: str, many: str = "") -> str:
    """`1 error`, `2 errors`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def tone(state: str) -> str:
    """The colour of a state: a class of the style sheet."""
    return {
        "healed": "good", "applied": "good", "offered": "fair", "partly": "fair", "gathering": "busy",
        "running": "busy", "not-healed": "bad", "rejected": "bad", "rolled-back": "bad",
    }.get(state, "calm")  # fmt: skip


FILTERS: dict[str, Callable[..., Any]] = {
    "duration": duration,
    "dollars": dollars,
    "day": day,
    "moment": moment,
    "plural": plural,
    "tone": tone,
    "state": lambda name: VERDICTS.get(name, name),
    "short": lambda sha: str(sha)[:8],
    "percent": lambda share: "–" if share is None else f"{share * 100:.0f} %",
}
