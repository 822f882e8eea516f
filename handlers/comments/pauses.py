"""The answers about a paused pull request."""

from handlers.comments.clean import code
from handlers.comments.starting import AGAIN

RESUME = "Comment `/heal resume` to continue."


def paused() -> str:
    """The answer to `pause`."""
    return (
        "Heal is paused on this pull request. Work in progress stops after the current step; its results are kept. "
        f"Commands are still answered. {RESUME}"
    )


def already(by: str) -> str:
    """`pause` on a paused pull request."""
    return f"Already paused by {code(by, 60)}. {RESUME}"


def not_paused() -> str:
    """`resume` without a pause."""
    return f"Heal isn't paused on this pull request. {AGAIN}"


def resumed(started: str) -> str:
    """The answer to `resume`, before what was started."""
    return f"Resumed. {started}"


def still(by: str) -> str:
    """Why nothing is done: for the check run, and for commands that would start something."""
    return f"{code(by, 60)} paused Heal on this pull request. {RESUME}"


def not_started(by: str) -> str:
    """A run was requested while Heal is paused."""
    return f"Nothing was started: {still(by)}"
