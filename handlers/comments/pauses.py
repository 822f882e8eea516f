"""What is said where Heal was told to be still (SC-1)."""

from handlers.comments.clean import code


def paused() -> str:
    """The answer to `pause`."""
    return (
        "Heal is still here from now on: what is under way stops before its next step, nothing is offered, and what "
        "was found is kept. Commands are still answered; `/heal resume` goes on."
    )


def already(by: str) -> str:
    """`pause`, said twice."""
    return f"Heal has been still here since {code(by, 60)} said `/heal pause`. `/heal resume` goes on."


def not_paused() -> str:
    """`resume` without a pause."""
    return "Heal was not told to be still here, so there is nothing to resume. `/heal` starts a new look."


def resumed(started: str) -> str:
    """The answer to `resume`, before that to a new look."""
    return f"Heal goes on here. {started}"


def still(by: str) -> str:
    """Why nothing is done: for the check run, and for commands that would start something."""
    return f"{code(by, 60)} said `/heal pause` on this pull request. `/heal resume` goes on."


def not_started(by: str) -> str:
    """A look was asked for while Heal was told to be still."""
    return f"Nothing was started: {still(by)}"
