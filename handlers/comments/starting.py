"""The answers to commands that start a run."""

from handlers.comments.clean import code, sentence


def started(sha: str, how: str) -> str:
    """The answer to `/heal` and `retry`."""
    hint = f" Your hint: {sentence(how, 300)}" if how else ""
    return f"Started a run on {code(sha[:12])}.{hint} The check run “Heal” shows its progress."


def started_dry(sha: str) -> str:
    """The answer to `dry-run`."""
    return (
        f"Started a dry run on {code(sha[:12])}: nothing will be posted or committed. The check run “Heal” will list "
        "the fixes. `/heal apply <id>` commits one. `/heal` runs again and offers its fixes."
    )


def started_snapshots(sha: str) -> str:
    """The answer to `snapshots`."""
    return (
        f"Started a run on {code(sha[:12])} that updates stale snapshots. Review them carefully: updating a snapshot "
        "fixes no code. The check run “Heal” shows its progress."
    )
