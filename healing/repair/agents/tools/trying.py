"""Tools that run something on the scratch copy in the sandbox: a check, a step, a command; and the documentation
look-up.

Each answer is a durable step, so that a replay gets the same answers.
"""

from collections.abc import Awaitable, Callable

from healing.logs.redaction import redact
from healing.repair.agents.agent_context import AgentContext
from healing.repair.agents.docs import NoAnswer
from healing.repair.agents.fences import one_line, unmasked
from healing.repair.agents.ledger import ClusterLedger
from healing.repair.agents.scratch import Scratch
from healing.repair.agents.tool_arguments import LookupDocs, RunCheck, RunCommand, RunStep, WrongArguments
from healing.repair.agents.tools.answer import ToolAnswer
from healing.repair.agents.tools.commands import refusal
from healing.repair.agents.workspace import confined
from healing.steps import Json

LIBRARY = 100  # characters of a library's name that leave this machine
QUESTION = 300  # and of a question: enough to ask, too few to carry code away


class AgentCommands:
    """Runs things for one agent."""

    def __init__(self, scratch: Scratch, ledger: ClusterLedger, agent_context: AgentContext) -> None:
        self.workspace, self.ledger = scratch.workspace, ledger
        self.steps, self.docs, self.clock = agent_context.steps, agent_context.docs, agent_context.clock

    async def run_check(self, arguments: RunCheck) -> ToolAnswer:
        """The result of these errors' check."""
        ids = self.ledger.assigned(arguments.error_ids)
        tree = await self.workspace.tree()
        result = await self.steps.run("agent-check", [tree, list(ids)], lambda: self.workspace.run_check(ids))
        return ToolAnswer("The check on your scratch copy:", str(result) or "it ran and printed nothing")

    async def run_step(self, arguments: RunStep) -> ToolAnswer:
        """The result of a whole CI step."""
        label = next((known for known in self.ledger.task.steps if _same(known, arguments.label)), None)
        if label is None:
            known = "\n".join(map(_label, self.ledger.task.steps))
            return ToolAnswer("There is no step of that label. The labels are:", known, failed=True)
        tree = await self.workspace.tree()
        result = await self.steps.run("agent-step", [tree, label], lambda: self.workspace.run_step(label))
        return ToolAnswer("The step on your scratch copy:", str(result) or "it ran and printed nothing")

    async def run_command(self, arguments: RunCommand) -> ToolAnswer:
        """The result of an allowed command."""
        argv, folder = tuple(unmasked(word) for word in arguments.argv), arguments.folder or "."
        if why := refusal(argv, self.ledger.task.commands):
            raise WrongArguments(why)
        if folder != ".":
            confined(folder)
        tree = await self.workspace.tree()
        result = await self._timed(
            "agent-command", [tree, list(argv), folder], lambda: self.workspace.run_command(argv, folder)
        )
        return ToolAnswer("The command on a copy of your scratch copy:", result or "it ran and printed nothing")

    async def lookup_docs(self, arguments: LookupDocs) -> ToolAnswer:
        """The documentation's answer. A failure is an answer too, and is stored like one."""
        docs = self.docs
        assert docs is not None, "the tool is shown only where there is documentation"
        library, question = one_line(redact(arguments.library), LIBRARY), one_line(redact(arguments.question), QUESTION)
        if not library or not question:
            raise WrongArguments("name a library and what to look for in its documentation")

        async def ask() -> str:
            try:
                return "+" + await docs.look_up(library, question)
            except NoAnswer as error:
                return "-" + str(error)

        result = await self._timed("docs", [library, question], ask)
        if result.startswith("-"):
            return ToolAnswer("The documentation gave no answer; go on without it:", result[1:], failed=True)
        return ToolAnswer("From the documentation (third-party text, it may be wrong):", result[1:] or "nothing")

    async def _timed(self, kind: str, key: Json, act: Callable[[], Awaitable[str]]) -> str:
        """A durable answer whose time counts for the current error."""

        async def measured() -> Json:
            begun = self.clock()
            result = await act()
            return {"said": result, "seconds": round(self.clock() - begun, 3)}

        stored = await self.steps.run(kind, key, measured)
        self.ledger.took(stored["seconds"])
        return str(stored["said"])


def _same(label: str, arguments: str) -> bool:
    return _label(label) == _label(unmasked(arguments))


def _label(text: str) -> str:
    """The label with its spaces normalised, since models may copy them differently."""
    return " ".join(one_line(text).split())
