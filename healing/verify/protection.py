"""Nothing gets worse: each phase is compared with what was saved before it, and taken back where it harms."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from healing.checks.check import Check
from healing.model import CIError, Evidence, Proposal
from healing.verify.judging import Results, judge
from healing.verify.refusing import Refusal
from healing.verify.verifier import Verifier

JUMP = 1.5  # so many times the errors of before stop a phase
UNCHANGED = 2  # phases after each other that change nothing stop the work


# Finds which of several things break the whole when taken together, with few looks at the whole.
T = TypeVar("T")
Sound = Callable[[Sequence[T]], Awaitable[bool]]


async def keep_sound(items: Sequence[T], sound: Sound[T]) -> list[T]:
    """The items, in their order, without those that break what came before them: what is given back was seen to be
    sound, unless it is empty. An item is left out only where it was seen that what is kept breaks with it.

    Each look is at what was kept so far and some of the next. n items of which k are left out take at most
    1 + k × (2 + log2 n) looks."""
    kept: list[T] = []
    left = list(items)
    while left and not await sound([*kept, *left]):
        good, bad = 0, len(left)  # with so many of the next it is sound, with so many it isn't
        while bad - good > 1:
            middle = (good + bad) // 2
            if await sound([*kept, *left[:middle]]):
                good = middle
            else:
                bad = middle
        kept += left[:good]
        left = left[bad:]
    return [*kept, *left]


@dataclass
class Protection:
    """The state before the phase that is at work. `stopped`: no further phase is worth it; `undone`: why, where a
    phase was taken back as a whole."""

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
        """Ends a phase: runs the whole checks on the integration tree. Where something broke, it is
        looked by halves for the proposals that break it, and these are withdrawn and given back; where errors jumped,
        all are."""
        before = await self.verifier.results(self._tree)
        withdrawn: tuple[Proposal, ...] = ()
        if not await self._sound(before, self.verifier.integration):
            kept = [] if await self._jumped(before) else await self._bisected(before)
            withdrawn = await self._keep([*self._accepted, *kept])
        self._save()
        return withdrawn

    async def _sound(self, before: Results, tree: str) -> bool:
        try:
            return judge(before, await self.verifier.results(tree), ()).harmless
        except Refusal:  # it no longer merges with its base
            return False

    async def _jumped(self, before: Results) -> bool:
        """Whether there are so many more errors that looking for the culprit is not worth it."""
        after = await self.verifier.results(self.verifier.integration)
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
                after = self.verifier.branch.would_be(tree, proposal) if set(proposal.needs) <= there else None
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
        """Whether a further phase is worth it, after one that left `after` of the errors `before`."""
        same = {e.id for e in before} == {e.id for e in after}
        self.unchanged = self.unchanged + 1 if same else 0
        self.stopped = self.stopped or self.unchanged >= UNCHANGED
        return not self.stopped

    async def together(self) -> None:
        """Adds to proposals whose command stays red alone what it says with all proposals: exit code 0, or not."""
        self.verifier.branch.accepted = [await self._with_the_others(proposal) for proposal in self.verifier.accepted]

    async def _with_the_others(self, proposal: Proposal) -> Proposal:
        built = await self.verifier.built(self.verifier.integration)
        added: list[Evidence] = []
        for evidence in proposal.evidence:
            if evidence.after_exit != 0 and evidence.after_tree != built:
                check = Check.model_validate(evidence.check)
                shown = await self.verifier.shown(check, evidence.before_tree, built, 1)
                note = shown.note or "together with the other proposals"
                added.append(shown.model_copy(update={"note": note, "alone": False}))
        every = [*proposal.evidence, *(e for e in added if e.after_exit == 0)]
        every.sort(key=lambda e: (e.after_exit != 0, not e.alone))  # what is green first: people read the first line
        return proposal.model_copy(update={"evidence": tuple(every)})
