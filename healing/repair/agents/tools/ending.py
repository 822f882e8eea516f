"""The two tools that settle an error: submit a fix to the verifier, or report it."""

from healing.edits.exact import apply_edits
from healing.llm.prices import price_of
from healing.model import Candidate, Edit
from healing.repair.agents.agent_context import AgentContext
from healing.repair.agents.fences import one_line, unmasked
from healing.repair.agents.ledger import ClusterLedger
from healing.repair.agents.scratch import Scratch, fitted
from healing.repair.agents.syntax_repair import repaired
from healing.repair.agents.task import FailedEdit, fingerprint
from healing.repair.agents.tool_arguments import EditArgument, ReportUnfixable, SuggestFix, WrongArguments
from healing.repair.agents.tools.answer import ToolAnswer
from healing.repair.agents.tools.changing import around
from healing.repair.agents.wording import names
from healing.steps import Json
from healing.verify.syntax import syntax_problems
from healing.verify.verdict import CandidateVerifier, Verdict

LIMIT = 4_000  # characters of each text that people read


class FixSubmitter:
    """Submits one agent's fixes and reports."""

    def __init__(
        self, scratch: Scratch, verifier: CandidateVerifier, ledger: ClusterLedger, agent_context: AgentContext
    ) -> None:
        self.scratch, self.verifier, self.ledger, self.steps = scratch, verifier, ledger, agent_context.steps
        self._refused_here = self._moved = 0  # index of the first refused edit on this base
        self.repairs, self.strict = agent_context.limits.repairs, price_of(agent_context.model.name).guard == "strict"

    async def report_unfixable(self, arguments: ReportUnfixable) -> ToolAnswer:
        """Settles errors with a report."""
        ids = self._still_open(arguments.error_ids)
        self.ledger.report(ids, "given-up", arguments.tried[:LIMIT], arguments.why[:LIMIT], arguments.advice[:LIMIT])
        return ToolAnswer(f"Noted, thank you. That settles: {names(ids)}")

    async def suggest_fix(self, arguments: SuggestFix) -> ToolAnswer:
        """Submits edits to the verifier."""
        ids = self._still_open(arguments.error_ids)
        if await self._made_already(arguments.edits):
            return await self._add_nothing(ids)
        edits = await self._edits(arguments.edits)
        if not edits:
            return ToolAnswer("No edits: change something with edit_file first, or name the edits.", failed=True)
        checked = await self._parses(edits)
        if isinstance(checked, ToolAnswer):
            return checked
        edits, name = checked, fingerprint(checked)
        before = self._refused_before(name)
        if before is not None:
            self.ledger.repeated = self.ledger.target
            return ToolAnswer("The very same edits were refused before:", before.message, failed=True)
        verdict = await self.verifier.submit(self._candidate(arguments, ids, edits))
        if verdict.conflict:
            return await self._in_conflict(ids, verdict)
        if verdict.already_fixed:
            self.ledger.gone(ids)
            return ToolAnswer(f"Nothing to hand in: {verdict.message}. That settles: {names(ids)}")
        if verdict.proposal is None:
            self.ledger.failed.append(
                FailedEdit(
                    fingerprint=name,
                    error_ids=ids,
                    edits=edits,
                    message=verdict.message,
                    still=verdict.still,
                    worse=verdict.worse,
                )
            )
            return ToolAnswer("Not accepted:", verdict.message or "no reason was given", failed=True)
        self.ledger.proposals.append(verdict.proposal)
        if verdict.merged:
            handed_in = edits if arguments.edits else await self.scratch.edits()
            await self.scratch.take(verdict.proposal, handed_in)  # later calls in the same turn see the fix
        return ToolAnswer(f"Accepted as {verdict.proposal.id}. That settles: {names(verdict.proposal.error_ids)}")

    def _refused_before(self, name: str) -> FailedEdit | None:
        """The same edits, if they were refused on this base: on another base they may be right."""
        if self._moved != self.scratch.moved:
            self._moved, self._refused_here = self.scratch.moved, len(self.ledger.failed)
        return next((failed for failed in self.ledger.failed[self._refused_here :] if failed.fingerprint == name), None)

    async def _in_conflict(self, ids: tuple[str, ...], verdict: Verdict) -> ToolAnswer:
        """Answers a proven fix that conflicts with one that was merged first."""
        await self.scratch.renew(self.ledger.proposals)
        if verdict.conflict == "over":
            self.ledger.report(ids, "conflict", self.ledger.tried(ids[0]), verdict.message[:LIMIT])
            return ToolAnswer(
                "It conflicts once too often with others' fixes, and ends as not fixable. Go on.", failed=True
            )
        answer = (
            "Proven, but it conflicts with a fix that was accepted before it. Your scratch copy is now what that fix "
            "left, without your changes: make them again so that both hold, and hand in. The conflict:"
        )
        return ToolAnswer(answer, verdict.message, failed=True)

    def _candidate(self, arguments: SuggestFix, ids: tuple[str, ...], edits: tuple[Edit, ...]) -> Candidate:
        task = self.ledger.task
        return Candidate(
            source=f"agent:{task.profile.name}",
            phase=task.cluster.phase,
            title=one_line(arguments.title, 120),
            explanation=arguments.explanation[:LIMIT],
            confidence=arguments.confidence,
            error_ids=ids,
            edits=edits,
            strict=self.strict,
            dollars=self.ledger.spent_on(ids),
        )

    async def _parses(self, edits: tuple[Edit, ...]) -> tuple[Edit, ...] | ToolAnswer:
        """The syntax gate: returns the edits, or at once an answer with the broken code for the agent to repair. After
        `self.repairs` attempts the edits are repaired without it, where possible; otherwise the verifier refuses
        them."""
        base = {edit.file: await self.scratch.read_base(edit.file) for edit in edits}
        after = apply_edits(edits, base.get)
        broken = syntax_problems({file: (base[file], data) for file, data in after.items()})
        if not broken:
            return edits
        ledger = self.ledger
        ledger.repairs[ledger.target] = tries = ledger.repairs.get(ledger.target, 0) + 1
        if tries > self.repairs:
            return tuple([repaired(edit, base[edit.file]) or edit for edit in edits])
        shown = "\n\n".join(
            f"{edit.file} would read:\n{around(after[edit.file] or b'', edit.new_string)}"
            for edit in edits
            if any(problem.startswith(f"{edit.file}:") for problem in broken)
        )
        answer = f"Not handed in, and not counted: it would not parse (try {tries} of {self.repairs}). Repair it:"
        return ToolAnswer(answer, "\n".join([*broken, "", shown]), failed=True)

    async def _edits(self, named: list[EditArgument]) -> tuple[Edit, ...]:
        """The candidate's edits against the base: those named, otherwise the changes in the scratch copy."""
        if not named:
            return await self.scratch.edits()
        return tuple([fitted(e.file, e.old_string, e.new_string, await self.scratch.read_base(e.file)) for e in named])

    async def _made_already(self, named: list[EditArgument]) -> bool:
        """Whether accepted fixes in the base already make all of these changes."""
        files = {edit.file for proposal in self.scratch.holds for edit in proposal.edits}
        return bool(named) and all([e.file in files and await self._is_made(e) for e in named])

    async def _is_made(self, edit: EditArgument) -> bool:
        base = (await self.scratch.read_base(edit.file) or b"").decode("utf-8", "surrogateescape")
        old, new = unmasked(edit.old_string), unmasked(edit.new_string)
        return bool(new) and new in base and (not old or old not in base.replace(new, ""))

    async def _add_nothing(self, ids: tuple[str, ...]) -> ToolAnswer:
        """Answers a change that an accepted fix already made: errors that a check shows as fixed are settled."""

        async def look() -> Json:
            return list(await self.verifier.fixed(ids))

        key = [
            self.ledger.task.cluster.id,
            self.ledger.task.profile.name,
            len(self.ledger.calls),
            self.scratch.moved,
            *ids,
        ]
        gone = await self.steps.run("fixed-by-own", key, look)
        self.ledger.gone(gone)
        left = [i for i in ids if i not in gone]
        settled = f" That settles: {names(gone)}." if gone else ""
        still = f" Still there with it: {', '.join(left)}." if left else ""
        return ToolAnswer(
            f"Nothing to hand in: an accepted fix of yours makes this change.{settled}{still}", failed=bool(left)
        )

    def _still_open(self, ids: list[str]) -> tuple[str, ...]:
        missing = self.ledger.missing()
        wanted = tuple(i for i in self.ledger.assigned(ids) if i in missing)
        if not wanted:
            raise WrongArguments(f"those errors are settled already; still open: {', '.join(missing) or 'none'}")
        return wanted
