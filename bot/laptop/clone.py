"""A person's own clone, opened for checks: its current files, the sandbox, and stored results.

Proposals are handled in `local.py`, and fixing in `healed_clone.py`. A command that only runs checks imports neither,
as it should be hardly slower than the commands that it runs.
"""

import asyncio
import hashlib
import re
import shutil
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from sqlalchemy.exc import SQLAlchemyError

from bot.runs.engine import CANARIES, Engine
from bot.settings import Settings
from bot.store.database import Database
from bot.store.steps import StoredSteps
from bot.store.trouble import database_error_text
from handlers.errors import UserError
from healing.checks.check import Check, CheckResult
from healing.checks.driver import SERVICE_FAILED, SETUP_FAILED
from healing.checks.helping import advice_without_evidence
from healing.checks.missing import REPRODUCE
from healing.checks.rules import CONFIG_PATH, CheckRules
from healing.checks.running import Checker
from healing.environment.laptop import laptop_view
from healing.environment.toolchain import ToolchainError
from healing.git import Git, GitError
from healing.git.errors import Skipped
from healing.git.run_id import run_id
from healing.logs.matchers import ProblemMatcher
from healing.sandbox.promises import NO_WRITE_OUTSIDE
from healing.sandbox.remedies import remedy_for
from healing.view import TreeView

if TYPE_CHECKING:
    from bot.repo_config import ReadConfig

NOT_IN_PLACE = (
    "of what git ignores in this clone checks see only virtual environments and node_modules ({why}). To show all of "
    "it: {remedy}"
)
# Commands that compare the files with the last commit, as a check does after a generator.
COMPARES = re.compile(r"\bgit (?P<what>diff|status)\b[^\n;&|]{0,200}? --(?:exit-code|quiet|porcelain)\b")
UNCOMMITTED = (
    "it compares your files with the last commit, and they differ: Heal runs it as if they had been committed, and so "
    "it passes here"
)
MAX_NAMES = 3


Kind = TypeVar("Kind", bound="OpenClone")


