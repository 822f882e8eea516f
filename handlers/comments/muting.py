"""Texts about tested fixes that are not offered, because people here reject similar ones."""

from handlers.comments.clean import cell, fold, prose
from handlers.comments.makers import kind_of_fix
from handlers.comments.parts import plural, short, title
from handlers.model import StoredProposal, Tally

MAX_ROWS = 40


def why(tally: Tally) -> str:
    """The reason, with its figures: plain text."""
    decided = tally.accepted + tally.rejected
    return f"{tally.rejected} of {decided} fixes {kind_of_fix(tally.kind)} were rejected in this repository"


def rejection_message(why: str) -> str:
    """What a later agent reads of a fix that a person rejected: plain text."""
    reason = f": {why}" if why else " and gave no reason."
    return f"It was proven, and a person here turned it down{reason}"


def nothing_offered(errors: int) -> str:
    """The result in one line, where all verified fixes are muted."""
    return (
        f"**No fix offered for {plural(errors, 'error')}.** Heal has tested fixes, but similar fixes are usually "
        "rejected in this repository."
    )


def quiet_list(items: tuple[StoredProposal, ...]) -> str:
    """Tested fixes that are listed only here."""
    if not items:
        return ""
    rows = ["| Fix | Change | Why not offered |", "|---|---|---|"]
    rows += [
        f"| `{short(item.proposal.id)}` | {cell(title(item.proposal))} | {cell(prose(item.reason, 300))} |"
        for item in items[:MAX_ROWS]
    ]
    more = [f"\n… and {len(items) - MAX_ROWS} more."] if len(items) > MAX_ROWS else []
    one = "it" if len(items) == 1 else "one"
    how_to = f"`/heal apply <id>` commits {one} anyway, and counts in favour of similar fixes."
    text = "\n".join([how_to, "", *rows, *more])
    why_not = "because similar fixes are usually rejected in this repository"
    return fold(f"{plural(len(items), 'fix')} not offered, {why_not}", text)


def silent_note(items: tuple[StoredProposal, ...]) -> str:
    """The line about fixes that are not offered at all."""
    if not items:
        return ""
    reasons = list(dict.fromkeys(item.reason for item in items))
    named = "; ".join(prose(reason, 300) for reason in reasons[:5])
    them, one = ("it", "it") if len(items) == 1 else ("them", "one")
    return (
        f"**Not offered:** {plural(len(items), 'tested fix')}, because {named}. `/heal list` shows {them}, "
        f"`/heal apply <id>` commits {one} anyway."
    )
