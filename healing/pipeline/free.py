"""Repairs that cost no tokens: the repo's own tools, fixers and memory. All proposals go through the verifier."""

from dataclasses import dataclass, field

from healing.causes import find_causes, of_cause
from healing.graph import Cache
from healing.logs.fingerprint import fails_as
from healing.model import Candidate, CIError, NotChecked, Proposal
from healing.pipeline.fixing import Fixing, next_error
from healing.pipeline.recall import recall
from healing.pipeline.remaining import Remaining
from healing.pipeline.tool_errors import deferred_to_fixers, fixable_by_tools, is_unused
from healing.repair.agents.memory import Memory, WorkedFix
from healing.repair.fixers.suggested.asking import SuggestionRequests
from healing.repair.tools import NamedTool
from healing.repair.tools.applying import Autofix
from healing.repair.tools.pins import other_rust
from healing.steps import Json, Steps
from healing.verify.verifier import Verifier
from healing.view import TreeView

ROUNDS = 4  # a fix may reveal further errors; more rounds than this are a loop


@dataclass
class Free:
    """The free phase of one run. `renamed_from` is the base branch's tree, to see what the change renamed; `changed`
    are the files that the change touches; `named` are the repo's own tools."""

    verifier: Verifier
    not_looked: list[NotChecked]
    renamed_from: str | None = None
    changed: frozenset[str] = frozenset()
    named: tuple[NamedTool, ...] = ()
    imports: Cache = field(default_factory=Cache)
    beyond: dict[str, str] = field(default_factory=dict)  # error id → what comes behind it

    async def resubmit_offered(self, standing: tuple[Proposal, ...], errors: tuple[CIError, ...]) -> None:
        """Submits again what was offered before, before anything else is tried; what still holds here is accepted."""
        for proposal in standing:
            candidate = Candidate(
                source=proposal.source,
                phase=proposal.phase,
                title=proposal.title,
                explanation=proposal.explanation,
                confidence=proposal.confidence,
                error_ids=tuple(e.id for e in errors),
                edits=proposal.edits,
                flags=proposal.flags,
                second_opinion=proposal.second_opinion,
            )
            await self.verifier.submit(candidate, on=self.verifier.trees.head)

    async def autofix(self, errors: tuple[CIError, ...]) -> None:
        """Runs the tools that the repo uses; reports where their version is not the one that it pins."""
        other = await other_rust(self.verifier, errors, self.verifier.trees.head)
        if other is not None and other not in self.not_looked:
            self.not_looked.append(other)
        await Autofix(self.verifier, self.not_looked, self.changed, self.named).run(
            fixable_by_tools(errors, self._view)
        )

    async def fix(self, remaining: Remaining) -> None:
        """Tries the fixers on the remaining errors, until nothing more is accepted."""
        await Fixing(self.verifier, self.before, self.imports, self.beyond).run(remaining)

    def note_changed(self, left: tuple[CIError, ...]) -> None:
        """Notes what tests that are still red fail with since other fixes were accepted."""
        for error in left:
            known = self.verifier.errors.get(error.id)
            if self.verifier.accepted and known and error.test and not fails_as(error, [known]):
                self.beyond[error.id] = next_error("the other fixes", error)

    async def remember(self, remaining: Remaining, memory: Memory | None, steps: Steps, turn: int = 0) -> None:
        """Tries fixes that were accepted before for the same errors. The lookup in memory is a durable step, so that
        every replay of a run tries the same fixes; a later `turn` looks them up again."""
        left = await remaining()
        if memory is None or not left:
            return
        view = self._view
        causes = find_causes(left, view)
        fingerprints = (tuple(sorted({c.fingerprint for c in causes})), tuple(sorted({c.shape for c in causes})))

        async def look() -> Json:
            return [fix.model_dump(mode="json") for fix in await memory.accepted(*fingerprints)]

        fixes = tuple(
            WorkedFix.model_validate(fix) for fix in await steps.run("accepted-fixes", [turn, *fingerprints], look)
        )
        for cause in causes if fixes else ():
            for candidate in recall(cause, of_cause(cause, left), fixes, self._view):
                if (await self.verifier.submit(candidate)).accepted:
                    break

    async def suggest(self, remaining: Remaining) -> None:
        """Tries what the tools themselves suggest, until nothing more is accepted. Errors that are held back come
        last."""
        asking = SuggestionRequests(self.verifier)
        for _ in range(ROUNDS):
            left = fixable_by_tools(await remaining(), self._view)
            waiting = tuple(e for e in deferred_to_fixers(left) if is_unused(e))
            first = tuple(e for e in left if e not in waiting)
            if not (await asking.round(first) or (waiting and await asking.round(left))):
                return

    @property
    def before(self) -> TreeView | None:
        """A view of the tree that the change started from; None where it isn't known."""
        return self.verifier.git.view(self.renamed_from) if self.renamed_from else None

    @property
    def _view(self) -> TreeView:
        return self.verifier.git.view(self.verifier.integration)