@dataclass(frozen=True)
class Code:
    """The current working tree (including uncommitted, unignored files), the commit at HEAD, and the commit on which
    the current work is based. `left_out` is what the tree lacks of the clone."""

    tree: str
    head: str
    base: str
    left_out: tuple[Skipped, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence on the files that checks don't see, if there are any."""
        if not self.left_out:
            return ()
        named = [f"{left.path} {left.why}" for left in self.left_out[:MAX_NAMES]]
        more = len(self.left_out) - len(named)
        return ("left out of what checks see: " + "; ".join([*named, *([f"{more} more"] if more else [])]),)

    @property
    def run_id(self) -> str:
        """The run id, which is the same for the same code."""
        return run_id(self.tree, self.head)


@dataclass
class Stored:
    """Results that were read from the store instead of being computed: check key or kind → Unix time of the result.
    Results of this command itself, made after `began`, are not included."""

    began: float = float("inf")
    made_at: dict[str, float] = field(default_factory=dict)

    def note_hit(self, kind: str, key: object, made_at: float) -> None:
        """Records a result that was read from the store."""
        if made_at >= self.began:
            return
        name = str(key[0]) if kind == "check" and isinstance(key, list) and key else kind
        self.made_at[name] = min(made_at, self.made_at.get(name, made_at))


@dataclass
class OpenClone:
    """One clone: `root` is its top folder, `repo_id` its id in the store. `folder` is where the person is or which
    folder they named, relative to `root`."""

    root: Path
    git: Git
    engine: Engine
    database: Database
    repo_id: int
    now: Callable[[], float]  # Unix time
    stored: Stored = field(default_factory=Stored)
    folder: str = "."

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences on parts of the person's environment that checks don't see."""
        view = self.engine.view
        if view is None:
            return ()
        why = self.engine.apart
        apart = [NOT_IN_PLACE.format(why=why, remedy=remedy_for(why))] if why else []
        return tuple(dict.fromkeys([*view.notes, *apart]))

    def installed(self, program: str) -> bool:
        """Whether the person's environment, as checks see it, has a program of that name."""
        folders = self.engine.view.env["PATH"] if self.engine.view else None
        return shutil.which(program, path=folders) is not None

    async def code(self, base: str = "") -> Code:
        """Reads the working tree. `base` names the commit or branch on which the work is based; by default the default
        branch. Raises GitError if there is no commit yet, or no such base."""
        tree, head, left_out = await asyncio.to_thread(self.git.working_tree, self.root)
        return Code(tree, head, await asyncio.to_thread(self.git.base_commit, self.root, head, base), left_out)

    def view(self, code: Code) -> TreeView:
        """Returns a view of the working tree's files."""
        return self.git.view(code.tree)

    async def checker(self, code: Code, fresh: bool = False) -> Checker:
        """Returns a checker that runs checks on the code, or reads stored results of the same code (`stored` says from
        when); with `fresh` checks are run again. Raises UserError if no sandbox works."""
        await self.engine.need_sandbox()
        steps = self.steps(code)
        if fresh:
            await steps.forget("check")
        config = self._config(code)
        rules = config.check_rules() if config else CheckRules()
        kept = StoredSteps(self.database, self.repo_id, CANARIES, self.now)
        checker = await self.engine.checker(code.run_id, self.git, steps, self.matchers(code), rules, kept)
        assert checker is not None, "need_sandbox has looked"
        await checker.worktrees.base(
            code.run_id, self.git, code.tree, apart=NO_WRITE_OUTSIDE in checker.sandbox.promises
        )
        return checker

    async def proven(self, check: Check, result: CheckResult, checker: Checker, code: Code) -> CheckResult:
        """Returns the result, with a problem if it is not trustworthy: it is green although the command doesn't read
        these files (proven once per environment, for all trees), or red because of the environment."""
        if not result.green:
            return await self._trusted(check, result, checker, code)
        if await asyncio.to_thread(self._compares_changes, check, code):
            return result.model_copy(update={"problem": UNCOMMITTED, "advice": "git commit -a, or git stash, first"})
        from healing.checks.canary import why_no_evidence

        why = await why_no_evidence(checker, check, code.tree)
        if not why:
            return result
        own = self.engine.view
        advice = advice_without_evidence(self.view(code), own) if own else ""
        return result.model_copy(update={"problem": f"{REPRODUCE}: {why}", "advice": advice})

    def _compares_changes(self, check: Check, code: Code) -> bool:
        """Whether a check, or what it calls, compares files with the last commit that differ from it. New files count
        for `git status`."""
        if not self.git.has(code.head) or (committed := self.git.tree_of(code.head)) == code.tree:
            return False
        from healing.verify.roles.reached import called_texts

        view = self.view(code)
        called = called_texts(check.step.cwd, check.step.run, frozenset(view.paths()), view.read)
        texts = (check.step.run, *(text for _, text in called))
        compares = {match["what"] for text in texts for match in COMPARES.finditer(text)}
        changes = self.git.changed(committed, code.tree).values() if compares else ()
        return any(old is not None or "status" in compares for old, _ in changes)

    async def _trusted(self, check: Check, result: CheckResult, checker: Checker, code: Code) -> CheckResult:
        not_run = result.exit_code is None or result.exit_code in (SETUP_FAILED, SERVICE_FAILED)
        if not_run or not self.engine.environment:
            return result
        from healing.pipeline.trust import why_not_reproduced

        base = self.git.tree_of(code.base) if self.git.has(code.base) else None
        doubt = await why_not_reproduced(check, result, base, self.git, checker)
        if doubt is None:
            return result
        return result.model_copy(update={"problem": doubt.why, "advice": doubt.advice})

    def matchers(self, code: Code) -> tuple[ProblemMatcher, ...]:
        """Returns the problem matchers of the working tree's own configuration."""
        config = self._config(code)
        return config.matchers(self.view(code).read)[0] if config else ()

    def _config(self, code: Code) -> "ReadConfig | None":
        """Returns the clone's own configuration; None if it has none."""
        data = self.view(code).read(CONFIG_PATH)
        if data is None:
            return None
        from bot.repo_config import read_repo_config

        return read_repo_config(data)

    def steps(self, code: Code) -> StoredSteps:
        """Returns the durable steps of this run, so that nothing is computed twice for the same code."""
        return StoredSteps(self.database, self.repo_id, code.run_id, self.now, self.stored.note_hit)


@asynccontextmanager
async def opened(
    kind: type[Kind], path: Path, settings: Settings, now: Callable[[], float] = time.time, command: str = ""
) -> AsyncIterator[Kind]:
    """Opens the clone around `path` as a `kind`; `command` is the one that the person typed, if any. Raises UserError
    if there is no clone, or on errors of git or Heal's own data."""
    root, folder = _root(path), path.resolve()
    try:
        database = await Database.open(settings.store_url)
        try:
            engine = Engine(settings, view=laptop_view(root, command=command, folder=folder))
            engine.worktrees.sweep()
            digest = hashlib.sha256(str(root).encode("utf-8", "surrogateescape")).digest()
            with engine.worktrees.mirror(f"local/{root.name}-{digest.hex()[:12]}") as git:
                repo_id = int.from_bytes(digest[:7], "big")
                try:
                    below = folder.relative_to(root).as_posix()
                    yield kind(root, git, engine, database, repo_id, now, Stored(now()), below)
                finally:
                    await engine.close()
        finally:
            await database.close()
    except (GitError, ToolchainError) as error:
        raise UserError(str(error)) from error
    except SQLAlchemyError as error:
        raise UserError(database_error_text(settings.store_name, "used", error)) from error


def _root(path: Path) -> Path:
    start = path.resolve()
    if not start.is_dir():
        raise UserError(f"{path} is not a folder. Run heal inside a clone, or give its path; a command follows --run")
    for folder in (start, *start.parents):
        if (folder / ".git").exists():
            return folder
    raise UserError(f"{path} is not inside a git repository. Run heal inside a clone, or give its path")
