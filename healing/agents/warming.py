"""Writes what the agents of a phase share into the provider's cache, before all ask at once and all miss (LM-4)."""

from healing.agents import wording
from healing.agents.means import Means
from healing.agents.task import AgentTask
from healing.agents.tools.arguments import schemas
from healing.agents.tools.toolbox import available
from healing.llm.asking import ask
from healing.llm.budget import BudgetSpent
from healing.llm.errors import ModelError
from healing.llm.prices import worst_case
from healing.llm.protocol import Request, Said
from healing.llm.providers import Named

PLACEHOLDER = "(nothing to do yet)"


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
        branch=(Said(role="user", blocks=({"type": "text", "text": PLACEHOLDER},)),),
        effort=task.profile.effort[task.cluster.phase],
        max_tokens=0,
    )
    if means.budget.dollars is not None and worst_case(request)[0] > means.budget.dollars / 20:
        return  # a small budget is for answers
    try:
        await ask(means.model, request, means.steps, means.budget, means.retry)
    except (ModelError, BudgetSpent):
        return
