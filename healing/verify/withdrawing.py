"""Withdraws an accepted fix at its author's request: the branch is rebuilt from the others, and fixes that depended on
it are judged again."""

from healing.edits.exact import EditError, apply_edits
from healing.model import Candidate, Proposal
from healing.verify.verdict import Verdict, Withdrawal
from healing.verify.verifier import Verifier


async def withdraw(verifier: Verifier, fix_id: str, why: str, who: str) -> Withdrawal:
    """Withdraws an accepted fix when it is the turn of `who` in the queue. Fixes that don't apply without it are
    verified again, each as it was submitted: none is kept on the strength of a proof that was made with it."""
    withdrawn, left_out = await verifier.branch.withdraw(who, fix_id)
    if withdrawn is None:
        return Withdrawal(done=False, message="it is not among the accepted fixes any more")
    _note(verifier, withdrawn, f"withdrawn by its author: {why}")
    replaced: dict[str, Proposal] = {}
    dropped: dict[str, str] = {}
    for proposal in left_out:
        verdict = await _again(verifier, proposal)
        if verdict.proposal is not None:
            replaced[proposal.id] = verdict.proposal
        else:
            dropped[proposal.id] = f"it does not hold without {fix_id}: {verdict.message}"
            _note(verifier, proposal, f"dropped: its author withdrew {fix_id}, and without that {verdict.message}")
    return Withdrawal(done=True, replaced=replaced, dropped=dropped)


async def _again(verifier: Verifier, proposal: Proposal) -> Verdict:
    """Verifies a fix again: on the branch as it is now if its edits apply there, otherwise on the tree they were made
    on."""
    candidate, on = verifier.handed_in.get(proposal.id) or (_as_handed_in(proposal), proposal.base_tree)
    try:
        apply_edits(candidate.edits, verifier.git.view(verifier.integration).read)
    except EditError:
        return await verifier.submit(candidate, on=on)
    return await verifier.submit(candidate)


def _note(verifier: Verifier, proposal: Proposal, why: str) -> None:
    verifier.withdrawn.append((proposal, why))
    verifier.refused.append((_as_handed_in(proposal), why))
    verifier.fixed_by = {error: by for error, by in verifier.fixed_by.items() if by != proposal.id}


def _as_handed_in(proposal: Proposal) -> Candidate:
    """The closest candidate to what was submitted, if that isn't known: judged strictly."""
    fields = proposal.model_dump(include=set(Candidate.model_fields))
    return Candidate.model_validate({**fields, "strict": True})
