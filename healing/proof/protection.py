"""Nothing gets worse: each phase is compared with what was saved before it, and taken back where it harms."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from healing.checks.check import Check
from healing.model import CIError, Evidence, Proposal
from healing.proof.bisecting import keep_sound
from healing.proof.door import Door
from healing.proof.judging import Results, judge
from healing.proof.refusing import Refusal

JUMP = 1.5  # so many times the errors of before stop a phase
UNCHANGED = 2  # phases after each other that change nothing stop the work


@dataclass
class Protection:
    """The state before the phase that is at work. `stopped`: no further phase is worth it; `undone`: why, where a
    phase was taken back as a whole."""

    door: Door
    stopped: bool = False
    undone: str = ""
    unchanged: int = 0
    _tree: str = field(init=False)
    _accepted: tuple[Proposal, ...] = ()

    def __post_init__(self) -> None:
        self._save()

    def _save(self) -> None:
        self._tree, self._accepted = self.door.integration, tuple(self.door.accepted)

    async def settle(self) -> tuple[Proposal, ...]:
        """Ends a phase: runs the whole checks on the integration tree. Where something broke, it is
        looked by halves for the proposals that break it, and these are withdrawn and given back; where errors jumped,
        all are."""
        before = await self.door.results(self._tree)
        withdrawn: tuple[Proposal, ...] = ()
        if not await self._sound(before, self.door.integration):
            kept = [] if await self._jumped(before) else await self._bisected(before)
            withdrawn = await self._keep([*self._accepted, *kept])
        self._save()
        return withdrawn

    async def _sound(self, before: Results, tree: str) -> bool:
        try:
            return judge(before, await self.door.results(tree), ()).harmless
        except Refusal:  # it no longer merges with its base
            return False

    async def _jumped(self, before: Results) -> bool:
        """Whether there are so many more errors that looking for the culprit is not worth it."""
        after = await self.door.results(self.door.integration)
        revealed = len(judge(before, after, ()).revealed)
        had, has = (sum(len(result.errors) for result in results.values()) for results in (before, after))
        if has - revealed <= had * JUMP:
            return False
        self.stopped = True
        self.undone = f"a phase brought {has - revealed} errors where there were {had}; it was undone as a whole"
        return True

    async def _bisected(self, before: Results) -> list[Proposal]:
        """The phase's proposals that break nothing, one on top of the other."""
        known = {p.id for p in self._accepted}

        async def sound(proposals: Sequence[Proposal]) -> bool:
            tree, there = self._tree, set(known)
            for proposal in proposals:
                after = self.door.branch.would_be(tree, proposal) if set(proposal.needs) <= there else None
                if after is None:
                    return False
                tree = after
                there.add(proposal.id)
            return await self._sound(before, tree)

        return await keep_sound([p for p in self.door.accepted if p.id not in known], sound)

    async def _keep(self, kept: list[Proposal]) -> tuple[Proposal, ...]:
        had = list(self.door.accepted)
        await self.door.branch.again(kept)
        stays = {p.id for p in self.door.accepted}
        withdrawn = tuple(p for p in had if p.id not in stays)
        self.door.prevented += len(withdrawn)
        return withdrawn

    def goes_on(self, before: tuple[CIError, ...], after: tuple[CIError, ...]) -> bool:
        """Whether a further phase is worth it, after one that left `after` of the errors `before`."""
        same = {e.id for e in before} == {e.id for e in after}
        self.unchanged = self.unchanged + 1 if same else 0
        self.stopped = self.stopped or self.unchanged >= UNCHANGED
        return not self.stopped

    async def together(self) -> None:
        """Adds to proposals whose command stays red alone what it says with all proposals: exit code 0, or not."""
        self.door.branch.accepted = [await self._with_the_others(proposal) for proposal in self.door.accepted]

    async def _with_the_others(self, proposal: Proposal) -> Proposal:
        built = await self.door.built(self.door.integration)
        added: list[Evidence] = []
        for evidence in proposal.evidence:
            if evidence.after_exit != 0 and evidence.after_tree != built:
                check = Check.model_validate(evidence.check)
                shown = await self.door.shown(check, evidence.before_tree, built, 1)
                note = shown.note or "together with the other proposals"
                added.append(shown.model_copy(update={"note": note, "alone": False}))
        every = [*proposal.evidence, *(e for e in added if e.after_exit == 0)]
        every.sort(key=lambda e: (e.after_exit != 0, not e.alone))  # what is green first: people read the first line
        return proposal.model_copy(update={"evidence": tuple(every)})
