"""The answers to `/heal rollback`: what was reverted, or why nothing was."""

from handlers.comments.clean import block, code, joined
from handlers.comments.edit_conflicts import what_changed
from handlers.comments.parts import short
from handlers.model.edit_conflict import EditConflict


def rolled_back(ids: tuple[str, ...], sha: str) -> str:
    """The answer to `rollback`."""
    taken = _names(ids)
    return (
        f"Reverted {taken} in {code(sha[:12])}; the changed lines are exactly as they were before "
        f"{'the fix' if len(ids) == 1 else 'the fixes'}. `/heal retry` looks for another fix."
    )


def rollback_pull(ids: tuple[str, ...], number: int, why: str = "") -> str:
    """A rollback on a protected branch, or where GitHub refuses the commit: `why`."""
    taken = _names(ids)
    why = why or "The branch is protected, so Heal can't commit to it."
    return f"{why} Merge pull request #{number} to revert {taken}."


def conflict(proposal_id: str, edit_conflict: EditConflict | None, wanted: str, over: tuple[str, ...] = ()) -> str:
    """A reverse edit doesn't fit at exactly one place, so nothing is changed. `over`: later fixes on top of it."""
    both = " ".join(short(id_) for id_ in (proposal_id, *over))
    why = what_changed(edit_conflict)
    return joined(
        [
            f"**Nothing was changed:** `{short(proposal_id)}` can't be reverted cleanly, because {why}",
            f"{_names(over)} {'was' if len(over) == 1 else 'were'} applied on top of it: `/heal rollback {both}` "
            "reverts them together."
            if over
            else "",
            "To do it by hand, this is the reverse change:",
            block(wanted, "diff", most=8000),
        ]
    )


def not_applied(ids: tuple[str, ...]) -> str:
    """`rollback` of something that is not on the branch."""
    names = _names(ids)
    are = "is" if len(ids) == 1 else "are"
    return f"Nothing to revert: {names} {are} not on the branch. `/heal list` shows what is."


def on_base(ids: tuple[str, ...]) -> str:
    """`rollback` of something that the base branch has too."""
    names = _names(ids)
    return f"Nothing to revert here: {names} came with the base branch. Revert its commit there."


def unclear(ids: tuple[str, ...]) -> str:
    """It is unclear whether these fixes are on the branch."""
    names = _names(ids)
    are, it, its = ("is", "it", "its") if len(ids) == 1 else ("are", "them", "their")
    patch = f"{its} patch applies" if len(ids) == 1 else f"{its} patches apply"
    return (
        f"**Nothing was changed:** Heal can't tell whether {names} {are} on the branch: no commit contains {it}, and "
        f"{patch} both forwards and in reverse. Compare the lines with `/heal show {short(ids[0])}`, and edit "
        "them by hand."
    )


def fork_rollback(ids: tuple[str, ...]) -> str:
    """`rollback` on a fork: Heal pushes nothing there."""
    names = _names(ids)
    were = "was" if len(ids) == 1 else "were"
    return (
        f"{names} {were} not reverted: this pull request comes from a fork, and Heal never pushes to forks. Use `git "
        "revert` on your branch."
    )


def _names(ids: tuple[str, ...]) -> str:
    *others, last = (f"`{short(id_)}`" for id_ in ids)
    return " and ".join(filter(None, [", ".join(others), last]))
