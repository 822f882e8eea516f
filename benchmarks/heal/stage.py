"""One case through the whole engine: a repository of one commit, its red command, and the answer lying nowhere."""

import subprocess
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.heal.cases import Case
from benchmarks.heal.judge import Files, Judge, Seen, environment, named, verdict
from benchmarks.heal.listening import Listening
from benchmarks.heal.packages import Packages, Unbuildable
from benchmarks.heal.tally import Ended
from bot.runs.engine import Engine
from healing.checks.check import WORKSPACE, Check, Script
from healing.edits.exact import EditError, apply_edits
from healing.environment.toolchain import Toolchain
from healing.failed_jobs import Trees
from healing.git import Git
from healing.git.run_id import run_id
from healing.git.transport import open_local
from healing.llm.budget import Budget
from healing.model import Outcome
from healing.pipeline.agent_work.model_set import ModelSet
from healing.pipeline.failure import Failure
from healing.pipeline.pipeline import Tools, heal
from healing.steps import MemorySteps

GIT = ("git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main", "-c", "core.autocrlf=false")


@dataclass
class Stage:
    """What all cases share."""

    engine: Engine
    packages: Packages
    judge: Judge
    toolchain: Toolchain
    search: bool
    model: bool

    async def play(self, case: Case) -> Ended:
        """Builds, heals and judges one case."""
        with tempfile.TemporaryDirectory() as folder:
            try:
                packages = await self.packages.installed(case.requirement)
                root = await self.packages.unpack(case.requirement, Path(folder))
                released = _files(root)
                case.break_files(root)
            except Unbuildable as error:
                return Ended(case, "could_not_look", str(error))
            broken = _files(root)
            seen = [await self.judge.look(case, files, packages) for files in (released, broken)]
            if why := _unsuitable(case, *seen):
                return Ended(case, "could_not_look", why)
            inbox = Listening()
            with self.engine.worktrees.mirror(f"benchmark/{case.id}") as git:
                began = time.monotonic()
                outcome = await self._heal(case, git, _committed(git, root), packages, inbox)
                seconds = round(time.monotonic() - began, 1)
        ended = await self._judged(case, outcome, broken, released, seen, packages)
        spent = outcome.spending
        tokens = spent.input_tokens + spent.output_tokens + spent.cache_read_tokens + spent.cache_write_tokens
        reported = replace(ended, seconds=seconds, tokens=tokens, dollars=spent.dollars)
        return replace(reported, calls=spent.calls, tampered=inbox.tampered)

    async def _heal(self, case: Case, git: Git, commit: str, packages: Path, inbox: Listening) -> Outcome:
        tree = git.tree_of(commit)
        ident = run_id(tree, commit)
        steps = MemorySteps()
        checker = await self.engine.checker(ident, git, steps)
        if checker is not None:
            # The machine has what the cases need: nothing is installed for them.
            readable = (*self.toolchain.readable, packages)
            checker.toolchain = replace(self.toolchain, readable=readable, bare=None)
        script = Script(name="Tests", run=case.command, env=environment(WORKSPACE, packages))
        checks = (Check(workflow="", job="", step=script),)
        failure = Failure(ident, commit, Trees(tree, tree), checks=checks, search=self.search)
        fallback_chain = self.engine.models.fallback_chain() if self.model else None
        model_set = ModelSet(fallback_chain, Budget(self.engine.settings.budget_dollars)) if fallback_chain else None
        return await heal(failure, Tools(git, steps, checker, model_set, time.monotonic, _silent, memory=inbox))

    async def _judged(
        self, case: Case, outcome: Outcome, broken: Files, released: Files, seen: list[Seen], packages: Path
    ) -> Ended:
        if not outcome.proposals:
            look = outcome.verdict == "could-not-look"
            why = "; ".join([n.why for n in outcome.not_looked] or [u.why for u in outcome.unfixables])
            return Ended(case, "could_not_look" if look else "unfixable", why[:300])
        sources = tuple(p.source for p in outcome.proposals)
        try:
            files = _applied(outcome, broken)
        except EditError as error:
            return Ended(case, "wrong", f"the proposals can't be applied together: {error}", sources)
        changed = frozenset(path for path in {*files, *broken} if files.get(path) != broken.get(path))
        whole, red = seen
        how, why = verdict(case, changed, whole, red, await self.judge.look(case, files, packages))
        return Ended(case, how, why, sources, exact=files == released)


def _applied(outcome: Outcome, broken: Files) -> dict[str, bytes]:
    files = dict(broken)
    for proposal in outcome.proposals:
        for path, data in apply_edits(proposal.edits, files.get).items():
            files.pop(path, None)
            if data is not None:
                files[path] = data
    return files


def _unsuitable(case: Case, whole: Seen, broken: Seen) -> str:
    if not named(case, whole):
        return "the tests that it names are not green here in the released package"
    if not any(not broken.green(test) for test in named(case, whole)):
        return "nothing is red here with its edits"
    return ""


def _files(root: Path) -> dict[str, bytes]:
    """Regular files by relative path, without git's own."""
    found = ((path.relative_to(root).as_posix(), path) for path in sorted(root.rglob("*")))
    return {name: path.read_bytes() for name, path in found if path.is_file() and not path.is_symlink()}


def _committed(git: Git, root: Path) -> str:
    """Everything as one commit, fetched into Heal's store."""
    for arguments in (["init", "-q"], ["add", "-A", "-f"], ["commit", "-q", "-m", "x"]):
        _git(root, *arguments)
    commit = _git(root, "rev-parse", "HEAD")
    git.fetch(open_local(root), [commit])
    return commit


def _git(root: Path, *arguments: str) -> str:
    return subprocess.run([*GIT, *arguments], cwd=root, check=True, capture_output=True, text=True).stdout.strip()


async def _silent(_: str) -> None:
    """Nobody listens to the phases of a case."""
