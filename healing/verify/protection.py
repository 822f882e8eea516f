"""Protects a run from getting worse: each phase is compared with the state saved before it, and undone if it does
harm."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from healing.checks.check import Check
from healing.model import CIError, Evidence, Proposal
from healing.verify.judging import Results, judge
from healing.verify.refusing import Refusal
from healing.verify.verifier import Verifier

TOGETHER = "together with the other fixes"  # what a check needs that stays red with one fix alone
JUMP = 1.5  # more than this many times the errors of before stop a run
UNCHANGED = 2  # this many phases in a row that change nothing stop a run


# Finds which of several items break the whole, in few evaluations of the whole.
T = TypeVar("T")
Sound = Callable[[Sequence[T]], Awaitable[bool]]


async def keep_sound(items: Sequence[T], sound: Sound[T]) -> list[T]:
    """The items, in their order, without those that break what came before them. The result was evaluated as sound,
    unless it is empty; an item is left out only if evaluating it with what is kept failed.

    Each evaluation covers what was kept so far and some of the next. With n items of which k are left out there are at
    most 1 + k × (2 + log2 n) evaluations.
    """
    kept: list[T] = []
    remaining = list(items)
    while remaining and not await sound([*kept, *remaining]):
        good, bad = 0, len(remaining)  # sound with `good` of the next items, not with `bad`
        while bad - good > 1:
            middle = (good + bad) // 2
            if await sound([*kept, *remaining[:middle]]):
                good = middle
            else:
                bad = middle
        kept += remaining[:good]
        remaining = remaining[bad:]
    return [*kept, *remaining]


@dataclass
class Protection:
    """The state before the current phase. `stopped`: no further phase is worth running; `undone`: why a phase was
    undone as a whole."""

    verifier: Verifier
    stopped: bool = False
    undone: str = ""
    unchanged: int = 0
    _tree: str = field(init=False)
    _accepted: tuple[Proposal, ...] = ()

    def __post_init__(self) -> None:
        self._save()

    def _save(self) -> None:
        self._tree, self._accepted = self.verifier.integration, tuple(self.verifier.accepted)

    async def settle(self) -> tuple[Proposal, ...]:
        """Ends a phase: runs the whole checks on the integration tree. If something broke, the proposals that break it
        are found by bisection, withdrawn and returned; if the number of errors jumped, all of the phase's proposals
        are."""
        before = await self.verifier.results(self._tree)
        withdrawn: tuple[Proposal, ...] = ()
        if not await self._sound(before, self.verifier.integration):
            kept = [] if await self._jumped(before) else await self._bisected(before)
            withdrawn = await self._keep([*self._accepted, *kept])
        self._save()
        return withdrawn

    async def _sound(self, before: Results, tree: str) -> bool:
        try:
            return judge(before, await self.verifier.results(tree), (), self.verifier.unreached).harmless
        except Refusal:  # it no longer merges with its base
            return False

    async def _jumped(self, before: Results) -> bool:
        """Whether there are so many more errors that searching for the culprit is not worth it."""
        after = await self.verifier.results(self.verifier.integration)
        revealed = len(judge(before, after, (), self.verifier.unreached).revealed)
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
                after = self.verifier.branch.merged_into(tree, proposal) if set(proposal.needs) <= there else None
                if after is None:
                    return False
                tree = after
                there.add(proposal.id)
            return await self._sound(before, tree)

        return await keep_sound([p for p in self.verifier.accepted if p.id not in known], sound)

    async def _keep(self, kept: list[Proposal]) -> tuple[Proposal, ...]:
        had = list(self.verifier.accepted)
        await self.verifier.branch.again(kept)
        stays = {p.id for p in self.verifier.accepted}
        withdrawn = tuple(p for p in had if p.id not in stays)
        self.verifier.prevented += len(withdrawn)
        return withdrawn

    def goes_on(self, before: tuple[CIError, ...], after: tuple[CIError, ...]) -> bool:
        """Whether another phase is worth running, after one that left `after` of the errors `before`."""
        same = {e.id for e in before} == {e.id for e in after}
        self.unchanged = self.unchanged + 1 if same else 0
        self.stopped = self.stopped or self.unchanged >= UNCHANGED
        return not self.stopped

    async def check_all_together(self) -> None:
        """Adds, to proposals whose command stays red with them alone, evidence with all proposals together if it is
        green then."""
        self.verifier.branch.accepted = [await self._with_the_others(proposal) for proposal in self.verifier.accepted]

    async def _with_the_others(self, proposal: Proposal) -> Proposal:
        built = await self.verifier.built(self.verifier.integration)
        added: list[Evidence] = []
        for evidence in proposal.evidence:
            if evidence.after_exit != 0 and evidence.after_tree != built:
                check = Check.model_validate(evidence.check)
                shown = await self.verifier.shown(check, evidence.before_tree, built, 1)
                note = f"{TOGETHER}; {shown.note}" if shown.note else TOGETHER
                added.append(shown.model_copy(update={"note": note, "alone": False}))
        every = [*proposal.evidence, *(e for e in added if e.after_exit == 0)]
        every.sort(key=lambda e: (e.after_exit != 0, not e.alone))  # green evidence first: people read the first line
        return proposal.model_copy(update={"evidence": tuple(every)})
