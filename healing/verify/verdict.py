"""The answer of the proof to a candidate, and the interface through which candidates are handed in."""

from typing import Literal, Protocol

from pydantic import model_validator

from healing.model import Candidate, Frozen, Proposal


class Verdict(Frozen):
    """The verifier's answer to a candidate: `accepted` with the proposal that it proved, or why not in `message`;
    `merged`: the run's branch holds it, it was not only proven.
    `conflict`: it does not go together with what was accepted meanwhile; it may be made `again` on that, or is `over`.
    `still` is what the errors reported after the edits, where they were tried; `worse`: there were more errors by over
    a half then. `already_fixed`: accepted fixes have fixed these errors, and it would add nothing. Nothing in it
    is what a check printed where files of the repository are closed to models."""

    accepted: bool
    proposal: Proposal | None = None
    message: str = ""
    conflict: Literal["", "again", "over"] = ""
    still: tuple[str, ...] = ()
    worse: bool = False
    already_fixed: bool = False
    merged: bool = False

    @model_validator(mode="after")
    def _proven(self) -> "Verdict":
        if self.accepted != (self.proposal is not None):
            raise ValueError("a verdict is accepted with its proposal, or refused without one")
        return self


class CandidateVerifier(Protocol):
    """The one way out for every fix. Answers the same on a replay: what it runs are durable steps."""

    async def submit(self, candidate: Candidate) -> Verdict:
        """Judges the candidate's edits on a clean tree of the base, and takes them in where they hold."""
        ...

    async def prove(self, candidate: Candidate) -> Verdict:
        """Judges as `submit` does, and takes nothing in."""
        ...

    async def fixed(self, ids: tuple[str, ...]) -> tuple[str, ...]:
        """Which of these errors are gone by now, with everything that is accepted. Unlike a verdict it may say
        something else in a further life of the run."""
        ...
