"""The parts that strategies share: an attempt by one specialist, and combining several results."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Protocol

from healing.model import Unfixable
from healing.repair.agents.task import AgentResult, AgentTask
from healing.verify.verdict import CandidateVerifier

Wrap = Callable[[CandidateVerifier], CandidateVerifier]  # wraps the verifier that an agent gets


class Attempt(Protocol):
    """Runs one specialist on (a part of) the cluster in its own worktree, from what is accepted now. `number` counts
    the attempts. An exception in an attempt becomes a result like others."""

    async def __call__(self, task: AgentTask, number: int, wrap: Wrap) -> AgentResult: ...


def unwrapped(verifier: CandidateVerifier) -> CandidateVerifier:
    """Returns the verifier unwrapped."""
    return verifier


def merged_result(task: AgentTask, results: Iterable[AgentResult]) -> AgentResult:
    """The combined results: an error that one of them fixed, or found fixed, is fixed; otherwise the last report
    counts."""
    results = list(results)
    proposals = {proposal.id: proposal for result in results for proposal in result.proposals}
    gone = tuple(dict.fromkeys(i for result in results for i in result.already_fixed))
    fixed = {*gone, *(i for proposal in proposals.values() for i in proposal.error_ids)}
    last: dict[str, Unfixable] = {i: u for result in results for u in result.unfixables for i in u.error_ids}
    reports: dict[str, list[str]] = defaultdict(list)
    for error in task.ids():
        if error in last and error not in fixed:
            reports[last[error].id].append(error)
    known = {report.id: report for report in last.values()}
    return AgentResult(
        proposals=tuple(proposals.values()),
        unfixables=tuple(known[i].model_copy(update={"error_ids": tuple(ids)}) for i, ids in reports.items()),
        already_fixed=gone,
        calls=tuple(call for result in results for call in result.calls),
        rounds=sum(result.rounds for result in results),
        failed=tuple(failed for result in results for failed in result.failed),
    )
