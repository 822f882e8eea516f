"""Reads the response headers of an error: how long to wait, and whether the same request may work later."""

import math
from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime


def pause_named(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait: `retry-after-ms`, or `retry-after` as seconds or as a date, relative to the sender's own clock.
    None where there is no usable header."""
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
    """Whether the sender advises to retry the request; None where it leaves that to the status."""
    return {"true": True, "false": False}.get(headers.get("x-should-retry", ""))


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _date(text: str | None) -> datetime | None:
    try:
        date = parsedate_to_datetime(text or "")
    except ValueError:
        return None
    return date if date.tzinfo else None
