"""The texts of fixup pull requests and of the commits that Heal makes (GH-5)."""

from handlers.comments import marks
from handlers.comments.clean import code, joined, sentence
from handlers.comments.local import fetch_line
from handlers.comments.parts import Errors, closer_look, evidence, headline, plural, short, standing, title, what_broke
from handlers.ports import StoredProposal
from healing.model import Proposal


def fixup_title(proposals: tuple[Proposal, ...], target: str) -> str:
    """Title of a fixup pull request: plain text."""
    one = headline(proposals[0]) if len(proposals) == 1 else f"fix: {plural(len(proposals), 'fix')} by Heal"
    return f"{one} (for {target})"[:200]


def fixup_body(proposals: tuple[Proposal, ...], errors: Errors, branch: str, base_ref: str, sha: str) -> str:
    """What it changes and why it is no suggestion."""
    return joined(
        [
            f"{plural(len(proposals), 'verified fix')} for {code(base_ref)}, one commit each, on top of "
            f"{code(sha[:12])}. They change what a "
            "suggested change on a page can't carry. Merge this pull request to take them, "
            "close it to leave them. Reviews are asked for once its own CI has passed.",
            f"To finish them by hand: {code(fetch_line(branch))}",
            *(_section(proposal, errors) for proposal in proposals),
            marks.of_fixup(branch),
        ]
    )


def ci_green() -> str:
    """Its CI was red and is green now."""
    return "CI is green here now, so this is ready."


def no_ci() -> str:
    """Nobody else judges it."""
    return (
        "No CI ran here within 5 minutes, so Heal's own validation decided: each fix above shows the commands that "
        "failed before it and pass with it. Ready for review."
    )


def teams_not_asked(teams: tuple[str, ...], owner: str) -> str:
    """CODEOWNERS names them, and GitHub let Heal ask none of them."""
    named = ", ".join(code(f"{owner}/{team}", 200) for team in teams)
    return (
        f"No review was requested from {named}, though CODEOWNERS names {'it' if len(teams) == 1 else 'them'}. To "
        "request it, use *Reviewers* on this page. Heal can ask teams where its GitHub App is granted the organization "
        "permission *Members: read* and the team has access to this repository."
    )


READY = "to mark this pull request as ready"


def not_ready(refused: str) -> str:
    """It could be ready; `refused` is what GitHub said to that."""
    return f"Ready for review: mark it as ready by hand. {refused}"


def ci_red(sha: str) -> str:
    """Its CI failed: it stays as it is, and why that may be."""
    return (
        f"CI is red here on {code(sha[:12])}, so this stays as it is and nobody is asked for a review. The branch "
        "below was red before, so this may be the rest of that and not these fixes: each shows what it cured. It "
        "becomes ready by itself when CI is green; a person may mark it ready or merge it before."
    )


def moved_on(number: int, branch: str) -> str:
    """Nothing in it is of use any more; `number` 0: the branch has no pull request."""
    below = f"#{number}" if number else code(branch)
    return f"Closed, because {below} has moved on: nothing is left in here that it could use."


def target_closed(number: int) -> str:
    """There is nothing to merge it into."""
    return f"Closed, because pull request #{number} was closed."


def left(login: str, number: int) -> str:
    """Why a fix counts as rejected: plain text."""
    return f"{login} closed fixup pull request #{number}"


def _section(proposal: Proposal, errors: Errors) -> str:
    look = f"{closer_look(proposal)}\n\n" if proposal.flags else ""
    needs = f"\n\nNeeds {', '.join(f'`{short(id_)}`' for id_ in proposal.needs)} first." if proposal.needs else ""
    return (
        f"#### `{short(proposal.id)}` {title(proposal)} ({standing(proposal)})\n\n"
        f"What broke: {what_broke(proposal, errors)}\n\n{sentence(proposal.explanation, 1000)}{needs}\n\n"
        f"{look}"
        f"{evidence(proposal)}"
    )


def rollback_title(stored: tuple[StoredProposal, ...]) -> str:
    """Title of the pull request (or commit) that takes fixes back."""
    return f"revert: take back {', '.join(short(item.proposal.id) for item in stored)} of Heal"[:72]


def rollback_body(stored: tuple[StoredProposal, ...], by: str, branch: str) -> str:
    """Why there is a pull request instead of a commit."""
    rows = "\n".join(f"- `{short(item.proposal.id)}`: {title(item.proposal)}" for item in stored)
    return joined(
        [
            f"{code(by)} asked to take these fixes back. The branch is protected, so it is a pull request:",
            rows,
            marks.of_fixup(branch),
        ]
    )
