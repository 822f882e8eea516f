"""The tool by which an agent withdraws its own accepted fix."""

from healing.repair.agents.agent_context import AgentContext
from healing.repair.agents.fences import one_line
from healing.repair.agents.ledger import ClusterLedger
from healing.repair.agents.scratch import Scratch
from healing.repair.agents.tool_arguments import WithdrawFix, WrongArguments
from healing.repair.agents.tools.answer import ToolAnswer
from healing.steps import Json
from healing.verify.verdict import CandidateVerifier

LIMIT = 3  # fixes that one agent may withdraw: each time the branch is rebuilt and checks run
WHY = 1_000  # characters of the reason


class FixWithdrawer:
    """Withdraws fixes of one agent."""

    def __init__(
        self, scratch: Scratch, verifier: CandidateVerifier, ledger: ClusterLedger, agent_context: AgentContext
    ) -> None:
        self.scratch, self.verifier, self.ledger, self.agent_context = scratch, verifier, ledger, agent_context

    async def withdraw_fix(self, arguments: WithdrawFix) -> ToolAnswer:
        """Withdraws a fix. A check determines which errors are open again; calls and refusals so far still count."""
        fix_id, why = one_line(arguments.fix_id, 40), one_line(arguments.why, WHY)
        self._check_allowed(fix_id, why)
        withdrawal = await self.verifier.withdraw(fix_id, why)
        if not withdrawal.done:
            raise WrongArguments(withdrawal.message)
        before = set(self.ledger.missing())
        suspects = self.ledger.withdraw(fix_id, why, withdrawal)
        self.ledger.gone(await self._still_fixed(suspects))
        await self.scratch.give_back(self.ledger.proposals, fix_id, *withdrawal.dropped, *withdrawal.replaced)
        reopened = [i for i in self.ledger.missing() if i not in before]
        words = [f"Withdrawn: {fix_id}. Open again: {', '.join(reopened) or 'none, for other fixes fix its errors'}."]
        words += [f"{old} was proven again without it, as {new.id}." for old, new in withdrawal.replaced.items()]
        words += [f"{old} is gone with it." for old in withdrawal.dropped]
        return ToolAnswer(" ".join(words), "\n".join(withdrawal.dropped.values()))

    def _check_allowed(self, fix_id: str, why: str) -> None:
        """Raises WrongArguments where the fix may not be withdrawn."""
        if fix_id in [withdrawn.proposal.id for withdrawn in self.ledger.withdrawn] and fix_id not in self._own():
            raise WrongArguments("you have withdrawn that fix already")
        if fix_id not in self._own():
            raise WrongArguments(f"that is no accepted fix of yours; yours are: {', '.join(self._own()) or 'none'}")
        if not why:
            raise WrongArguments("say why")
        if len(self.ledger.withdrawn) >= LIMIT:
            raise WrongArguments(f"{LIMIT} fixes were withdrawn, which is the limit; hand in another fix on top of it")

    def _own(self) -> list[str]:
        return [proposal.id for proposal in self.ledger.proposals]

    async def _still_fixed(self, ids: tuple[str, ...]) -> tuple[str, ...]:
        """Those of the errors that are still gone: a durable step, since what is accepted may differ later."""

        async def look() -> Json:
            return list(await self.verifier.fixed(ids))

        task, count = self.ledger.task, len(self.ledger.withdrawn)
        key = [task.cluster.id, task.profile.name, self.agent_context.model.name, count, *ids]
        return tuple(await self.agent_context.steps.run("fixed-without", key, look))
