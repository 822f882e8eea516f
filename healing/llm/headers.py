"""What a refusal says beside its body: how long to wait, and whether the same request may work later."""

import math
from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime


def pause_named(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait: `retry-after-ms`, or `retry-after` as seconds or as a date, which is taken by the sender's own
    clock. None where nothing usable is reported."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    named = headers.get("retry-after")
    seconds = _number(named)
    if seconds is not None:
        return seconds
    then, now = _date(named), _date(headers.get("date"))
    return max((then - now).total_seconds(), 0.0) if then and now else None


def retry_advised(headers: Mapping[str, str]) -> bool | None:
    """Whether the sender says that the request may be sent again; None where it leaves that to the status."""
    return {"true": True, "false": False}.get(headers.get("x-should-retry", ""))


def _number(text: str | None) -> float | None:
    try:
        found = float(text or "")
    except ValueError:
        return None
    return found if math.isfinite(found) and found >= 0 else None


def _date(text: str | None) -> datetime | None:
    try:
        found = parsedate_to_datetime(text or "")
    except ValueError:
        return None
    return found if found.tzinfo else None
