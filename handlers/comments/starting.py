"""The answers to who asks for a further look: what was started, and what will come of it."""

from handlers.comments.clean import code, sentence


def started(sha: str, how: str) -> str:
    """The answer to `/heal` and `retry`."""
    hint = f" With your hint: {sentence(how, 300)}" if how else ""
    return f"Started a new look at {code(sha[:12])}.{hint} The check run “Heal” shows how it goes."


def started_dry(sha: str) -> str:
    """The answer to `dry-run`."""
    return (
        f"Started a dry run on {code(sha[:12])}: nothing will be offered or committed. The check run “Heal” says what "
        "would be; `/heal apply <id>` then commits one, `/heal` offers all."
    )


def started_snapshots(sha: str) -> str:
    """The answer to `snapshots`."""
    return (
        f"Started a new look at {code(sha[:12])}, in which stale snapshots are written anew. What comes of it is "
        "marked for you to look at: it repairs no code. The check run “Heal” shows how it goes."
    )
