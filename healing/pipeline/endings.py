"""Which of a run's errors its fixes removed; the others did not recur, were there before, or are left."""

from healing.model import Outcome

WITHOUT_A_FIX = ("flaky", "preexisting", "superseded", "unfixable:")


def fixed_ids(outcome: Outcome) -> frozenset[str]:
    """The errors that are gone with the proposals."""
    return frozenset(one.error_id for one in outcome.resolutions if not one.how.startswith(WITHOUT_A_FIX))


def counted(outcome: Outcome) -> str:
    """The errors that fixes removed, and of how many where these are more: `8 of 11 errors`."""
    every, gone = len(outcome.errors), len(fixed_ids(outcome))
    noun = "error" if every == 1 else "errors"
    return f"{gone} of {every} {noun}" if 0 < gone < every else f"{every} {noun}"
