"""The words of what people may ask for, and which of them a page was led back to with."""

from typing import get_args

from bot.web.dashboard.visits import Visit
from handlers.events import DashboardWord

WORDS: tuple[DashboardWord, ...] = get_args(DashboardWord)


def word_of(text: str) -> DashboardWord | None:
    """The word, if it is one."""
    return next((word for word in WORDS if word == text), None)


def asked_word(visit: Visit) -> DashboardWord | None:
    """What was asked for just now, by the page's address."""
    return word_of(visit.request.query_params.get("asked", ""))
