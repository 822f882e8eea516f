"""What costs no tokens: the repo's own tools (AF-1, AF-2), then fixers (AF-3); all of it goes through the door."""

import asyncio
from dataclasses import dataclass, field

from healing.autofix import RUNNERS
from healing.autofix.runner import Runner
from healing.causes import find_causes
from healing.door import Door
from healing.edits import EditError, edits_between
from healing.fixers import FIXERS
from healing.fixers.fixer import Repo
from healing.graph import Cache, import_graph
from healing.model import Candidate, CIError, Edit, NotLooked, Proposal
from healing.names import NameIndex
from healing.remaining import Remaining
from healing.sandbox.job import Job, Limits

AUTOFIX_LIMITS = Limits(seconds=120)
UNDEFINED = {"F821", "name-defined", "NameError"}
UNUSED = {"F401", "F841"}
ROUNDS = 4  # a cure may reveal what it hid; more rounds than this are a loop


@dataclass
class Free:
    """The free phase of one run. `renamed_from` is the base branch's tree, where the change can be seen from."""

    door: Door
    not_looked: list[NotLooked]
    renamed_from: str | None = None
    imports: Cache = field(default_factory=Cache)
    _seen: Repo | None = None

    async def stand_by(self, standing: tuple[Proposal, ...], errors: tuple[CIError, ...]) -> None:
        """Takes in again what was offered before and still holds here, before anything else is tried (IN-3)."""
        for proposal in standing:
            candidate = Candidate(
                source=proposal.source,
                phase=proposal.phase,
                title=proposal.title,
                explanation=proposal.explanation,
                confidence=proposal.confidence,
                error_ids=tuple(e.id for e in errors),
                edits=proposal.edits,
            )
            await self.door.submit(candidate, on=self.door.trees.head)

    async def autofix(self, errors: tuple[CIError, ...]) -> None:
        """Runs the tools that the repo uses, each on the bare head, so that each result stands alone."""
        view = self.door.git.view(self.door.trees.head)
        commands = tuple(check.step.run for check in self.door.checks)
        for runner in RUNNERS:
            wanted = runner.wants(errors) if runner.used(view, commands) else ()
            if wanted:
                await self._autofix_with(runner, wanted)

    async def _autofix_with(self, runner: Runner, wanted: tuple[CIError, ...]) -> None:
        """One proposal for the tool; where the whole is refused, one for each file, so that one bad file spoils
        nothing else."""
        why = await self._try(runner, wanted)
        if not why:
            return
        files = sorted({e.file for e in wanted if e.file})
        for file in files if len(files) > 1 else ():
            why = await self._try(runner, tuple(e for e in wanted if e.file == file))
        if why:
            self.not_looked.append(NotLooked(what=f"autofix with {runner.name}", why=f"its result was undone: {why}"))

    async def _try(self, runner: Runner, wanted: tuple[CIError, ...]) -> str:
        """Why the tool's result was refused; empty where it was accepted, or where the tool changes nothing."""
        why = ""
        for on in dict.fromkeys((self.door.trees.head, self.door.integration)):
            edits = await self._run(runner, wanted, on)
            if not edits:
                return ""
            verdict = await self.door.submit(_autofix_candidate(runner, edits, wanted), on=on)
            if verdict.accepted:
                return ""
            why = verdict.message[:300]
        return why

    async def _run(self, runner: Runner, wanted: tuple[CIError, ...], on: str) -> tuple[Edit, ...]:
        """The edits that the tool makes in the files that the errors name, run in the sandbox."""
        files = tuple(sorted({e.file for e in wanted if e.file}))
        argv = runner.argv(files, wanted)
        checker = self.door.checker

        async def really() -> list[dict[str, object]]:
            name, layered = f"autofix-{runner.name}", checker.sandbox.layered
            async with checker.worktrees.worktree(checker.run_id, name, checker.git, on, layered) as tree:
                job = Job(
                    argv,
                    tree.root,
                    env=checker.toolchain.env,
                    readable=checker.toolchain.readable,
                    limits=AUTOFIX_LIMITS,
                )
                done = await checker.sandbox.run(tree.placed(job))
                after = await asyncio.to_thread(tree.snapshot) if done.exit_code == 0 else on
            return [edit.model_dump() for edit in _edits(self.door, on, after)]

        if not argv:
            return ()
        stored = await checker.steps.run("autofix", [runner.name, list(argv), on], really)
        return tuple(Edit.model_validate(edit) for edit in stored)

    async def fix(self, remaining: Remaining) -> None:
        """Tries the fixers on what is left, in order of certainty, until nothing more is accepted."""
        tried: set[str] = set()
        for _ in range(ROUNDS):
            progress = False
            for cause in find_causes(await remaining(), self.door.git.view(self.door.integration)):
                left = {e.id: e for e in await remaining()}
                errors = tuple(left[i] for i in cause.error_ids if i in left)
                if errors and await self._fix_cause(errors, tried):
                    progress = True
            if not progress:
                return

    async def _fix_cause(self, errors: tuple[CIError, ...], tried: set[str]) -> bool:
        repo = await asyncio.to_thread(self._repo)
        for cause in find_causes(errors, repo.view):
            for fixer in FIXERS:
                for candidate in fixer.propose(cause, errors, repo):
                    mark = candidate.model_dump_json()
                    if mark in tried:
                        continue
                    tried.add(mark)
                    if (await self.door.submit(candidate)).accepted:
                        return True
        return False

    def _repo(self) -> Repo:
        """What fixers see of the integration tree; made anew only when that has changed."""
        view = self.door.git.view(self.door.integration)
        if self._seen is None or self._seen.view.tree != view.tree:
            before = self.door.git.view(self.renamed_from) if self.renamed_from else None
            self._seen = Repo(view=view, index=NameIndex(view), graph=import_graph(view, self.imports), before=before)
        return self._seen


def _autofix_candidate(runner: Runner, edits: tuple[Edit, ...], cured: tuple[CIError, ...]) -> Candidate:
    return Candidate(
        source=f"autofix:{runner.name}",
        phase="free",
        title=f"Apply {runner.name}",
        explanation=f"This is what {runner.name} itself changes, with the settings of this repository.",
        confidence=99,
        error_ids=tuple(e.id for e in cured),
        edits=edits,
    )


def held_back(errors: tuple[CIError, ...]) -> tuple[CIError, ...]:
    """Errors that wait for the fixers: an unused import beside an undefined name is often one and the same slip of
    the pen, and taking the import away would be half of the wrong cure. So such files wait as a whole."""
    undefined = {e.file for e in errors if e.code in UNDEFINED}
    waiting = undefined & {e.file for e in errors if e.code in UNUSED}
    return tuple(e for e in errors if e.file in waiting)


def _edits(door: Door, before: str, after: str) -> list[Edit]:
    view = door.git.view(before)
    edits: list[Edit] = []
    for path, (old, new) in sorted(door.git.changed(before, after).items()):
        try:
            edits += edits_between(path, old, new, view.mode(path) or "100644")
        except EditError:
            continue  # not text: nothing that could be offered
    return edits
