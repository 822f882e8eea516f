"""The answers to `/heal rollback` (SC-5, SC-6): what was reverted, or why nothing was."""

from handlers.acceptance.clash import Clash
from handlers.comments.clashes import what_changed
from handlers.comments.clean import block, code, joined
from handlers.comments.parts import short


def rolled_back(ids: tuple[str, ...], sha: str) -> str:
    """The answer to `rollback`."""
    taken = ", ".join(f"`{short(id_)}`" for id_ in ids)
    return (
        f"Taken back: {taken}, as commit {code(sha[:12])}. The bytes are as they were before. `/heal retry` tries anew."
    )


def rollback_pull(ids: tuple[str, ...], number: int, why: str = "") -> str:
    """A rollback on a protected branch, or where GitHub refuses the commit: `why`."""
    taken = ", ".join(f"`{short(id_)}`" for id_ in ids)
    why = why or "The branch is protected, so Heal can't commit to it."
    return f"{why} Pull request #{number} takes {taken} back: merge it."


def conflict(proposal_id: str, clash: Clash | None, wanted: str, over: tuple[str, ...] = ()) -> str:
    """A reverse edit no longer fits exactly once: nothing is changed. `over` are other fixes that lie over it."""
    both = " ".join(short(id_) for id_ in (proposal_id, *over))
    return joined(
        [
            f"`{short(proposal_id)}` can't be taken back exactly, so **nothing was changed**: {what_changed(clash)}",
            f"Another fix was put over it: `/heal rollback {both}` takes them back together." if over else "",
            "Heal only takes back what stands there as the fix left it. To do it by hand, this is the reverse change:",
            block(wanted, "diff", most=8000),
        ]
    )


def not_applied(ids: tuple[str, ...]) -> str:
    """`rollback` of something that is not on the branch."""
    names = ", ".join(f"`{short(id_)}`" for id_ in ids)
    return f"{names} is not on the branch, so there is nothing to take back. `/heal list` shows what is."


def on_base(ids: tuple[str, ...]) -> str:
    """`rollback` of something that the base branch has too."""
    names = ", ".join(f"`{short(id_)}`" for id_ in ids)
    return (
        f"{names} is on the base branch itself, so this pull request doesn't change it and there is nothing to take "
        "back here. To undo it, revert its commit on the base branch."
    )


def unclear(ids: tuple[str, ...]) -> str:
    """Nobody can say whether these fixes are on the branch."""
    names = ", ".join(f"`{short(id_)}`" for id_ in ids)
    return (
        f"**Nothing was changed**: the code fits both with and without {names}, and no commit says whether it is on "
        "the branch. Look at the lines with `/heal show <id>`; to undo a commit by hand use `git revert`."
    )


def fork_rollback(ids: tuple[str, ...]) -> str:
    """`rollback` on a fork: Heal pushes nothing there."""
    names = ", ".join(f"`{short(id_)}`" for id_ in ids)
    return (
        f"This pull request comes from a fork, and Heal never pushes to forks, so {names} was not taken back. "
        "Revert the commit on your branch with `git revert`."
    )
