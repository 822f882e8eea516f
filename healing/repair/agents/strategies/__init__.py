"""How several specialists share one cluster: single best, parallel, sequential, consensus."""

from collections.abc import Sequence
from typing import Literal

from healing.repair.agents.profiles import Profile
from healing.repair.agents.strategies.attempt import Attempt
from healing.repair.agents.strategies.consensus import Take, run_consensus
from healing.repair.agents.strategies.race import race
from healing.repair.agents.strategies.turns import run_in_turn
from healing.repair.agents.task import AgentResult, AgentTask

Strategy = Literal["single", "parallel", "sequential", "consensus"]
NEXT = frozenset({"time"})  # endings of the best one after which the next best is tried


async def work(
    task: AgentTask, candidates: Sequence[Profile], strategy: Strategy, attempt: Attempt, take: Take
) -> AgentResult:
    """The attempts' combined results: every error is in a proposal or in one report. With one candidate every strategy
    is `single`. Raises what `attempt` raises."""
    if len(candidates) > 1 and strategy == "parallel":
        return await race(task, candidates, attempt)
    if len(candidates) > 1 and strategy == "consensus":
        return await run_consensus(task, candidates, attempt, take)
    return await run_in_turn(task, candidates, attempt, NEXT if strategy == "single" else None)
