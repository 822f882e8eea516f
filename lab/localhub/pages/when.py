"""Readable times."""

from datetime import UTC, datetime

STEPS = ((60, 1, "second"), (3600, 60, "minute"), (86400, 3600, "hour"), (30 * 86400, 86400, "day"))


def ago(now: datetime, moment: datetime) -> str:
    """`just now`, `5 minutes ago`, or the day."""
    seconds = int((now - moment).total_seconds())
    if seconds < 10:
        return "just now"
    for below, size, word in STEPS:
        if seconds < below:
            return f"{plural(seconds // size, word)} ago"
    return f"on {moment:%Y-%m-%d}"


def format_duration(start: datetime | None, end: datetime | None) -> str:
    """Returns how long something took; empty while it is unknown."""
    if start is None or end is None:
        return ""
    seconds = max(0, round((end - start).total_seconds()))
    return f"{seconds} s" if seconds < 120 else f"{seconds // 60} min {seconds % 60} s"


def plural(count: int, word: str) -> str:
    """`1 file`, `2 files`."""
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def parsed(iso: str) -> datetime:
    """Parses a commit's time."""
    return datetime.fromisoformat(iso.replace("Z", "+00:00")).astimezone(UTC)
