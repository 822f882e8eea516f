"""Runs the tools for their suggestions and submits these one by one, the most certain first."""

from dataclasses import dataclass, field

from healing.model import Candidate, CIError
from healing.repair.fixers.suggested import SUGGESTERS
from healing.repair.fixers.suggested.suggester import Suggester
from healing.repair.fixers.suggested.suggestion import Suggestion
from healing.repair.tools.calling import call_tool
from healing.repair.tools.origin import OF_NPM, OF_THE_BRANCH, runs_branch_code
from healing.repair.tools.settings import ToolConfig
from healing.verify.verifier import Verifier
from healing.view import TreeView

MAX_TRIES = 200  # candidates in one run: each costs checks


@dataclass
class SuggestionRequests:
    """One run's requests to tools; a suggestion that was refused is not tried again on the same bytes."""

    verifier: Verifier
    _tried: set[str] = field(default_factory=set)

    async def round(self, errors: tuple[CIError, ...]) -> bool:
        """Runs each tool once for these errors of the integration tree. Returns whether something was accepted."""
        on = self.verifier.integration
        view = self.verifier.git.view(on)
        tool_config = ToolConfig(view, tuple(check.step.run for check in self.verifier.checks))
        fixed: set[str] = set()
        for suggester in SUGGESTERS:
            left = tuple(e for e in errors if e.id not in fixed)
            wanted = suggester.wants(left, tool_config)
            if wanted:
                fixed |= await self._ask(suggester, wanted, tool_config, on, view)
        return bool(fixed)

    async def _ask(
        self, suggester: Suggester, wanted: tuple[CIError, ...], tool_config: ToolConfig, on: str, view: TreeView
    ) -> set[str]:
        """Returns the ids of the errors that its suggestions fix."""
        files = tuple(sorted({e.file for e in wanted if e.file and view.mode(e.file)}))
        calls = suggester.calls(files, wanted, tool_config)
        called = await call_tool(self.verifier, suggester.name, calls, (), wanted, on)
        fixed: set[str] = set()
        own = suggester.name in OF_NPM and bool(called.answer) and runs_branch_code(suggester.name, view)
        most = OF_THE_BRANCH if own else 100
        for suggestion in sorted(suggester.read(called.answer, wanted, view), key=_surest_first):
            targets = tuple(e for e in suggestion.fixes(wanted) if e.id not in fixed)
            if targets and (candidate := self._candidate(suggester, suggestion, targets, view, most)):
                verdict = await self.verifier.submit(candidate, on=on)
                if verdict.conflict:  # with a fix accepted just before: on the tree with that fix it may work
                    self._tried.discard(candidate.model_dump_json())
                if verdict.proposal:
                    fixed |= set(verdict.proposal.error_ids)
        return fixed

    def _candidate(
        self, suggester: Suggester, suggestion: Suggestion, mine: tuple[CIError, ...], view: TreeView, most: int
    ) -> Candidate | None:
        """The suggestion as a candidate with at most `most` confidence; None if it changes nothing, was tried before,
        or the limit of tries is reached."""
        edits = suggestion.edits(view)
        candidate = Candidate(
            source=f"fixer:{suggester.name}",
            phase="free",
            title=suggestion.title,
            explanation=f"{suggester.name} suggests this for {mine[0].message.splitlines()[0][:200]!r}.",
            confidence=min(suggestion.certainty, most),
            error_ids=tuple(e.id for e in mine),
            edits=edits,
            flags=suggestion.flags,
        )
        mark = candidate.model_dump_json()
        if not edits or mark in self._tried or len(self._tried) >= MAX_TRIES:
            return None
        self._tried.add(mark)
        return candidate


def _surest_first(suggestion: Suggestion) -> int:
    return -suggestion.certainty
