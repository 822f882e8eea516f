"""Writes the prefix that a phase's agents share to the provider's cache, before all ask at once and miss it."""

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
    """Makes one call without output, with exactly the tools and rules that `agents` agents with tasks like this one
    will send. It does so only where a cache has to be written by a request, and where more than one agent reads it.
    Failures are ignored: the agents' own calls will report them."""
    if agents < 2 or Named.of(agent_context.model.name).provider.protocol != "messages":
        return
    request = Request(
        model=agent_context.model.name,
        system=wording.system(),
        tools=schemas(available(task, agent_context.docs)),
        trunk=(),  # the cache mark is on the rules: the placeholder is never sent again
        branch=(Message(role="user", blocks=({"type": "text", "text": PLACEHOLDER},)),),
        effort=task.profile.effort[task.cluster.phase],
        max_tokens=0,
        trunk_ttl=task.trunk_ttl,
    )
    if agent_context.budget.dollars is not None and worst_case(request)[0] > agent_context.budget.dollars / 20:
        return  # a small budget is kept for answers
    try:
        await ask(agent_context.model, request, agent_context.steps, agent_context.budget, agent_context.retry)
    except (ModelError, BudgetSpent):
        return


async def trunk_ttl(steps: Steps, cluster: str, checks: Iterable[float]) -> Kept:
    """How long to cache a cluster's trunk: an hour costs more to write and pays only where a check runs so long that
    five minutes pass (`checks` are their seconds so far). A durable step, so that every replay sends the same
    requests."""

    async def decide() -> Kept:
        return "1h" if max(checks, default=0.0) >= SLOW else "5m"

    return "1h" if await steps.run("trunk-ttl", cluster, decide) == "1h" else "5m"
