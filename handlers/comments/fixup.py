"""The texts of fixup pull requests and of Heal's commits."""

from handlers.comments import marks
from handlers.comments.clean import code, cut, joined, sentence
from handlers.comments.local import fetch_line
from handlers.comments.parts import (
    Errors,
    closer_look,
    evidence,
    headline,
    plural,
    short,
    standing,
    subject,
    title,
    what_broke,
)
from handlers.model import StoredProposal
from healing.model import Proposal


def fixup_title(proposals: tuple[Proposal, ...], target: str) -> str:
    """The title of a fixup pull request, as plain text."""
    one = _title(proposals[0]) if len(proposals) == 1 else f"fix: {plural(len(proposals), 'fix')} by Heal"
    return f"{one} (for {target})"[:200]


def _title(proposal: Proposal) -> str:
    tool = proposal.source.removeprefix("autofix:")
    return headline(proposal) if tool == proposal.source else f"chore: apply {tool}'s fixes"


def fixup_body(proposals: tuple[Proposal, ...], errors: Errors, branch: str, base_ref: str, sha: str) -> str:
    """The body of a fixup pull request: what it changes and how to use it."""
    many = len(proposals) > 1
    them = "them" if many else "it"
    return joined(
        [
            f"{plural(len(proposals), 'tested fix')} for {code(base_ref)}{', one commit each' if many else ''}, on top "
            f"of {code(sha[:12])}. Merge this pull request to apply {them}, close "
            f"it to reject {them}. Heal will request reviews once CI passes here.",
            f"To take {'these commits' if many else 'this commit'} onto your own branch: {code(fetch_line(branch))}",
            *(_section(proposal, errors) for proposal in proposals),
            marks.of_fixup(branch),
        ]
    )


def ci_green() -> str:
    """CI passes on the fixup pull request."""
    return "CI passes: ready for review."


def no_ci() -> str:
    """No CI ran on the fixup pull request."""
    return (
        "Ready for review. No CI ran on this pull request within 5 minutes; the proof is Heal's own test run, shown "
        "with each fix."
    )


def teams_not_asked(teams: tuple[str, ...], owner: str) -> str:
    """CODEOWNERS names these teams, and GitHub refused Heal's review requests to them."""
    named = ", ".join(code(f"{owner}/{team}", 200) for team in teams)
    return (
        f"No review was requested from {named}, though CODEOWNERS names {'it' if len(teams) == 1 else 'them'}. To "
        "request it, use *Reviewers* on this page. Heal can request teams if its GitHub App has the organization "
        "permission *Members: read* and the team has access to this repository."
    )


READY = "to mark this pull request as ready"


def not_ready(refused: str) -> str:
    """GitHub refused to mark the pull request as ready; `refused` is its reason."""
    return f"Ready for review: please mark it as ready by hand. {refused}"


def ci_red(sha: str, base_ref: str) -> str:
    """CI fails on the fixup pull request: why that may be. `base_ref` is the branch that its fixes are for."""
    return (
        f"CI fails on {code(sha[:12])}, so this pull request stays a draft and Heal requests no reviews. "
        f"{code(base_ref)} was already failing, so these may be errors that the fixes here don't cover; each fix above "
        "says which errors it fixes. When CI passes, Heal marks this pull request as ready. You can also mark it "
        "as ready yourself and merge it."
    )


def moved_on(number: int, branch: str) -> str:
    """None of its fixes is needed any more. `number` 0: the branch has no pull request."""
    below = f"#{number}" if number else code(branch)
    return f"Closed: {below} has changed, and none of these fixes is needed any more."


def target_closed(number: int) -> str:
    """The pull request that it is for was closed."""
    return f"Closed: pull request #{number} was closed."


def left(login: str, number: int) -> str:
    """Why a fix counts as rejected, as plain text."""
    return f"{login} closed fixup pull request #{number}"


def _section(proposal: Proposal, errors: Errors) -> str:
    look = f"{closer_look(proposal)}\n\n" if proposal.flags else ""
    needs = f"\n\nNeeds {', '.join(f'`{short(id_)}`' for id_ in proposal.needs)} first." if proposal.needs else ""
    return (
        f"#### `{short(proposal.id)}` {title(proposal)} · {standing(proposal)}\n\n"
        f"Fixes {what_broke(proposal, errors)}\n\n{sentence(proposal.explanation, 1000)}{needs}\n\n"
        f"{look}"
        f"{evidence(proposal, errors)}"
    )


def rollback_title(stored: tuple[StoredProposal, ...]) -> str:
    """Title of the pull request (or commit) that reverts fixes."""
    if len(stored) == 1:
        proposal = stored[0].proposal
        return cut(f"revert: {subject(proposal)}", 50) + f" (Heal's fix {short(proposal.id)})"
    return f"revert: Heal's fixes {', '.join(short(item.proposal.id) for item in stored)}"[:72]


def rollback_body(stored: tuple[StoredProposal, ...], by: str, branch: str) -> str:
    """Why there is a pull request instead of a commit."""
    rows = "\n".join(f"- `{short(item.proposal.id)}`: {title(item.proposal)}" for item in stored)
    below = (
        "fix below. Merge this pull request to revert it"
        if len(stored) == 1
        else "fixes below. Merge this pull request to revert them"
    )
    return joined(
        [
            f"{code(by)} asked to revert the {below}; Heal can't commit to the branch directly.",
            rows,
            marks.of_fixup(branch),
        ]
    )
