"""The comment about a commit with a fix on which CI did not start."""

from handlers.comments.clean import code


def not_started(sha: str) -> str:
    """Posted five minutes after the commit."""
    return (
        f"**No CI started on {code(sha[:12])}** within 5 minutes, so nothing but Heal has tested this commit. "
        "Start your workflows by hand, or approve them if they're waiting for approval. If they're set to skip these "
        "files or this branch, this is expected."
    )
