"""Heal on a laptop: the same engine and store on a person's own clone; nothing there changes until `heal apply`."""

import hashlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bot.engine import Engine
from bot.settings import Settings
from bot.store.database import Database
from bot.store.repo import RepoStore
from bot.store.steps import StoredSteps
from handlers.errors import UserError
from handlers.ports import Run, StoredProposal
from healing.checks.check import Check
from healing.checks.finding import check_of, is_check
from healing.checks.workflow import WorkflowError, parse_workflow
from healing.failure import FailedJob, Failure, Trees
from healing.gitio import Git, GitError
from healing.model import Outcome
from healing.pipeline import Tools, heal
from healing.run_id import run_id
from healing.view import TreeView

NUMBER = 0  # a laptop's proposals belong to no pull request


@dataclass
class LocalRepo:
    """One clone: `root` is its top folder, `tree` the working tree as it is now (uncommitted, unignored files too)."""

    root: Path
    git: Git
    tree: str
    head: str
    engine: Engine
    database: Database
    store: RepoStore

    @property
    def run_id(self) -> str:
        """WT-1: the same code gives the same run."""
        return run_id(self.tree, self.head)

    def steps(self) -> StoredSteps:
        """Durable results of this run: the same code is not paid for twice."""
        return StoredSteps(self.database, self.store.repo_id, self.run_id, time.time)

    def view(self) -> TreeView:
        """The working tree."""
        return self.git.view(self.tree)

    async def heal(
        self, checks: tuple[Check, ...], log: bytes | None, progress: Callable[[str], Awaitable[None]]
    ) -> Outcome:
        """Heals and keeps the proposals in the local store."""
        steps = self.steps()
        checker = await self.engine.checker(self.run_id, self.git, steps)
        jobs = (FailedJob("log", None, (), log),) if log is not None else ()
        failure = Failure(self.run_id, Trees(self.tree, self.tree), jobs, checks, base_view_tree=self._committed())
        tools = Tools(self.git, steps, checker, self.engine.team(), time.monotonic, progress)
        outcome = await heal(failure, tools)
        run = Run(
            repo_id=self.store.repo_id,
            full_name=str(self.root),
            installation_id=0,
            sha=self.head,
            attempt=1,
            number=NUMBER,
            state="done",
            run_id=self.run_id,
            outcome=outcome,
        )
        await self.store.save_run(run)
        await self.store.save_proposals(tuple(_stored(run, p) for p in outcome.proposals))
        await self.store.save_unfixables(NUMBER, self.run_id, outcome.unfixables)
        return outcome

    def _committed(self) -> str | None:
        """The tree of HEAD, where the working tree differs from it: what this change renamed shows against it."""
        tree = self.git.tree_of(self.head) if self.git.has(self.head) else None
        return tree if tree != self.tree else None


def _stored(run: Run, proposal: object) -> StoredProposal:
    return StoredProposal.model_validate(
        {"proposal": proposal, "run_id": run.run_id, "attempt": 1, "number": NUMBER, "status": "pending"}
    )


@asynccontextmanager
async def local_repo(path: Path, settings: Settings) -> AsyncIterator[LocalRepo]:
    """Opens the clone around `path`. Raises UserError where there is none."""
    root = _root(path)
    settings.data.mkdir(parents=True, exist_ok=True)
    database = await Database.open(settings.store_url)
    try:
        engine = Engine(settings)
        engine.worktrees.sweep()
        digest = hashlib.sha256(str(root).encode()).digest()
        with engine.worktrees.mirror(f"local/{root.name}-{digest.hex()[:12]}") as git:
            try:
                tree, head = git.working_tree(root)
            except GitError as error:
                raise UserError(f"{error}") from error
            repo_id = int.from_bytes(digest[:7], "big")
            store = RepoStore(database, repo_id, str(root), lambda: datetime.now(UTC).timestamp())
            yield LocalRepo(root, git, tree, head, engine, database, store)
    finally:
        await database.close()


def _root(path: Path) -> Path:
    start = path.resolve()
    for folder in (start, *start.parents):
        if (folder / ".git").exists():
            return folder
    raise UserError(f"{path} is not inside a git repository. Run it in a clone, or name one: heal run PATH …")


def workflow_checks(view: TreeView) -> tuple[tuple[Check, ...], tuple[str, ...]]:
    """Every check step of the repository's workflow files, and what could not be read."""
    checks: list[Check] = []
    problems: list[str] = []
    for path in view.paths():
        if path.startswith(".github/workflows/") and path.endswith((".yml", ".yaml")):
            try:
                workflow = parse_workflow(path, view.read(path) or b"")
            except WorkflowError as error:
                problems.append(str(error))
                continue
            checks += [check_of(workflow, job, s) for job in workflow.jobs for s in job.steps if is_check(s)]
    return tuple({c.key: c for c in checks}.values()), tuple(problems)
