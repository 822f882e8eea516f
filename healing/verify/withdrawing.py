"""An author takes back a fix that was accepted: the branch is made of the others alone, and what needed it is judged
again."""

from healing.edits.exact import EditError, apply_edits
from healing.model import Candidate, Proposal
from healing.verify.verdict import Verdict, Withdrawal
from healing.verify.verifier import Verifier


async def withdraw(verifier: Verifier, fix_id: str, why: str, who: str) -> Withdrawal:
    """Takes an accepted fix out, in the turn of `who`. Fixes that do not go without it are put through everything
    again, each as it was handed in: none of them stays on the strength of a proof that was made with it."""
    gone, left_out = await verifier.branch.withdraw(who, fix_id)
    if gone is None:
        return Withdrawal(done=False, message="it is not among the accepted fixes any more")
    _note(verifier, gone, f"withdrawn by its author: {why}")
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
    """Puts a fix through everything again: on the branch as it is now where its edits apply there, else on what they
    were made on."""
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
    """The nearest to what was handed in where that is not known: judged as strictly as can be."""
    fields = proposal.model_dump(include=set(Candidate.model_fields))
    return Candidate.model_validate({**fields, "strict": True})
