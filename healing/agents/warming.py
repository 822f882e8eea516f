"""Writes what the agents of a phase share into the provider's cache, before all ask at once and all miss."""

from collections.abc import Iterable

from healing.agents import wording
from healing.agents.means import Means
from healing.agents.task import AgentTask
from healing.agents.tools.arguments import schemas
from healing.agents.tools.toolbox import available
from healing.llm.asking import ask
from healing.llm.budget import BudgetSpent
from healing.llm.errors import ModelError
from healing.llm.prices import worst_case
from healing.llm.protocol import Kept, Message, Request
from healing.llm.providers import Named
from healing.steps import Steps

PLACEHOLDER = "(nothing to do yet)"
SLOW = 150.0  # seconds of one run of a check: a fix of tests is run twice before the model is asked again


async def warm(means: Means, task: AgentTask, agents: int) -> None:
    """One call without output, with the very tools and rules that `agents` agents with tasks like this one are about
    to send. Only where a cache has to be written by asking, and where more than one agent reads it. A failure is no
    harm: they will see."""
    if agents < 2 or Named.of(means.model.name).provider.protocol != "messages":
        return
    request = Request(
        model=means.model.name,
        system=wording.system(),
        tools=schemas(available(task, means.docs)),
        trunk=(),  # the mark is on the rules: nobody will say the placeholder again
        branch=(Message(role="user", blocks=({"type": "text", "text": PLACEHOLDER},)),),
        effort=task.profile.effort[task.cluster.phase],
        max_tokens=0,
        trunk_ttl=task.trunk_ttl,
    )
    if means.budget.dollars is not None and worst_case(request)[0] > means.budget.dollars / 20:
        return  # a small budget is for answers
    try:
        await ask(means.model, request, means.steps, means.budget, means.retry)
    except (ModelError, BudgetSpent):
        return


async def trunk_ttl(steps: Steps, cluster: str, checks: Iterable[float]) -> Kept:
    """How long the trunk of a cluster is kept in the cache: an hour is dearer to write and pays only where the run of a
    check (their seconds so far) lets five minutes pass. A durable step, so that every life asks the same."""

    async def decide() -> Kept:
        return "1h" if max(checks, default=0.0) >= SLOW else "5m"

    return "1h" if await steps.run("trunk-ttl", cluster, decide) == "1h" else "5m"
