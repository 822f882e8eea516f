"""Additions to a pull request's page: an introduction, and a guided tour with one step at a time."""

from collections.abc import Callable
from dataclasses import dataclass

from lab.localhub.hub import Hub
from lab.localhub.state import Pull


@dataclass(frozen=True)
class TourStep:
    """The next step; `text` is Markdown. The button posts `comment` on the pull request, or commits the suggestion
    `accept` (a review comment's id). Without a button the person has to wait."""

    title: str
    text: str
    button: str = ""
    comment: str = ""
    accept: int | None = None


@dataclass(frozen=True)
class Tour:
    """The state of a tour: `done` steps of `steps`. `happened` is the result of the last step, in Markdown; `place` is
    the URL fragment of that result, or of what the next step is about. `step` is None at the end."""

    done: int
    steps: int
    happened: str
    place: str
    step: TourStep | None


def no_tour(_hub: Hub, _pull: Pull) -> Tour | None:
    """A `tour` without steps, for only the introduction."""
    return None


@dataclass(frozen=True)
class Guide:
    """`text` is Markdown; `tour` returns the tour's state from the pull request."""

    text: str = ""
    tour: Callable[[Hub, Pull], Tour | None] = no_tour
