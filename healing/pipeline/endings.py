"""Which of a run's errors its fixes removed; the others did not recur, were there before, or are left."""

from healing.model import Outcome

WITHOUT_A_FIX = ("flaky", "preexisting", "superseded", "unfixable:")


def fixed_ids(outcome: Outcome) -> frozenset[str]:
    """The ids of errors that the proposals fix."""
    return frozenset(
        resolution.error_id for resolution in outcome.resolutions if not resolution.how.startswith(WITHOUT_A_FIX)
    )


def counted(outcome: Outcome) -> str:
    """How many errors were fixed, out of how many if not all: `8 of 11 errors`."""
    total, fixed = len(outcome.errors), len(fixed_ids(outcome))
    noun = "error" if total == 1 else "errors"
    return f"{fixed} of {total} {noun}" if 0 < fixed < total else f"{total} {noun}"
