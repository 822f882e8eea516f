"""A place to heal small repositories in: real git, real sandbox, real tools, and no GitHub."""

import asyncio
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from healing.checks.check import command_check
from healing.checks.running import Checker
from healing.checks.unreadable import with_an_error
from healing.environment.toolchain import Toolchain
from healing.failed_jobs import FailedJob, StepFact, Trees
from healing.git import Git
from healing.git.run_id import run_id
from healing.git.transport import open_local
from healing.model import Candidate, CIError, Edit, Outcome
from healing.pipeline.agent_work.model_set import ModelSet
from healing.pipeline.agent_work.spreading import Distributor, NoDistributor
from healing.pipeline.failure import Failure
from healing.pipeline.interrupted import Interrupted
from healing.pipeline.pipeline import Tools, heal
from healing.policy.fixes import FixPolicy
from healing.policy.unsent import UnsentFiles
from healing.repair.agents.memory import Memory
from healing.sandbox.job import Limits, Sandbox
from healing.sandbox.probe import probe
from healing.steps import Json, MemorySteps, Steps
from healing.verify.verifier import Verifier
from healing.worktrees import Worktrees
from tests.remembering import Remembering
from tests.toolchains import laid_out, memory

Files = dict[str, str]
GIT = ("git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main", "-c", "core.autocrlf=false")

LIMITS = Limits(processes=256)  # few enough for a check that takes all that it gets


