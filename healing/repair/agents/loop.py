"""The loop of one agent on one cluster: one branch per error off a cached trunk, until every error is settled.

It is deterministic between its durable steps: run again with the same steps and a fresh worktree, it makes no model
call and ends the same way.
"""

import asyncio

from healing.llm.asking import ask
from healing.llm.budget import BudgetSpent
from healing.llm.errors import ModelError, NoAccess
from healing.llm.prices import cost
from healing.llm.protocol import MAX_OUTPUT, OUTPUT, Block, Message, Request, Turn
from healing.repair.agents import first_message, wording
from healing.repair.agents.agent_context import AgentContext
from healing.repair.agents.done import answers
from healing.repair.agents.fences import new_nonce
from healing.repair.agents.ledger import ClusterLedger
from healing.repair.agents.restart import opening
from healing.repair.agents.scratch import Scratch
from healing.repair.agents.stop import decide, out_of_time
from healing.repair.agents.task import AgentResult, AgentTask, ModelCall
from healing.repair.agents.tool_arguments import schemas
from healing.repair.agents.tools.toolbox import Toolbox
from healing.repair.agents.trajectory import AgentStep, step
from healing.repair.agents.workspace import Workspace
from healing.spans import span
from healing.steps import Json
from healing.verify.verdict import CandidateVerifier


async def run_agent(
    task: AgentTask, workspace: Workspace, verifier: CandidateVerifier, agent_context: AgentContext
) -> AgentResult:
    """Works until every error of the cluster is in a proposal or a report; afterwards the worktree is the base again.

    Raises UnknownModel, and what the workspace, the verifier or the steps raise; a failing model ends in reports.
    """
    nonce = await agent_context.steps.run("fence", task.cluster.id, _fresh_nonce)
    ledger = ClusterLedger(task)
    scratch = Scratch(workspace)
    scratch.reads.show(task.contexts)
    toolbox = Toolbox(scratch, verifier, ledger, nonce, agent_context)
    effort = task.profile.effort[task.cluster.phase]
    trunk = Request(
        model=agent_context.model.name,
        system=wording.system(),
        tools=schemas(toolbox.allowed),
        trunk=first_message.trunk(task, nonce),
        branch=(),
        effort=effort,
        max_tokens=OUTPUT[effort],
        trunk_ttl=task.trunk_ttl,
    )
    agent, ending = _Agent(ledger, toolbox, agent_context, trunk, verifier), "broken off"
    try:
        with span("agent", cluster=task.cluster.id, specialist=task.profile.name, errors=len(task.errors)):
            await agent.work_on_all(scratch)
        ending = "whole"
    finally:
        try:
            await scratch.leave()
        finally:
            await agent_context.keep(task, agent.done, ending, trunk.trunk)
    return ledger.result()


async def _fresh_nonce() -> Json:
    return new_nonce()


class TookTooLong(Exception):
    """The model did not answer within the time left for an error."""


