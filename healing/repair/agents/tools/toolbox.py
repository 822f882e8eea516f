"""Runs an agent's tool calls: results are bounded, paths confined, and every error message says what to do instead."""

from collections.abc import Awaitable, Callable
from typing import Any

from healing.edits.exact import EditError
from healing.llm.protocol import Block, ToolCall
from healing.repair.agents.agent_context import AgentContext
from healing.repair.agents.docs import Docs
from healing.repair.agents.fences import fenced
from healing.repair.agents.ledger import ClusterLedger
from healing.repair.agents.scratch import Scratch
from healing.repair.agents.task import AgentTask
from healing.repair.agents.tool_arguments import TOOLS, WrongArguments, parse
from healing.repair.agents.tools.answer import ToolAnswer
from healing.repair.agents.tools.changing import CopyEditor
from healing.repair.agents.tools.ending import FixSubmitter
from healing.repair.agents.tools.looking import CopyReader
from healing.repair.agents.tools.trying import AgentCommands
from healing.repair.agents.tools.withdrawing import FixWithdrawer
from healing.repair.agents.workspace import PathNotAllowed
from healing.verify.verdict import CandidateVerifier


class Toolbox:
    """The tools of one agent. `allowed` are those that it was shown."""

    def __init__(
        self,
        scratch: Scratch,
        verifier: CandidateVerifier,
        ledger: ClusterLedger,
        nonce: str,
        agent_context: AgentContext,
    ) -> None:
        self.scratch = scratch
        self.ledger = ledger
        self.nonce = nonce
        self.allowed = available(ledger.task, agent_context.docs)
        parts = (
            CopyReader(scratch),
            CopyEditor(scratch),
            AgentCommands(scratch, ledger, agent_context),
            FixSubmitter(scratch, verifier, ledger, agent_context),
            FixWithdrawer(scratch, verifier, ledger, agent_context),
        )
        # Each tool is the method with its name in one of the parts.
        self._methods: dict[str, Callable[[Any], Awaitable[ToolAnswer]]] = {
            name: next(getattr(part, name) for part in parts if hasattr(part, name)) for name in TOOLS
        }

    async def run(self, call: ToolCall) -> Block:
        """One call's result as a block."""
        try:
            arguments = parse(call.name, call.arguments, self.allowed)
            tool_answer = await self._methods[call.name](arguments)
        except (WrongArguments, PathNotAllowed, EditError, OSError) as error:
            tool_answer = ToolAnswer("Nothing was done.", str(error), failed=True)
        text = "\n".join(
            filter(None, (tool_answer.said, fenced(tool_answer.data, self.nonce) if tool_answer.data else ""))
        )
        return {"type": "tool_result", "tool_use_id": call.id, "content": text, "is_error": tool_answer.failed}


def available(task: AgentTask, docs: Docs | None) -> tuple[str, ...]:
    """The profile's tools that can work here; others are not shown to the model."""
    unavailable = {
        *(() if docs else ("lookup_docs",)),
        *(() if task.labels() else ("run_step",)),
        *(() if task.commands else ("run_command",)),
    }
    withdraw = ("withdraw_fix",) * task.several
    names = (*(name for name in task.profile.tools if name != "withdraw_fix"), *withdraw)
    return tuple(name for name in names if name not in unavailable)
