"""One door for every fix: apply → parse → guard → narrow check → whole checks → alone on the bare head → merge.

Autofix, fixers, memory and agents all hand in a Candidate; the verdict is computed here from bytes and exit codes
(CK-3). What is accepted is merged first come, first served, into the run's integration tree.
"""

import asyncio
from dataclasses import dataclass, field
from typing import Literal

from healing.agents.workspace import Verdict
from healing.edits import EditError, edits_between, widen
from healing.guard import flags
from healing.model import Candidate, CIError, Proposal, content_id
from healing.proof.applying import AUTOFIX, applied
from healing.proof.fixed_again import fixed_again
from healing.proof.judging import identity, judge
from healing.proof.looking import Looking
from healing.proof.refusing import Harmful, Refusal
from healing.queue.integration import Conflicting, Integration
from healing.queue.refusal import Refusal as QueueRefusal


@dataclass
class Door(Looking):
    """The door of one run."""

    refused: list[tuple[Candidate, str]] = field(default_factory=list)
    prevented: int = 0  # candidates that were refused, or withdrawn, because they broke something

    def __post_init__(self) -> None:
        self.branch = Integration(self.git, self.trees.head, self.checker.steps)

    @property
    def integration(self) -> str:
        """The head's tree with everything that was accepted merged into it."""
        return self.branch.tree

    @property
    def accepted(self) -> list[Proposal]:
        """What was accepted, in the order of its merges."""
        return self.branch.accepted

    async def prove(self, candidate: Candidate, on: str | None = None) -> Verdict:
        """Judges as `submit` does, and takes nothing in."""
        return await self._judged(candidate, on, None)

    async def submit(self, candidate: Candidate, on: str | None = None, who: str = "") -> Verdict:
        """Puts a candidate whose edits apply to tree `on` (default: the integration tree) through everything. `who`
        can solve a conflict and hand in again."""
        return await self._judged(candidate, on, who)

    async def _judged(self, candidate: Candidate, on: str | None, who: str | None) -> Verdict:
        try:
            proposal = await self._prove(candidate, on or self.integration)
            if who is not None:
                await self._merge(proposal, who)
        except Conflicting as conflict:
            return self._refused(candidate, str(conflict), "over" if conflict.over or not who else "again")
        except (Refusal, EditError, QueueRefusal) as refusal:
            self.prevented += isinstance(refusal, Harmful)
            self._refused(candidate, str(refusal))
            still, worse = (refusal.still, refusal.worse) if isinstance(refusal, Refusal) else ((), False)
            return Verdict(accepted=False, message=str(refusal), still=still, worse=worse)
        return Verdict(accepted=True, proposal=proposal, message="accepted: verified")

    def _refused(self, candidate: Candidate, why: str, conflict: Literal["", "again", "over"] = "") -> Verdict:
        self.refused.append((candidate, why))
        return Verdict(accepted=False, message=why, conflict=conflict)

    async def _merge(self, proposal: Proposal, who: str) -> None:
        """Into the integration branch; what shows there that it does not hold together with the others is taken out
        again (MQ-3)."""
        try:
            await self.branch.merge(who or f"one-{proposal.id}", proposal)
        except Conflicting:
            if not who:
                await self.branch.leave(f"one-{proposal.id}")
            raise
        broken = await self._broken_by_others(proposal)
        if broken and any(p.id == proposal.id for p in self.accepted):
            await self.branch.again([p for p in self.accepted if p.id != proposal.id])
            raise Harmful(f"together with what was accepted before it breaks something: {broken}")

    async def _broken_by_others(self, proposal: Proposal) -> str:
        """What the proposal's narrowed checks say against the integration tree, and not against its own (empty:
        nothing)."""
        own, tree = proposal.evidence[0].after_tree, await self.built(self.integration)
        for check in self.narrowed(self.errors[i] for i in proposal.error_ids):
            alone, together = await self.checker.run(check, own), await self.checker.run(check, tree)
            judgement = judge({check.key: alone}, {check.key: together}, ())
            if not judgement.harmless:
                return judgement.text()
        return ""

    async def _prove(self, candidate: Candidate, on: str) -> Proposal:
        targets = [self.errors[i] for i in candidate.error_ids if i in self.errors]
        if not targets:
            raise Refusal("it names no error of this run")
        tree = await asyncio.to_thread(applied, self.git, candidate, on, tuple(targets))
        head = self.trees.head
        bare = tree if on == head else (await asyncio.to_thread(self.git.merge, on, tree, head)).tree
        known = await self._on_head(targets)
        if bare is not None and bare != head and known:
            try:
                return await self._proposal(candidate, known, head, bare, ())
            except Refusal:
                if on == head:
                    raise
        needs = tuple(p.id for p in self.accepted)
        if not needs:
            raise Refusal("it does not stand alone on the head of the branch")
        return await self._proposal(candidate, targets, on, tree, needs)

    async def _on_head(self, targets: list[CIError]) -> list[CIError]:
        """The targets that the bare head shows; the others were only revealed by fixes that were accepted before."""
        marks = {identity(e) for r in (await self.results(self.trees.head)).values() for e in r.errors}
        return [e for e in targets if identity(e) in marks]

    async def _proposal(
        self,
        candidate: Candidate,
        targets: list[CIError],
        base: str,
        tree: str,
        needs: tuple[str, ...],
    ) -> Proposal:
        taken = frozenset(i for p in self.accepted for i in p.error_ids)
        targets = await self.cured(base, tree, targets, candidate.strict, taken)
        view = self.git.view(base)
        changed = await asyncio.to_thread(self.git.changed, base, tree)
        edits = tuple(
            edit
            for path, (old, new) in sorted(changed.items())
            for edit in edits_between(path, old, new, view.mode(path) or "100644")
        )
        widened = widen(edits, view.read)
        found = flags(changed, tuple(targets), view.read, by_tool=candidate.source.startswith(AUTOFIX))
        return Proposal(
            id=content_id(candidate.source, [e.model_dump() for e in edits], length=12),
            source=candidate.source,
            phase=candidate.phase,
            title=candidate.title,
            explanation=candidate.explanation,
            confidence=candidate.confidence,
            error_ids=tuple(dict.fromkeys(e.id for e in targets)),
            edits=edits,
            wide=widened.wide,
            reverse=widened.reverse,
            evidence=await self.evidence(targets, base, tree, candidate.strict),
            base_tree=base,
            flags=tuple(dict.fromkeys((*candidate.flags, *found, *fixed_again(edits, self.accepted, view.read)))),
            needs=needs,
            dollars=candidate.dollars,
        )
