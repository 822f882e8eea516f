"""The text of a suggested change and of the review that carries it (GH-1, GH-2)."""

from handlers.comments import marks
from handlers.comments.clean import code, hidden_in, joined, longest_run, sentence
from handlers.comments.local import in_a_checkout
from handlers.comments.parts import Errors, closer_look, evidence, how_to, plural, short, standing, title, what_broke
from healing.model import Proposal


def suggestion(
    proposal: Proposal, part: int, parts: int, replacement: str, errors: Errors, patch: str | None = None
) -> str:
    """One review comment. `replacement` is the code that takes the lines' place, verbatim (empty deletes them); `patch`
    the whole fix, for who wants to finish it in a checkout."""
    return joined(
        [
            f"**{title(proposal)}** ({standing(proposal)})",
            f"What broke: {what_broke(proposal, errors)}",
            closer_look(proposal) if part == 1 else "",
            f"Why, and the fix: {sentence(proposal.explanation, 700)}" if proposal.explanation else "",
            _part(part, parts),
            _hidden(replacement),
            "Heal suggests to delete these lines:" if not replacement else "",
            suggestion_block(replacement),
            evidence(proposal) if part == 1 else "",
            in_a_checkout(patch) if part == 1 else "",
            f"<sub>Fix `{short(proposal.id)}`: accept it above, or {how_to(proposal)}</sub>",
            marks.of_proposal(proposal.id, part, parts),
        ]
    )


def suggestion_block(replacement: str) -> str:
    """The fence that GitHub turns into a suggested change; longer than any fence inside."""
    fence = "`" * max(3, longest_run(replacement) + 1)
    return f"{fence}suggestion\n{replacement}{fence}"


def _part(part: int, parts: int) -> str:
    if parts == 1:
        return ""
    both = "both" if parts == 2 else f"all {parts}"
    return f"**This is part {part} of {parts}: accept {both}.** They were verified together, not one by one."


def _hidden(replacement: str) -> str:
    hidden = hidden_in(replacement)
    return f"⚠ This code has hidden characters: {', '.join(hidden[:10])}. Look twice." if hidden else ""


PHASES = {
    "free": "that tools made without a model",
    "fast": "for syntax, imports, types and lint",
    "slow": "for tests and runtime errors",
}


def review(phase: str, sha: str, marker: str) -> str:
    """The body of one phase's review. Without a number: GitHub may refuse single comments."""
    return (
        f"Heal offers fixes {PHASES[phase]}, verified on {code(sha[:12])}. Accept what you like; "
        f"each can be taken back with `/heal rollback`.\n\n{marker}"
    )


def renewal(proposals: tuple[Proposal, ...], sha: str, marker: str) -> str:
    """The body of the review that offers fixes (again) which were found on an earlier commit."""
    names = ", ".join(f"`{short(proposal.id)}`" for proposal in proposals)
    one = len(proposals) == 1
    return (
        f"Found on an earlier commit: {plural(len(proposals), 'fix')} ({names}). {'It' if one else 'They'} still "
        f"{'applies, and was' if one else 'apply, and were'} verified again on {code(sha[:12])}.\n\n{marker}"
    )
