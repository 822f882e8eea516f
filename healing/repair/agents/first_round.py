"""One round of proposals without a conversation, for runs that can wait: all clusters are asked in one batch. Fixes in
the replies go through the verifier like all others; the rest is left for agents."""

from collections.abc import Sequence
from dataclasses import replace

from healing.llm.batches import Batches, PollPolicy, ask_in_batch
from healing.llm.prices import cost
from healing.llm.protocol import OUTPUT, Message, Request, Turn
from healing.repair.agents import first_message, wording
from healing.repair.agents.agent_context import AgentContext
from healing.repair.agents.fences import new_nonce
from healing.repair.agents.history import MESSAGE
from healing.repair.agents.ledger import ClusterLedger
from healing.repair.agents.room import fit_text
from healing.repair.agents.scratch import Scratch
from healing.repair.agents.task import AgentResult, AgentTask, ModelCall
from healing.repair.agents.tool_arguments import schemas
from healing.repair.agents.tools.toolbox import Toolbox
from healing.repair.agents.trajectory import step
from healing.repair.agents.workspace import Workspace
from healing.steps import Json, Steps
from healing.verify.verdict import CandidateVerifier

ONLY = ("suggest_fix",)


async def ask_all(
    tasks: Sequence[AgentTask], batches: Batches, agent_context: AgentContext, poll_policy: PollPolicy
) -> tuple[Turn | None, ...]:
    """A reply for each task, None where there is none. Raises BudgetSpent, ModelError, UnknownModel."""
    requests = [_request(task, batches.name, await _nonce(task, agent_context.steps)) for task in tasks]
    turns = await ask_in_batch(batches, requests, agent_context.steps, agent_context.budget, poll_policy)
    return tuple(turns.get(request.key()) for request in requests)


def _request(task: AgentTask, model: str, nonce: str) -> Request:
    words = wording.at_once(task.ids())
    effort = task.profile.effort[task.cluster.phase]
    return Request(
        model=model,
        system=wording.system(),
        tools=schemas(ONLY),
        trunk=first_message.trunk(task, nonce),
        branch=(Message(role="user", blocks=({"type": "text", "text": words},)),),
        effort=effort,
        max_tokens=OUTPUT[effort],
    )


async def _nonce(task: AgentTask, steps: Steps) -> str:
    async def fresh() -> Json:
        return new_nonce()

    return str(await steps.run("fence", [task.cluster.id, "batch"], fresh))


async def submit_reply(
    task: AgentTask, turn: Turn, workspace: Workspace, verifier: CandidateVerifier, agent_context: AgentContext
) -> AgentResult:
    """Submits a reply's fixes and returns the result; errors without a fix are left open. An edit that does not parse
    is repaired if possible, or refused: the model is not asked again."""
    batch_task = task.model_copy(update={"profile": task.profile.model_copy(update={"tools": ONLY})})
    ledger, scratch = ClusterLedger(batch_task), Scratch(workspace)
    ledger.calls.append(_call(turn, agent_context.model.name))
    without_repairs = replace(agent_context, limits=agent_context.limits.model_copy(update={"repairs": 0}))
    toolbox = Toolbox(scratch, verifier, ledger, "", without_repairs)
    results = [await toolbox.run(call) for call in (turn.calls if turn.stop == "tools" else ())]
    request = _request(task, agent_context.model.name, await _nonce(task, agent_context.steps))
    steps = [step(task.ids()[0], request, turn, results)]
    await agent_context.keep(task, steps, "whole", request.trunk, ", in a batch")
    return ledger.result().model_copy(update={"unfixables": (), "calls": ()})


def _call(turn: Turn, model: str) -> ModelCall:
    """The record of the reply, at the cost of each of its fixes."""
    each = cost(model, turn.usage) / max(len(turn.calls), 1)
    return ModelCall(
        error_id="",
        turn_id=turn.id,
        request_id=turn.request_id,
        stop=turn.stop,
        usage=turn.usage,
        dollars=each,
        seconds=0.0,
    )


def rest(task: AgentTask, result: AgentResult) -> AgentTask | None:
    """The task for the errors that are left, with the refused attempts in its history; None where nothing is left."""
    fixed = {*result.already_fixed, *(i for proposal in result.proposals for i in proposal.error_ids)}
    left = tuple(i for i in task.ids() if i not in fixed)
    if not left:
        return None
    part = task.part(left)
    tried = [
        f"tried in one go before, and refused: {fit_text(failed.message, MESSAGE)}" for failed in result.failed[-6:]
    ]
    return part.model_copy(update={"history": "\n\n".join(filter(None, (task.history, *tried)))}) if tried else part
