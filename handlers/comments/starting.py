"""The answers to commands that start a run."""

from handlers.comments.clean import code, sentence

AGAIN = "Comment `/heal retry` to run again."  # on a pull request
AGAIN_ANYWHERE = (  # for check runs, which may be of a commit without a pull request
    "To run again, press *Re-run* on the check run “Heal”, or comment `/heal retry` on the pull request."
)


def started(sha: str, how: str, about: str = "") -> str:
    """The answer to `/heal` and `retry`; `about` is the id that somebody named."""
    named = f" for {code(about, 60)}" if about else ""
    hint = f" Your hint: {sentence(how, 300)}" if how else ""
    return f"Started a run on {code(sha[:12])}{named}.{hint} The check run “Heal” shows its progress."


def started_dry(sha: str) -> str:
    """The answer to `dry-run`."""
    return (
        f"Started a dry run on {code(sha[:12])}: nothing will be posted or committed. The check run “Heal” will list "
        "the fixes. `/heal apply <id>` commits one. `/heal retry` runs again and offers its fixes."
    )


def started_snapshots(sha: str) -> str:
    """The answer to `snapshots`."""
    return (
        f"Started a run on {code(sha[:12])} that updates stale snapshots. Review them carefully: updating a snapshot "
        "doesn't fix any code. The check run “Heal” shows its progress."
    )
