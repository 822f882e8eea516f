"""Hidden marks in Heal's posts, by which it finds them again, so that nothing is posted twice."""

import re
from typing import NamedTuple

_PROPOSAL = re.compile(r"<!-- heal:v1 proposal=([0-9A-Za-z-]{1,64}) ")
_PART = re.compile(
    r"<!-- heal:v1 proposal=([0-9A-Za-z-]{1,64}) part=(\d{1,4})/(\d{1,4})(?: withdrawn=([0-9a-z-]{1,40}))? -->"
)

STICKY = "<!-- heal:v1 sticky -->"
CONFIG = "<!-- heal:v1 config -->"


def of_proposal(proposal_id: str, part: int, parts: int, withdrawn: str = "") -> str:
    """Mark of a suggestion's comment; `withdrawn` is the state of the fix once the suggestion was removed."""
    state = f" withdrawn={withdrawn}" if withdrawn else ""
    return f"<!-- heal:v1 proposal={proposal_id} part={part}/{parts}{state} -->"


def of_review(run_id: str, attempt: int, phase: str) -> str:
    """Mark of one phase's review."""
    return f"<!-- heal:v1 review run={run_id} attempt={attempt} phase={phase} -->"


def of_renewal(proposal_ids: tuple[str, ...], head_sha: str) -> str:
    """Mark of the review that offers fixes again on a new head, once."""
    return f"<!-- heal:v1 renewal proposal={','.join(proposal_ids)} head={head_sha} -->"


def of_answer(key: str) -> str:
    """Mark of the answer to one command."""
    return f"<!-- heal:v1 answer={key} -->"


def of_regression(proposal_id: str) -> str:
    """Mark of the comment that an applied fix may have broken something."""
    return f"<!-- heal:v1 aftermath={proposal_id} -->"


def of_fixup(branch: str) -> str:
    """Mark of a fixup pull request."""
    return f"<!-- heal:v1 fixup branch={branch} -->"


def of_fixup_state(branch: str) -> str:
    """Mark of the comment about the CI of a fixup pull request."""
    return f"<!-- heal:v1 fixup-state branch={branch} -->"


def of_ci_wait(sha: str) -> str:
    """Mark of the comment that CI did not start on a commit."""
    return f"<!-- heal:v1 ci-wait={sha} -->"


def proposal_in(body: str) -> str | None:
    """The id of the proposal that a suggestion's comment belongs to. Only for comments by Heal."""
    found = _PROPOSAL.search(body)
    return found.group(1) if found else None


class Part(NamedTuple):
    """Which part of which fix a comment holds."""

    proposal_id: str
    part: int
    parts: int


def part_in(body: str) -> Part | None:
    """The part of a fix that a suggestion's comment is for. Only for comments by Heal."""
    found = _PART.search(body)
    return Part(found.group(1), int(found.group(2)), int(found.group(3))) if found else None


def withdrawn_in(body: str) -> str | None:
    """The state of the fix whose suggestion was removed from this comment; None if the suggestion is still there."""
    found = _PART.search(body)
    return found.group(4) if found else None
