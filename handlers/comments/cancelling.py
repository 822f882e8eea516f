"""The texts about a cancelled run."""

from handlers.comments.clean import code
from handlers.comments.starting import AGAIN
from handlers.comments.summary import Offers, summary, tested_fixes
from healing.model import Outcome

TITLE = "Cancelled"
NOTHING = (
    "Nothing is in progress on this pull request, so nothing was cancelled. `/heal pause` keeps Heal from starting."
)


def why(by: str, on_dashboard: bool) -> str:
    """Who cancelled the run, and how to start another one: for the check run and the dashboard."""
    where = " on the dashboard" if on_dashboard else ""
    return f"{code(by, 60)} cancelled this run{where}. {AGAIN}"


def why_of_commit(by: str) -> str:
    """The same for a commit of the default branch, where no commands are possible."""
    again = "To run again, press *Re-run* on the check run “Heal”, or *Run again* on the dashboard."
    return f"{code(by, 60)} cancelled this run on the dashboard. {again}"


def ended(why: str, outcome: Outcome, offers: Offers, *, commands: bool) -> str:
    """The check run of a run that ended early, after it had found something: a person cancelled it, or a rule stopped
    it. `commands`: there is a pull request on which commands are possible."""
    what_to_do = "`/heal apply <id>` commits a fix below." if commands else "another run can offer the fixes below."
    opening = f"**{tested_fixes(outcome)}.** Nothing was posted; {what_to_do}" if outcome.proposals else ""
    return f"Stopped: {why}\n\n---\n\n**Found before it stopped:**\n\n{summary(outcome, offers, opening=opening)}"


def cancelled(over: tuple[str, ...], at_work: tuple[str, ...]) -> str:
    """The answer to `cancel`. `over`: the commits whose run has ended; `at_work`: those whose run ends after its
    current step."""
    parts = [f"Cancelled the run on {_names(over)}." if over else ""]
    parts += [
        f"Cancelling the run on {_names(at_work)}: it ends after the current step. The check run “Heal” will show "
        "what it found."
        if at_work
        else ""
    ]
    parts += ["A check that fails later starts a new run; `/heal retry` does too."]
    return " ".join(filter(None, parts))


def _names(shas: tuple[str, ...]) -> str:
    return ", ".join(code(sha[:12]) for sha in dict.fromkeys(shas))
