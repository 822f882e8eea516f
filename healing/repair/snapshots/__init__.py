"""Updates stale snapshots by the tests' own tool: only where a person asked for exactly that, and flagged as such.
Everywhere else the guard refuses changes to what tests compare with (healing/verify/guard/fixtures.py)."""

from dataclasses import dataclass

from healing.edits.exact import apply_edits
from healing.model import Candidate, Category, CIError, Edit, NotChecked
from healing.repair.snapshots.tools import TOOLS, SnapshotTool
from healing.repair.tools.call import Call
from healing.repair.tools.calling import call_tool
from healing.verify.applying import SNAPSHOTS
from healing.verify.verifier import Verifier
from healing.view import TreeView

ENDS = (0, 1, 100, 101)  # exit codes of test runners, also with failing tests
CONFIDENCE = 50
MARK = "rewrites what tests compare with, because a person asked: nothing shows that the new output is right"


@dataclass(frozen=True)
class SnapshotUpdate:
    """One run's update of snapshots."""

    verifier: Verifier
    not_looked: list[NotChecked]

    async def run(self, errors: tuple[CIError, ...]) -> None:
        """Submits one proposal for each tool whose snapshots the failing tests compare with."""
        tests = tuple(e for e in errors if e.category is Category.TEST and e.test)
        done = [await self._renew(tool, own_tests) for tool in TOOLS if (own_tests := _reported_for(tool, tests))]
        if not any(done):
            why = "no failing test here compares with a snapshot of " + ", ".join(tool.name for tool in TOOLS)
            self.not_looked.append(NotChecked(what="the snapshots", why=why, advice="Update them by hand."))

    async def _renew(self, tool: SnapshotTool, errors: tuple[CIError, ...]) -> bool:
        """Returns whether the tool could be run; where that leads to no proposal, the reason is reported."""
        on = self.verifier.integration
        view = self.verifier.git.view(on)
        files = tool.files(view, errors)
        shows = [c for c in self.verifier.checks if any(e.id in self.verifier.shown_by.get(c.key, ()) for e in errors)]
        script = tool.script(shows[0], errors, view) if shows and files else None
        if script is None:
            return False
        call = Call(("bash", "--noprofile", "--norc", "-c", script.text()), codes=ENDS)
        called = await call_tool(self.verifier, tool.name, (call,), files, errors, on)
        edits = tuple(edit for file in files for edit in _of_file(tool, called.edits, file, view))
        why = called.why or ("" if edits else "it changes no snapshot")
        if edits:
            verdict = await self.verifier.submit(_candidate(tool, edits, errors), on=on)
            why = "" if verdict.accepted else verdict.message[:300]
        if why:
            self.not_looked.append(NotChecked(what=f"snapshots of {tool.name}", why=why))
        return True


def _reported_for(tool: SnapshotTool, tests: tuple[CIError, ...]) -> tuple[CIError, ...]:
    return tuple(e for e in tests if e.tool in tool.reported_by)


def _of_file(tool: SnapshotTool, edits: tuple[Edit, ...], file: str, view: TreeView) -> tuple[Edit, ...]:
    """The edits to a file; empty where they change more than snapshots."""
    file_edits = tuple(edit for edit in edits if edit.file == file)
    old = view.read(file) or b""
    new = apply_edits(file_edits, view.read).get(file) if file_edits else None
    return file_edits if new is not None and tool.only(old, new) else ()


def _candidate(tool: SnapshotTool, edits: tuple[Edit, ...], errors: tuple[CIError, ...]) -> Candidate:
    return Candidate(
        source=f"{SNAPSHOTS}{tool.name}",
        phase="free",
        title=f"Update {tool.name}'s snapshots",
        explanation=f"A person asked for it: {tool.name} wrote down what the code gives now. The code was not "
        "repaired: review every change: a bug would become the expected output.",
        confidence=CONFIDENCE,
        error_ids=tuple(e.id for e in errors),
        edits=edits,
        flags=(MARK,),
    )
