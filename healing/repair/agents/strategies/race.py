"""All at once: the first fix that is proven for an error wins it, and when everything is won the others are ended."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from healing.model import Candidate, Proposal
from healing.repair.agents.profiles import Profile
from healing.repair.agents.strategies.attempt import Attempt, together
from healing.repair.agents.task import AgentResult, AgentTask
from healing.verify.verdict import CandidateVerifier, Verdict, Withdrawal


@dataclass
class Race:
    """Who won what so far."""

    ids: frozenset[str]
    proposals: list[Proposal] = field(default_factory=list)
    over: asyncio.Event = field(default_factory=asyncio.Event)

    def won(self) -> set[str]:
        """The errors that are fixed."""
        return {i for proposal in self.proposals for i in proposal.error_ids}

    def take(self, proposal: Proposal) -> None:
        """Notes a proven fix."""
        self.proposals.append(proposal)
        if self.ids <= self.won():
            self.over.set()

    def lose(self, fix_id: str, withdrawal: Withdrawal) -> None:
        """Notes that a fix was withdrawn, with what became of others by that."""
        stay = [one for one in self.proposals if one.id != fix_id and one.id not in withdrawal.dropped]
        self.proposals = [withdrawal.replaced.get(one.id, one) for one in stay]


@dataclass
class Lane:
    """The verifier of one runner; `busy` while a fix goes through it, which nothing may interrupt."""

    race: Race
    verifier: CandidateVerifier
    busy: asyncio.Lock

    async def submit(self, candidate: Candidate) -> Verdict:
        """Submits what is not won yet."""
        async with self.busy:
            if set(candidate.error_ids) <= self.race.won():
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
        gone = {*await self.verifier.fixed(ids), *self.race.won()}
        return tuple(i for i in ids if i in gone)

    async def withdraw(self, fix_id: str, why: str) -> Withdrawal:
        """Takes back what was won, unless the race is over."""
        async with self.busy:
            if self.race.over.is_set():
                return Withdrawal(done=False, message="all of these errors are fixed, and the work on them is over")
            done = await self.verifier.withdraw(fix_id, why)
            if done.done:
                self.race.lose(fix_id, done)
            return done


async def race(task: AgentTask, candidates: Sequence[Profile], attempt: Attempt) -> AgentResult:
    """Everybody's results as one. Raises what `attempt` raises, and ends the others then."""
    track = Race(frozenset(task.ids()))
    locks = [asyncio.Lock() for _ in candidates]

    async def one(number: int, profile: Profile) -> AgentResult:
        mine = task.model_copy(update={"profile": profile})
        return await attempt(mine, number, lambda verifier: Lane(track, verifier, locks[number]))

    async with asyncio.TaskGroup() as group:
        runners = [group.create_task(one(number, profile)) for number, profile in enumerate(candidates)]
        ending = group.create_task(_end(track, runners, locks))
        await asyncio.wait(runners)
        ending.cancel()
    ended = [runner.result() for runner in runners if not runner.cancelled()]
    return together(task, [*ended, AgentResult(proposals=tuple(track.proposals), unfixables=())])


async def _end(track: Race, runners: list["asyncio.Task[AgentResult]"], locks: list[asyncio.Lock]) -> None:
    """Ends who still runs when everything is won, but never while a fix of theirs goes through the verifier."""
    await track.over.wait()
    for runner, busy in zip(runners, locks, strict=True):
        async with busy:
            runner.cancel()
