"""All candidates at once: the first proven fix for an error wins, and once all errors are won the others are ended."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from healing.model import Candidate, Proposal
from healing.repair.agents.profiles import Profile
from healing.repair.agents.strategies.attempt import Attempt, merged_result
from healing.repair.agents.task import AgentResult, AgentTask
from healing.verify.verdict import CandidateVerifier, Verdict, Withdrawal


@dataclass
class Race:
    """The fixes that have won so far."""

    ids: frozenset[str]
    proposals: list[Proposal] = field(default_factory=list)
    over: asyncio.Event = field(default_factory=asyncio.Event)

    def fixed_ids(self) -> set[str]:
        """The errors that are fixed."""
        return {i for proposal in self.proposals for i in proposal.error_ids}

    def take(self, proposal: Proposal) -> None:
        """Records a proven fix."""
        self.proposals.append(proposal)
        if self.ids <= self.fixed_ids():
            self.over.set()

    def lose(self, fix_id: str, withdrawal: Withdrawal) -> None:
        """Records that a fix was withdrawn, with the effect on others."""
        kept = [
            proposal for proposal in self.proposals if proposal.id != fix_id and proposal.id not in withdrawal.dropped
        ]
        self.proposals = [withdrawal.replaced.get(proposal.id, proposal) for proposal in kept]


@dataclass
class RunnerVerifier:
    """The verifier of one runner. It holds `busy` while a fix is submitted, which must not be interrupted."""

    race: Race
    verifier: CandidateVerifier
    busy: asyncio.Lock

    async def submit(self, candidate: Candidate) -> Verdict:
        """Submits a fix unless all of its errors are won already."""
        async with self.busy:
            if set(candidate.error_ids) <= self.race.fixed_ids():
                return Verdict(accepted=False, message="another agent was faster: it is fixed", conflict="over")
            verdict = await self.verifier.submit(candidate)
            if verdict.proposal is not None:
                self.race.take(verdict.proposal)
            return verdict

    async def prove(self, candidate: Candidate) -> Verdict:
        """Proves without taking part in the race."""
        return await self.verifier.prove(candidate)

    async def fixed(self, ids: tuple[str, ...]) -> tuple[str, ...]:
        """Which of these errors are gone, or won by another runner."""
        gone = {*await self.verifier.fixed(ids), *self.race.fixed_ids()}
        return tuple(i for i in ids if i in gone)

    async def withdraw(self, fix_id: str, why: str) -> Withdrawal:
        """Withdraws a fix, unless the race is over."""
        async with self.busy:
            if self.race.over.is_set():
                return Withdrawal(done=False, message="all of these errors are fixed, and the work on them is over")
            withdrawal = await self.verifier.withdraw(fix_id, why)
            if withdrawal.done:
                self.race.lose(fix_id, withdrawal)
            return withdrawal


async def race(task: AgentTask, candidates: Sequence[Profile], attempt: Attempt) -> AgentResult:
    """The combined results of all candidates. Raises what `attempt` raises, and ends the others then."""
    track = Race(frozenset(task.ids()))
    locks = [asyncio.Lock() for _ in candidates]

    async def run_candidate(number: int, profile: Profile) -> AgentResult:
        own_task = task.model_copy(update={"profile": profile})
        return await attempt(own_task, number, lambda verifier: RunnerVerifier(track, verifier, locks[number]))

    async with asyncio.TaskGroup() as group:
        runners = [group.create_task(run_candidate(number, profile)) for number, profile in enumerate(candidates)]
        ending = group.create_task(_end(track, runners, locks))
        await asyncio.wait(runners)
        ending.cancel()
    results = [runner.result() for runner in runners if not runner.cancelled()]
    return merged_result(task, [*results, AgentResult(proposals=tuple(track.proposals), unfixables=())])


async def _end(track: Race, runners: list["asyncio.Task[AgentResult]"], locks: list[asyncio.Lock]) -> None:
    """Cancels the remaining runners when all errors are won, but never while a fix of theirs is being submitted."""
    await track.over.wait()
    for runner, busy in zip(runners, locks, strict=True):
        async with busy:
            runner.cancel()
