"""Why something is not (or no longer) as it was offered: half sentences for lists and tables."""

FORK_MOVED = "its code only runs when somebody with write access says /heal, which offers anew what still holds"
GITHUB_REFUSED = "GitHub refused the suggested change; /heal apply commits it"
NO_PATCH = "a comment can't carry its bytes"
PROTECTED = "the branch is protected, and GitHub refused a pull request too"
PULL_CLOSED = "the pull request was closed"
TIED = "it goes together with another fix, in order"
LINES_TAKEN = "a surer fix wants the same lines"
REVIEW_FULL = "the review is full"


def gone(kept: bool) -> str:
    """An applied fix that is no longer on the branch; `kept`: the commit that brought it in still is."""
    return "a later commit took it back" if kept else "the branch was moved to a commit without it"
