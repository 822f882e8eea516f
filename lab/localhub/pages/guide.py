"""What a page's owner adds to a conversation: an introduction, and a guided tour with one step at a time."""

from collections.abc import Callable
from dataclasses import dataclass

from lab.localhub.hub import Hub
from lab.localhub.state import Pull


@dataclass(frozen=True)
class TourStep:
    """What to do next; `text` is Markdown. The button writes `comment` below the conversation, or commits the
    suggestion `accept` (a review comment's id). Without a button there is nothing to do yet but to wait."""

    title: str
    text: str
    button: str = ""
    comment: str = ""
    accept: int | None = None


@dataclass(frozen=True)
class Tour:
    """How far a person has come: `done` steps of `steps`. `happened` is what came of the last step, in Markdown;
    `place` is the fragment of the address where that, or else what the next step is about, is on the page. `step` is
    None at the end."""

    done: int
    steps: int
    happened: str
    place: str
    step: TourStep | None


def no_tour(_hub: Hub, _pull: Pull) -> Tour | None:
    """The introduction alone."""
    return None


@dataclass(frozen=True)
class Guide:
    """`text` is Markdown; `tour` reads from the conversation how far it has come."""

    text: str = ""
    tour: Callable[[Hub, Pull], Tour | None] = no_tour
