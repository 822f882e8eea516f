"""What a page's owner tells visitors on top of a conversation: some words, and steps to go with a button for each."""

from collections.abc import Callable
from dataclasses import dataclass

from bot.localhub.hub import Hub
from bot.localhub.state import Pull


@dataclass(frozen=True)
class Step:
    """Something to do. Its button writes `comment` below the conversation, or commits the suggestion `accept` (a review
    comment's id); without either it can't be done yet, and `wait` says why. `then` is what to look for afterwards."""

    title: str
    then: str
    done: bool = False
    comment: str = ""
    accept: int | None = None
    wait: str = ""


def no_steps(_hub: Hub, _pull: Pull) -> tuple[Step, ...]:
    """Words alone."""
    return ()


@dataclass(frozen=True)
class Guide:
    """`text` is Markdown; `steps` looks at how far a conversation has come."""

    text: str = ""
    steps: Callable[[Hub, Pull], tuple[Step, ...]] = no_steps