class _Agent:
    """The state of the loop and the objects that it works with."""

    def __init__(
        self,
        ledger: ClusterLedger,
        toolbox: Toolbox,
        agent_context: AgentContext,
        trunk: Request,
        verifier: CandidateVerifier,
    ) -> None:
        self.ledger, self.toolbox, self.agent_context, self.trunk, self.verifier = (
            ledger,
            toolbox,
            agent_context,
            trunk,
            verifier,
        )
        self.done: list[AgentStep] = []
        self.beside = ""  # answers to the other calls of the reply that ended the last branch
        self.begun = False  # whether such calls already changed files for the next error

    async def work_on_all(self, scratch: Scratch) -> None:
        """Works on each error in a branch of its own, within the cluster's time."""
        seconds = self.agent_context.limits.cluster_seconds
        try:
            async with asyncio.timeout(seconds) as limit:
                while missing := self.ledger.missing():
                    if not self.begun:
                        await scratch.reset()
                    await self.work_on(missing[0])
        except TimeoutError:
            if not limit.expired():
                raise
            why = f"the cluster took {seconds / 60:.0f} minutes, the limit for one"
            self._report(self.ledger.missing(), "time", why)

    async def work_on(self, target: str) -> None:
        """Runs one branch, after which the target is settled, if necessary by a report."""
        self.ledger.target = target
        try:
            await self._branch(target)
        except BudgetSpent as spent:
            self._report(self.ledger.missing(), spent.reason, str(spent))
        except NoAccess as error:
            self._report(self.ledger.missing(), error.reason, str(error))
        except ModelError as error:
            self._report((target,), error.reason, str(error))
        except TookTooLong:
            self._report((target,), "time", out_of_time(self.agent_context.limits.seconds).why)

    async def _branch(self, target: str) -> None:
        await self._settle_fixed_meanwhile()
        beside, self.beside, self.begun = self.beside, "", False
        words = await opening(self.ledger, self.toolbox.scratch, target, beside, self.toolbox.nonce)
        request = with_user_text(self.trunk, words)
        following = self._next_blocks(target, acted=True)
        while following is not None:
            turn = await self._ask(request, target)
            acted = turn.stop == "tools" and bool(turn.calls)
            moved = self.toolbox.scratch.moved
            results = [await self.toolbox.run(call) for call in turn.calls] if acted else []
            self.done.append(step(target, request, turn, results))
            if turn.stop == "refusal":
                why = f"the model refused to work on it ({turn.detail or 'no category given'})"
                self._report((target,), "model-refusal", why)
                return
            if turn.stop == "context":
                self._report((target,), "context", "the conversation grew longer than the model can read")
                return
            await self._settle_fixed_meanwhile()
            if len(results) > 1 and target not in self.ledger.missing():
                self.beside = answers(turn.calls, results, self.toolbox.nonce)
                self.begun = self.toolbox.scratch.moved > moved
            following = self._next_blocks(target, acted or turn.stop == "length")
            if turn.stop == "length":
                # The truncated reply is dropped, since half a call can't be run. The next one gets the most output
                # tokens.
                request = with_user_text(request, wording.cut_off_text()).model_copy(update={"max_tokens": MAX_OUTPUT})
            else:
                request = with_answers(request, turn, [*results, *(following or [])])

    async def _settle_fixed_meanwhile(self) -> None:
        """Settles what accepted fixes have fixed since the last check: a durable step, so that every replay goes the
        same way."""
        ledger, missing = self.ledger, self.ledger.missing()
        if not missing or not ledger.calls or not (self.agent_context.beside or ledger.proposals):
            return
        task = ledger.task
        key = [task.cluster.id, task.profile.name, self.agent_context.model.name, len(ledger.calls), *missing]

        async def look() -> Json:
            return list(await self.verifier.fixed(missing))

        ledger.gone(await self.agent_context.steps.run("fixed-meanwhile", key, look))

    def _next_blocks(self, target: str, acted: bool) -> list[Block] | None:
        """Applies the stop hook: returns blocks to send with the tools' results, or None where the branch is over."""
        progress = self.ledger.progress(target)
        decision = decide(progress, acted, self.agent_context.limits)
        if decision.step == "give_up":
            ids = progress.missing if decision.everything else (target,)
            self._report(ids, decision.reason, decision.why)
        if decision.step in ("done", "give_up"):
            return None
        if decision.step == "go_on":
            return []
        self.ledger.rounds += 1
        return [_text(wording.stop_hook_text(target, list(progress.settled), list(progress.missing)))]

    async def _ask(self, request: Request, target: str) -> Turn:
        agent_context, limit = self.agent_context, self.agent_context.limits.seconds
        try:
            async with asyncio.timeout(max(limit - self.ledger.seconds.get(target, 0.0), 0.0)) as left:
                turn = await ask(
                    agent_context.model, request, agent_context.steps, agent_context.budget, agent_context.retry
                )
        except TimeoutError as error:
            if not left.expired():
                raise
            raise TookTooLong from error
        self.ledger.took(turn.seconds)
        self.ledger.calls.append(
            ModelCall(
                error_id=target,
                turn_id=turn.id,
                request_id=turn.request_id,
                stop=turn.stop,
                usage=turn.usage,
                dollars=cost(request.model, turn.usage),
                seconds=turn.seconds,
                cache_miss=turn.cache_miss,
            )
        )
        return turn

    def _report(self, ids: tuple[str, ...], reason: str, why: str) -> None:
        for error_id in ids:
            self.ledger.report((error_id,), reason, self.ledger.tried(error_id), why)


def _text(words: str) -> Block:
    return {"type": "text", "text": words}


def with_user_text(request: Request, words: str) -> Request:
    """The request with a text at the end of its last user message, or as its first one."""
    *earlier, last = request.branch or (Message(role="user", blocks=()),)
    more = Message(role="user", blocks=(*last.blocks, _text(words)))
    return request.model_copy(update={"branch": (*earlier, more)})


def with_answers(request: Request, turn: Turn, blocks: list[Block]) -> Request:
    """The request after a turn: the turn's blocks unchanged, then one user message with an answer to each of its calls.
    A turn that is empty, or whose calls were not run because it did not end with them, is left out."""
    answered = {block.get("tool_use_id") for block in blocks}
    if not turn.blocks or any(call.id not in answered for call in turn.calls):
        return with_user_text(request, "\n".join(block["text"] for block in blocks if block["type"] == "text"))
    messages = (Message(role="assistant", blocks=turn.blocks), Message(role="user", blocks=tuple(blocks)))
    return request.model_copy(update={"branch": (*request.branch, *messages), "after": turn.id})
