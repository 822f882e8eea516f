"""The texts about formatting that was committed without being asked (`commit_formatting`)."""

from handlers.comments.clean import code
from handlers.comments.parts import short


def commit_text(tools: tuple[str, ...], ids: tuple[str, ...]) -> str:
    """Why the commit is there and how it goes away, for its message."""
    names = " and ".join(", ".join(tools).rsplit(", ", 1))
    return (
        f"Formatting only, by {names}, because `commit_formatting` in\n.github/heal.yml asks for it. To revert it, "
        f"comment on the\npull request:\n\n    /heal rollback {' '.join(map(short, ids))}"
    )


def committed(sha: str) -> str:
    """The note on the check run of the commit before."""
    return (
        f"Heal committed the formatting as {code(sha[:12])}, because `commit_formatting` in `.github/heal.yml` asks "
        "for it. The commit message says how to revert it. The other fixes are based on that commit."
    )
