"""Hidden marks in what we post: they find our own texts again, so that nothing is posted twice (GH-4)."""

import re

_PROPOSAL = re.compile(r"<!-- heal:v1 proposal=([0-9A-Za-z-]{1,64}) ")

STICKY = "<!-- heal:v1 sticky -->"
CONFIG = "<!-- heal:v1 config -->"


def of_proposal(proposal_id: str, part: int, parts: int) -> str:
    """Mark of one suggestion comment."""
    return f"<!-- heal:v1 proposal={proposal_id} part={part}/{parts} -->"


def of_review(run_id: str, attempt: int, phase: str) -> str:
    """Mark of one phase's review."""
    return f"<!-- heal:v1 review run={run_id} attempt={attempt} phase={phase} -->"


def of_renewal(proposal_ids: tuple[str, ...], head_sha: str) -> str:
    """Mark of the review that offers fixes again on a new head, once."""
    return f"<!-- heal:v1 renewal proposal={','.join(proposal_ids)} head={head_sha} -->"


def of_answer(key: str) -> str:
    """Mark of the answer to one command."""
    return f"<!-- heal:v1 answer={key} -->"


def of_aftermath(proposal_id: str) -> str:
    """Mark of the one comment that an applied fix may have broken something."""
    return f"<!-- heal:v1 aftermath={proposal_id} -->"


def of_fixup(branch: str) -> str:
    """Mark of a fixup pull request."""
    return f"<!-- heal:v1 fixup branch={branch} -->"


def of_fixup_state(branch: str) -> str:
    """Mark of the one comment on how a fixup pull request's own CI ended."""
    return f"<!-- heal:v1 fixup-state branch={branch} -->"


def proposal_in(body: str) -> str | None:
    """The proposal that a suggestion comment of ours belongs to. Ask only of comments that Heal wrote."""
    found = _PROPOSAL.search(body)
    return found.group(1) if found else None