@dataclass
class Bench:
    """`heal` heals a tree made of `base` and `change`; the same bench heals many."""

    data: Path
    sandbox: Sandbox
    toolchain: Toolchain
    worktrees: Worktrees
    git: Git
    told: list[str] = field(default_factory=list)
    results: dict[str, Json] = field(default_factory=dict)  # of checks, for tests that share them
    interrupted_at: str = ""  # the beginning of the sentence at which somebody wants the healing to end

    def trees(self, *states: Files) -> list[str]:
        """A tree for each state, each on top of the one before."""
        with tempfile.TemporaryDirectory() as folder:
            self._git(folder, "init", "-q")
            commits = []
            for state in states:
                for path, text in state.items():
                    place = Path(folder, path)
                    place.parent.mkdir(parents=True, exist_ok=True)
                    place.write_bytes(text.encode())
                    place.chmod(0o755 if text.startswith("#!") else 0o644)
                self._git(folder, "add", "-A")
                self._git(folder, "commit", "-q", "--allow-empty", "-m", "x")
                commits.append(self._git(folder, "rev-parse", "HEAD"))
            self.git.fetch(open_local(Path(folder)), commits)
        return [self.git.tree_of(commit) for commit in commits]

    @staticmethod
    def _git(folder: str, *args: str) -> str:
        return subprocess.run([*GIT, *args], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()

    def checker(self, tree: str) -> Checker:
        """On a machine that has the tools: nothing is installed here."""
        having = replace(self.toolchain, bare=None)
        run = run_id(tree, "0" * 40)
        return Checker(run, self.git, self.worktrees, self.sandbox, having, MemorySteps(), limits=LIMITS)

    async def heal(
        self,
        base: Files,
        change: Files,
        *commands: str,
        workflow: str = "",
        jobs: tuple[FailedJob, ...] = (),
        model_set: ModelSet | None = None,
        sandboxed: bool = True,
        on_pull: bool = False,
        memory: Memory | None = None,
        spread: Distributor | None = None,
        steps: Steps | None = None,
        was_green: bool = False,
        policy: FixPolicy | None = None,
    ) -> Outcome:
        """Heals by commands, or by the jobs of a workflow file. `on_pull`: the base branch is known to be `base`;
        `was_green`: that is the newest commit of the branch with which CI was green."""
        before, head = self.trees({**base, **({".github/workflows/ci.yml": workflow} if workflow else {})}, change)
        return await self.heal_trees(
            before, head, change, *commands, jobs=jobs, model_set=model_set, sandboxed=sandboxed, on_pull=on_pull,
            memory=memory, spread=spread, steps=steps, was_green=was_green, policy=policy,
        )  # fmt: skip

    async def heal_trees(
        self,
        before: str,
        head: str,
        change: Iterable[str],
        *commands: str,
        jobs: tuple[FailedJob, ...] = (),
        model_set: ModelSet | None = None,
        sandboxed: bool = True,
        on_pull: bool = False,
        memory: Memory | None = None,
        spread: Distributor | None = None,
        steps: Steps | None = None,
        was_green: bool = False,
        policy: FixPolicy | None = None,
    ) -> Outcome:
        """The same where the trees are there already: `head` has changed the files `change` of `before`."""
        checker = self.checker(head)
        checker.steps = steps or checker.steps
        hands = (self.git, checker.steps, checker if sandboxed else None, model_set, time.monotonic, self._say)
        tools = Tools(*hands, memory=memory, spread=spread or NoDistributor())
        checks = tuple(command_check(command) for command in commands)
        return await heal(
            Failure(
                checker.run_id,
                "0" * 40,
                Trees(head, head, merge_base=before if on_pull else None, green=before if was_green else None),
                jobs,
                checks,
                changed_files=frozenset(change),
                base_view_tree=before,
                unsent=UnsentFiles.of(self.git.view(before).read),
                policy=policy or FixPolicy(),
            ),
            tools,
        )

    async def _say(self, sentence: str) -> None:
        self.told.append(sentence)
        if self.interrupted_at and sentence.startswith(self.interrupted_at):
            raise Interrupted("`maya` cancelled this run.")

    async def verifier(self, files: Files, *commands: str, shared: bool = False) -> Verifier:
        """A door before the errors that the commands show. `shared`: a check that ran on the same tree for another such
        door isn't run again."""
        (head,) = self.trees(files)
        checker = self.checker(head)
        if shared:
            checker.steps = Remembering(checker.steps, self.results, self.git)
        checks = tuple(command_check(command) for command in commands)
        results = {c.key: with_an_error(c, await checker.run(c, head)) for c in checks}
        errors = {e.id: e for r in results.values() for e in r.errors}
        shown = {key: frozenset(e.id for e in r.errors) for key, r in results.items()}
        return Verifier(self.git, checker, Trees(head, head), checks, errors, shown_by=shown)


@contextmanager
def open_bench(*programs: Path) -> Iterator[Bench]:
    """A bench whose checks find these folders of programs too. Skips the test where no sandbox works."""
    folder = Path(tempfile.mkdtemp(prefix="heal-engine-", dir=memory()))
    folder.chmod(0o711)
    looked = asyncio.run(probe(folder))
    if looked.sandbox is None:
        if os.environ.get("CI"):
            pytest.fail(f"CI must have a sandbox: {looked.tried}")
        pytest.skip(f"no sandbox works here: {looked.tried}")
    toolchain = laid_out(folder, looked.sandbox.owner).with_programs(programs)
    worktrees = Worktrees(folder, looked.sandbox.owner)
    with worktrees.mirror("t/r") as git:
        yield Bench(folder, looked.sandbox, toolchain, worktrees, git)
    left = [path.name for path in (folder / "trees").glob("*/*") if not path.name.startswith("spare-")]
    assert left == [], "a worktree was left behind"
    worktrees.close()
    shutil.rmtree(folder)


def candidate(
    verifier: Verifier, *edits: tuple[str, str, str], of: Callable[[CIError], bool] = lambda _: True
) -> Candidate:
    """A candidate for the errors that `of` chooses; edits are (file, old, new)."""
    return Candidate(
        source="agent:test",
        phase="slow",
        title="t",
        explanation="e",
        confidence=50,
        error_ids=tuple(i for i, e in verifier.errors.items() if of(e)),
        edits=tuple(Edit(file=f, old_string=old, new_string=new) for f, old, new in edits),
    )


def red_job(name: str, *steps: tuple[str, str], log: bytes | None = b"x") -> FailedJob:
    """A failed job of the workflow file."""
    return FailedJob(name, ".github/workflows/ci.yml", tuple(StepFact(n, c) for n, c in steps), log)
