"""The verifier's verdict on a candidate, and the interface through which candidates are submitted."""

from collections.abc import Mapping
from typing import Literal, Protocol

from pydantic import model_validator

from healing.model import Candidate, CIError, Frozen, Proposal


class Verdict(Frozen):
    """The verifier's answer to a candidate: `accepted` with the proposal that it proved, or the reason against it in
    `message`. `merged`: it is in the run's branch, not only proven. `conflict`: it conflicts with what was accepted
    meanwhile; it may be made `again` on that, or it is `over`. `left`: its errors as they are after the edits, if these
    were tried, `still` what they reported, and `new` those that were not there before; `worse`: there were then more
    errors by over a half. `already_fixed`: accepted fixes have fixed these errors, and it would add nothing. Where
    files of the repository are closed to models, it holds nothing that a check printed."""

    accepted: bool
    proposal: Proposal | None = None
    message: str = ""
    conflict: Literal["", "again", "over"] = ""
    still: tuple[str, ...] = ()
    left: tuple[CIError, ...] = ()
    new: tuple[CIError, ...] = ()
    worse: bool = False
    already_fixed: bool = False
    merged: bool = False

    @model_validator(mode="after")
    def _proven(self) -> "Verdict":
        if self.accepted != (self.proposal is not None):
            raise ValueError("a verdict is accepted with its proposal, or refused without one")
        return self


class Withdrawal(Frozen):
    """The result of an author's request to revert a fix; `message` says why it was not `done`. Of the other fixes that
    depended on it, `replaced` has those that were proven again without it, by their former ids, and `dropped` the rest,
    with the reasons."""

    done: bool
    message: str = ""
    replaced: Mapping[str, Proposal] = {}
    dropped: Mapping[str, str] = {}


class CandidateVerifier(Protocol):
    """The interface through which every fix passes. It answers the same on a replay: what it runs are durable steps."""

    async def submit(self, candidate: Candidate) -> Verdict:
        """Judges the candidate's edits on a clean tree of the base, and merges them if they pass."""
        ...

    async def prove(self, candidate: Candidate) -> Verdict:
        """Judges a candidate as `submit` does, but doesn't merge it."""
        ...

    async def fixed(self, ids: tuple[str, ...]) -> tuple[str, ...]:
        """Which of these errors are gone by now, with everything that is accepted. Unlike a verdict, the answer may
        differ when the run is resumed."""
        ...

    async def withdraw(self, fix_id: str, why: str) -> Withdrawal:
        """Withdraws a fix that was accepted here: the branch is then as if it had never been merged."""
        ...
