"""Consensus: only edits that most candidates found independently are accepted, where a plausible fix can do harm."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from healing.model import Candidate, Edit, Proposal, Unfixable, content_id
from healing.repair.agents.fences import one_line
from healing.repair.agents.history import edits_text
from healing.repair.agents.profiles import Profile
from healing.repair.agents.strategies.attempt import Attempt, merged_result
from healing.repair.agents.task import AgentResult, AgentTask
from healing.verify.verdict import CandidateVerifier, Verdict, Withdrawal

Take = Callable[[Proposal], Awaitable[Verdict]]  # submits a proven fix
ASKED_AGAIN = (
    "Two agents worked on this apart, and did not find the same fix. Each fix below passes the checks. Hand in the one "
    "that is right, word for word, or another where none is."
)
ADVICE = "Choose one of them by hand, or retry with a hint that says which is right."


@dataclass
class ProofOnly:
    """A verifier that proves fixes without accepting them."""

    verifier: CandidateVerifier

    async def submit(self, candidate: Candidate) -> Verdict:
        """Proves the candidate."""
        return await self.verifier.prove(candidate)

    prove = submit

    async def fixed(self, ids: tuple[str, ...]) -> tuple[str, ...]:
        """Which of these errors are gone."""
        return await self.verifier.fixed(ids)

    async def withdraw(self, fix_id: str, why: str) -> Withdrawal:
        """Does nothing: no fix was accepted, so it is enough that its author no longer lists it."""
        del fix_id, why
        return Withdrawal(done=True)


async def run_consensus(task: AgentTask, candidates: Sequence[Profile], attempt: Attempt, take: Take) -> AgentResult:
    """Accepts what more than half of the candidates agree on; the rest become reports. Where two candidates disagree,
    the first is asked once more about what is open, and sees both fixes: two are enough as long as they agree, and a
    right fix isn't lost because the other wrote it differently. Raises what `attempt` raises."""
    async with asyncio.TaskGroup() as group:
        running = [
            group.create_task(attempt(task.model_copy(update={"profile": profile}), number, ProofOnly))
            for number, profile in enumerate(candidates)
        ]
    results = [attempt_task.result() for attempt_task in running]
    votes = _votes(results)
    if len(candidates) == 2 and (split := _split(task, votes)):
        findings = "\n\n".join(filter(None, (task.findings, _what_differs(votes, split))))
        retry_task = task.part(split).model_copy(update={"profile": candidates[0], "findings": findings})
        results.append(await attempt(retry_task, len(candidates), ProofOnly))
        votes = _votes(results)
    accepted: list[Proposal] = []
    for same in votes.values():
        if len(same) * 2 > len(candidates):
            verdict = await take(same[0])
            accepted += [verdict.proposal] if verdict.proposal else []
    reports = [result.model_copy(update={"proposals": ()}) for result in results]
    disagreed = AgentResult(proposals=tuple(accepted), unfixables=tuple(_disagreed(task, votes, accepted)))
    return merged_result(task, [*reports, disagreed])


def _votes(results: Sequence[AgentResult]) -> dict[str, list[Proposal]]:
    """All proven fixes, grouped by equal edits: one vote per candidate."""
    votes: dict[str, list[Proposal]] = defaultdict(list)
    for result in results:
        for key, proposal in {normalised(proposal.edits): proposal for proposal in result.proposals}.items():
            votes[key].append(proposal)
    return votes


def _split(task: AgentTask, votes: dict[str, list[Proposal]]) -> tuple[str, ...]:
    """The errors that only one of two candidates has a fix for, or for which the two differ."""
    agreed = {i for same in votes.values() if len(same) == 2 for i in same[0].error_ids}
    with_fix = {i for same in votes.values() for i in same[0].error_ids}
    return tuple(i for i in task.ids() if i in with_fix - agreed)


def _what_differs(votes: dict[str, list[Proposal]], split: tuple[str, ...]) -> str:
    """The edits of the proven fixes for these errors, without their authors' explanations."""
    fixes = [same[0] for same in votes.values() if set(same[0].error_ids) & set(split)]
    return "\n\n".join([ASKED_AGAIN, *(f"fix {n}:\n{edits_text(fix.edits)}" for n, fix in enumerate(fixes, 1))])


def _disagreed(task: AgentTask, votes: dict[str, list[Proposal]], taken: list[Proposal]) -> list[Unfixable]:
    """A report for each error that has proven fixes but no agreement on one."""
    fixed = {i for proposal in taken for i in proposal.error_ids}
    reports = []
    for error in task.ids():
        titles = [one_line(same[0].title, 120) for same in votes.values() if error in same[0].error_ids]
        if titles and error not in fixed:
            tried = "several agents by themselves; their proven fixes differ: " + "; ".join(titles)
            why = "only a fix on which most of them agree is taken for errors of this kind"
            name = "U" + content_id(error, "no-consensus", tried, length=12)
            reports.append(
                Unfixable(id=name, error_ids=(error,), reason="no-consensus", tried=tried, why=why, advice=ADVICE)
            )
    return reports


def normalised(edits: Sequence[Edit]) -> str:
    """A key that is the same for edits that differ only in spaces within lines, empty lines and order."""
    return content_id(sorted([edit.file, edit.kind, _bare(edit.old_string), _bare(edit.new_string)] for edit in edits))


def _bare(text: str) -> str:
    lines = (line for line in text.splitlines() if line.strip())
    return "\n".join(line[: len(line) - len(line.lstrip())] + " ".join(line.split()) for line in lines)
