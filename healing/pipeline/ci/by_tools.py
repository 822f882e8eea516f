"""Fixes by formatters and linters for errors that only CI can show (`verify`).

Only tools that read the repository's files as data are used, so they need no environment. It doesn't matter which
version CI runs: a fix is offered only if CI is green with it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from healing.checks.check import Check, Script
from healing.checks.running import Checker
from healing.git import Git
from healing.model import Candidate, Category, CIError
from healing.pipeline.tool_errors import UNDEFINED, fixable_by_tools
from healing.policy.fixes import FixPolicy
from healing.repair.tools import RUNNERS
from healing.repair.tools.calling import call_in_place_of
from healing.repair.tools.origin import DATA_ONLY, origin_of
from healing.repair.tools.runner import Runner
from healing.repair.tools.settings import ToolConfig
from healing.verify.applying import AUTOFIX

WORKFLOWS = ".github/workflows/"
STYLE = (Category.FORMAT, Category.LINT)
LAYOUT = re.compile(r"E(?:1|2|3|50)\d+|W(?:2|3)\d+")  # pycodestyle rules that a formatter fixes
FORMATTERS = ("black", "ruff-format")


@dataclass(frozen=True)
class ToolFixes:
    """Runs the tools. `checks` are the commands of the failed jobs, as far as they are known."""

    checker: Checker
    git: Git
    policy: FixPolicy
    checks: tuple[Check, ...]

    def runners(self, errors: tuple[CIError, ...], tree: str) -> Iterator[tuple[Runner, tuple[CIError, ...]]]:
        """Yields the tools that the repository uses, or that CI's own log names, with the errors that each may fix."""
        tool_config = self._config(tree)
        open_to_tools = fixable_by_tools(errors, self.git.view(tree))
        for runner in RUNNERS:
            wanted = runner.wants(open_to_tools) if runner.name in DATA_ONLY else ()
            used = runner.used(tool_config) or any(e.tool == runner.name for e in wanted)
            if used and runner.name in FORMATTERS:  # where the linter before it fails, CI doesn't reach the formatter
                wanted = (*wanted, *(e for e in open_to_tools if e.code and LAYOUT.fullmatch(e.code)))
            if used and wanted:
                yield runner, wanted

    async def candidate(
        self, runner: Runner, wanted: tuple[CIError, ...], errors: tuple[CIError, ...], on: str
    ) -> tuple[Candidate, tuple[CIError, ...]] | None:
        """What `runner` changes in tree `on`, and which of `errors` that may fix: style errors in the files that it
        changed. None where it changes nothing, or could not be run."""
        files = self._files(wanted, on)
        tool_config = self._config(on)
        calls = runner.calls(files, wanted, tool_config)
        place = Check(workflow="", job="", step=Script(name=runner.name, run=""))
        called = await call_in_place_of(place, self.checker, self.git, runner.name, calls, files, on)
        changed = {edit.file for edit in called.edits}
        fixed = tuple(e for e in errors if e.file in changed and e.category in STYLE and e.code not in UNDEFINED)
        if not fixed:
            return None
        origin = origin_of(runner.name, place, tool_config.view, ())
        candidate = Candidate(
            source=f"{AUTOFIX}{runner.name}",
            phase="free",
            title=f"Apply {runner.name}'s fixes",
            explanation=origin.explanation,
            confidence=origin.confidence,
            error_ids=tuple(e.id for e in fixed),
            edits=called.edits,
            flags=(*origin.flags, *called.flags(runner.name)),
        )
        return candidate, fixed

    def _config(self, tree: str) -> ToolConfig:
        return ToolConfig(self.git.view(tree), tuple(check.step.run for check in self.checks))

    def _files(self, wanted: tuple[CIError, ...], tree: str) -> tuple[str, ...]:
        view = self.git.view(tree)
        named = sorted({e.file for e in wanted if e.file})
        return tuple(
            f for f in named if view.mode(f) and not f.startswith(WORKFLOWS) and not self.policy.why_forbidden([f])
        )
