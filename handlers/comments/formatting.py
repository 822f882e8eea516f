"""The texts about formatting that was committed without being asked (`commit_formatting`)."""

from handlers.comments.clean import code
from handlers.comments.parts import short


def commit_text(tools: tuple[str, ...], ids: tuple[str, ...]) -> str:
    """Why the commit is there and how it goes away, for its message."""
    undo = "\n".join(f"    /heal rollback {short(id_)}" for id_ in ids)
    names = " and ".join(", ".join(tools).rsplit(", ", 1))
    return (
        f"Formatting only, by {names}, because `commit_formatting` in\n.github/heal.yml asks for it. A comment on the "
        f"pull request reverts it:\n\n{undo}"
    )


def committed(sha: str) -> str:
    """The note on the check run of the commit before."""
    return (
        f"Formatting was committed as {code(sha[:12])} (`commit_formatting` in `.github/heal.yml`); its message says "
        "how to revert it. The other fixes are offered on that commit."
    )
