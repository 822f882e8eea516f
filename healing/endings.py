"""How many of a run's errors its fixes removed; the others were luck, there before, or are left."""

from healing.model import Outcome

WITHOUT_A_FIX = ("flaky", "preexisting", "superseded", "unfixable:")


def removed(outcome: Outcome) -> int:
    """Errors that are gone with the proposals."""
    return sum(not one.how.startswith(WITHOUT_A_FIX) for one in outcome.resolutions)


def counted(outcome: Outcome) -> str:
    """The errors that fixes removed, and of how many where these are more: `8 of 11 errors`."""
    every, gone = len(outcome.errors), removed(outcome)
    noun = "error" if every == 1 else "errors"
    return f"{gone} of {every} {noun}" if 0 < gone < every else f"{every} {noun}"
