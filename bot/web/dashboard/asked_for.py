"""The commands of the dashboard, and the one with which a page was redirected back to."""

from typing import get_args

from bot.web.dashboard.visits import Visit
from handlers.events import DashboardWord

WORDS: tuple[DashboardWord, ...] = get_args(DashboardWord)


def word_of(text: str) -> DashboardWord | None:
    """Returns the command, or None if the text is none."""
    return next((word for word in WORDS if word == text), None)


def asked_word(visit: Visit) -> DashboardWord | None:
    """Returns the command that was just sent, from the page's URL."""
    return word_of(visit.request.query_params.get("asked", ""))
