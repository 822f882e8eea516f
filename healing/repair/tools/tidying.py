"""Formats what a fix wrote, where the repository's formatters object to its layout and to nothing else.

A removed import leaves a blank line too many, a longer name a line that is too long: people run the formatter after
such an edit, and so does Heal before the fix is judged once more.
"""

import asyncio
from dataclasses import dataclass

from healing.edits.exact import EditError, apply_edits, edits_between, modes_of
from healing.model import Candidate, Category, CIError
from healing.repair.tools import RUNNERS
from healing.repair.tools.calling import call_tool
from healing.repair.tools.settings import ToolConfig
from healing.verify.verifier import Verifier

SORTED = "I001"  # Ruff's rule for the order of imports, which it counts as a lint


@dataclass(frozen=True)
class Tidy:
    """The formatters of one run's repository."""

    verifier: Verifier

    async def __call__(self, candidate: Candidate, objections: tuple[CIError, ...], on: str) -> Candidate | None:
        """The candidate, made on tree `on`, with the layout that formatters want in its files. None where an objection
        isn't about that, or no formatter changes anything."""
        files = tuple(sorted({edit.file for edit in candidate.edits if edit.kind != "delete"}))
        if not objections or not all(_is_form(error) and error.file in files for error in objections):
            return None
        git = self.verifier.git
        view = git.view(on)
        try:
            changes = apply_edits(candidate.edits, view.read)
        except EditError:
            return None
        tree = edited = await asyncio.to_thread(git.write_tree, on, changes, modes_of(candidate.edits))
        config = ToolConfig(git.view(tree), tuple(check.step.run for check in self.verifier.checks))
        for runner in RUNNERS:
            wanted = runner.wants(objections)
            calls = runner.calls(files, wanted, config) if wanted else ()
            called = await call_tool(self.verifier, runner.name, calls, files, wanted, tree)
            if called.edits:
                written = apply_edits(called.edits, git.view(tree).read)
                tree = await asyncio.to_thread(git.write_tree, tree, written, modes_of(called.edits))
        if tree == edited:
            return None
        after = git.view(tree)
        edits = tuple(
            edit
            for path in sorted(changes)
            for edit in edits_between(path, view.read(path), after.read(path), after.mode(path) or "100644")
        )
        return candidate.model_copy(update={"edits": edits})


def _is_form(error: CIError) -> bool:
    return error.category is Category.FORMAT or error.code == SORTED
