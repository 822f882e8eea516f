"""Asks for second opinions and applies them: one can only lower a verdict, never raise it.

Only fixes that a model was paid for are reviewed; free fixes stay free. An opinion alone never withholds a fix: it is
refused where both the opinion and Heal's own marks speak against it; otherwise a person sees the doubt.
"""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from healing.edits.exact import EditError
from healing.llm.asking import ask
from healing.llm.budget import Budget, BudgetSpent
from healing.llm.errors import ModelError, Unavailable
from healing.llm.prices import UnknownModel, cost
from healing.llm.protocol import Model
from healing.llm.retry import PATIENT, Retry
from healing.model import Candidate, CIError, NotChecked, Proposal, content_id
from healing.repair.agents.fences import new_nonce
from healing.repair.review.opinion import AGAINST, Opinion, UnreadableOpinion, opinion_of
from healing.repair.review.prompt import request_of
from healing.steps import Json, Steps
from healing.verify.refusing import CandidateUnfit
from healing.verify.second_opinion import Read

BY_A_MODEL = "agent:"
HASTY = replace(PATIENT, attempts=2, deadline=90.0, attempt_seconds=60.0)
REFUSED = "refused after a second opinion: a model that saw only the error and the change says"
Shown = Callable[[tuple[CIError, ...]], Awaitable[tuple[CIError, ...]]]


@dataclass
class Reviewer:
    """The second opinions of one run. `shown` gives errors as models may read them; `missing`, by fix: why there is
    none."""

    model: Model
    budget: Budget
    steps: Steps
    shown: Shown
    retry: Retry = HASTY
    missing: dict[str, str] = field(default_factory=dict)
    _unreachable: str = ""  # why the model could not be reached; if set, it is not asked again
    _known: dict[str, Opinion | None] = field(default_factory=dict)
    _gates: dict[str, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))

    async def reviewed(
        self, candidate: Candidate, proposal: Proposal, errors: tuple[CIError, ...], read: Read
    ) -> Proposal:
        """The proven proposal with its second opinion. `read` returns the files before the change, except those closed
        to models. Raises CandidateUnfit."""
        if not candidate.source.startswith(BY_A_MODEL) or proposal.second_opinion:
            return proposal
        key = content_id([edit.model_dump() for edit in proposal.edits], proposal.error_ids)
        dollars = 0.0
        async with self._gates[key]:
            if key not in self._known:
                self._known[key], dollars = await self._asked(key, proposal, errors, read)
        return _judged(proposal, self._known[key], candidate.strict, dollars)

    async def _asked(
        self, key: str, proposal: Proposal, errors: tuple[CIError, ...], read: Read
    ) -> tuple[Opinion | None, float]:
        """The opinion (None where there is none) and what it cost."""
        if self._unreachable:
            self.missing[key] = self._unreachable
            return None, 0.0
        errors = await self.shown(errors)
        dollars = 0.0
        try:
            for again in (False, True):
                request = request_of(self.model.name, proposal, errors, read, await self._nonce(key), again)
                turn = await ask(self.model, request, self.steps, self.budget, self.retry)
                dollars += cost(self.model.name, turn.usage)
                try:
                    return opinion_of(turn), dollars
                except UnreadableOpinion as unreadable:
                    self.missing[key] = str(unreadable)
                    if not unreadable.again:
                        break
        except (BudgetSpent, ModelError, UnknownModel, EditError) as error:
            self.missing[key] = str(error)
            self._unreachable = str(error) if isinstance(error, Unavailable) else ""
        return None, dollars

    async def _nonce(self, key: str) -> str:
        async def fresh() -> Json:
            return new_nonce()

        return str(await self.steps.run("fence", ["review", key], fresh))

    def remarks(self) -> tuple[NotChecked, ...]:
        """How many fixes got no second opinion, and why."""
        if not self.missing:
            return ()
        count = len(self.missing)
        why = "; ".join(dict.fromkeys(self.missing.values()))[:600]
        return (NotChecked(what=f"a second opinion on {count} fix{'es' * (count > 1)} of a model", why=why),)


def _judged(proposal: Proposal, opinion: Opinion | None, strict: bool, dollars: float) -> Proposal:
    """Applies an opinion to a proposal: a doubt becomes one more flag; without an opinion the flags stay as they
    are."""
    paid = proposal.dollars + dollars
    if opinion is None:
        return proposal.model_copy(update={"dollars": paid})
    if opinion.verdict in AGAINST and (proposal.flags or strict):
        raise CandidateUnfit(f"{REFUSED} “{opinion.verdict}”: {opinion.one_line_reason}{_marks(proposal)}")
    doubts = () if opinion.verdict == "fix" else (opinion.flag(),)
    update = {"second_opinion": opinion.verdict, "flags": (*proposal.flags, *doubts), "dollars": paid}
    return proposal.model_copy(update=update)


def _marks(proposal: Proposal) -> str:
    return f". Heal's own marks: {'; '.join(proposal.flags)[:600]}" if proposal.flags else ""
