"""Runs one cluster through a fallback chain: errors that a tier leaves are started again on the next tier that takes
them.

No tier continues another's conversation. Each tier sees only the errors that are left, as a task of its own.
"""

from collections.abc import Awaitable, Callable

from healing.llm.fallback import FallbackChain, ModelTier
from healing.model import Unfixable
from healing.repair.agents.task import AgentResult, AgentTask

Work = Callable[[AgentTask, ModelTier], Awaitable[AgentResult]]


async def run_tiers(task: AgentTask, fallback_chain: FallbackChain, work: Work) -> AgentResult:
    """The combined results of all tiers: every error is in a proposal, or in the report of the last tier that had it.
    Raises what `work` raises."""
    waiting: dict[int, tuple[str, ...]] = {0: task.ids()}
    results: list[AgentResult] = []
    final: list[Unfixable] = []
    for number, tier in enumerate(fallback_chain.tiers):
        ids = waiting.pop(number, ())
        if not ids:
            continue
        result = await work(task.part(ids), tier)
        results.append(result)
        for report in result.unfixables:
            later = fallback_chain.after(number, report.reason)
            if later is None:
                final.append(report)
            else:
                waiting[later] = (*waiting.get(later, ()), *report.error_ids)
    return AgentResult(
        proposals=tuple(p for result in results for p in result.proposals),
        unfixables=tuple(final),
        already_fixed=tuple(i for result in results for i in result.already_fixed),
        calls=tuple(c for result in results for c in result.calls),
        rounds=sum(result.rounds for result in results),
        failed=tuple(f for result in results for f in result.failed),
    )
