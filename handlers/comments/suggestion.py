"""The text of a suggested change and of the review that carries it."""

from handlers.comments import marks
from handlers.comments.clean import code, hidden_in, joined, longest_run, sentence
from handlers.comments.local import in_a_checkout
from handlers.comments.parts import Errors, closer_look, evidence, plural, short, standing, title, what_broke
from healing.model import Proposal


def suggestion(
    proposal: Proposal,
    part: int,
    parts: int,
    replacement: str,
    errors: Errors,
    patch: str | None = None,
    *,
    can_push: bool = True,
) -> str:
    """One review comment. `replacement` is the code that takes the lines' place, verbatim (empty deletes them); `patch`
    the whole fix, for who wants to finish it in a checkout. `can_push`: Heal may commit to the branch, which it never
    does to a fork's."""
    return joined(
        [
            f"**{title(proposal)}**{_part(part, parts)}",
            f"Fixes {what_broke(proposal, errors)}",
            closer_look(proposal) if part == 1 else "",
            sentence(proposal.explanation, 700) if proposal.explanation else "",
            _batch(proposal, can_push) if parts > 1 else "",
            _hidden(replacement),
            "Delete these lines:" if not replacement else "",
            suggestion_block(replacement),
            evidence(proposal, errors) if part == 1 else "",
            in_a_checkout(patch) if part == 1 else "",
            f"<sub>`{short(proposal.id)}` · {standing(proposal)} · `/heal help` lists the commands</sub>",
            marks.of_proposal(proposal.id, part, parts),
        ]
    )


def suggestion_block(replacement: str) -> str:
    """The fence that GitHub turns into a suggested change; longer than any fence inside."""
    fence = "`" * max(3, longest_run(replacement) + 1)
    return f"{fence}suggestion\n{replacement}{fence}"


def _batch(proposal: Proposal, can_push: bool) -> str:
    apply = f" `/heal apply {short(proposal.id)}` commits them all in one go." if can_push else ""
    return f"Commit all parts in one batch (*Add suggestion to batch* on each): they were tested together.{apply}"


def _part(part: int, parts: int) -> str:
    return f" · Part {part} of {parts}" if parts > 1 else ""


def _hidden(replacement: str) -> str:
    hidden = hidden_in(replacement)
    return f"⚠ This code has hidden characters: {', '.join(hidden[:10])}. Review carefully." if hidden else ""


PHASES = {
    "free": "by Heal's rules and this repository's own tools. No AI used",
    "fast": "for syntax, imports, types and lint",
    "slow": "for tests and runtime errors",
}


def review(phase: str, sha: str, marker: str) -> str:
    """The body of one phase's review. Without a number: GitHub may refuse single comments."""
    return f"Fixes {PHASES[phase]}. Each was tested on {code(sha[:12])}: commit the ones you want.\n\n{marker}"


def renewal(proposals: tuple[Proposal, ...], sha: str, marker: str) -> str:
    """The body of the review that offers fixes (again) which were found on an earlier commit."""
    names = ", ".join(f"`{short(proposal.id)}`" for proposal in proposals)
    one = len(proposals) == 1
    return (
        f"{plural(len(proposals), 'fix')} from an earlier commit ({names}) still "
        f"{'applies and was' if one else 'apply and were'} tested again on {code(sha[:12])}.\n\n{marker}"
    )
