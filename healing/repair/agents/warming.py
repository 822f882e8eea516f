"""Writes what the agents of a phase share into the provider's cache, before all ask at once and all miss."""

from collections.abc import Iterable

from healing.llm.asking import ask
from healing.llm.budget import BudgetSpent
from healing.llm.errors import ModelError
from healing.llm.prices import worst_case
from healing.llm.protocol import Kept, Message, Request
from healing.llm.providers import Named
from healing.repair.agents import wording
from healing.repair.agents.agent_context import AgentContext
from healing.repair.agents.task import AgentTask
from healing.repair.agents.tool_arguments import schemas
from healing.repair.agents.tools.toolbox import available
from healing.steps import Steps

PLACEHOLDER = "(nothing to do yet)"
SLOW = 150.0  # seconds of one run of a check: a fix of tests is run twice before the model is asked again


async def warm(agent_context: AgentContext, task: AgentTask, agents: int) -> None:
    """One call without output, with the very tools and rules that `agents` agents with tasks like this one are about
    to send. Only where a cache has to be written by asking, and where more than one agent reads it. A failure is no
    harm: they will see."""
    if agents < 2 or Named.of(agent_context.model.name).provider.protocol != "messages":
        return
    request = Request(
        model=agent_context.model.name,
        system=wording.system(),
        tools=schemas(available(task, agent_context.docs)),
        trunk=(),  # the mark is on the rules: nobody will say the placeholder again
        branch=(Message(role="user", blocks=({"type": "text", "text": PLACEHOLDER},)),),
        effort=task.profile.effort[task.cluster.phase],
        max_tokens=0,
        trunk_ttl=task.trunk_ttl,
    )
    if agent_context.budget.dollars is not None and worst_case(request)[0] > agent_context.budget.dollars / 20:
        return  # a small budget is for answers
    try:
        await ask(agent_context.model, request, agent_context.steps, agent_context.budget, agent_context.retry)
    except (ModelError, BudgetSpent):
        return


async def trunk_ttl(steps: Steps, cluster: str, checks: Iterable[float]) -> Kept:
    """How long the trunk of a cluster is kept in the cache: an hour is dearer to write and pays only where the run of a
    check (their seconds so far) lets five minutes pass. A durable step, so that every life asks the same."""

    async def decide() -> Kept:
        return "1h" if max(checks, default=0.0) >= SLOW else "5m"

    return "1h" if await steps.run("trunk-ttl", cluster, decide) == "1h" else "5m"
