"""Fixing on a laptop: the same engine and store on a person's own clone, which isn't changed until `heal apply`.

Showing and applying proposals is in `local.py`, which doesn't import the engine: that takes longer than its work.
"""

import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path

from bot.laptop.clone import Code, opened
from bot.laptop.local import NUMBER, LocalRepo
from bot.repo_config import CONFIG_PATH, read_repo_config
from bot.runs.recording import keep
from bot.settings import Settings
from handlers.model import Run, StoredProposal
from healing.checks.check import Check
from healing.checks.running import Checker
from healing.failed_jobs import FailedJob, Trees
from healing.git import NotEditable
from healing.model import NotChecked, Outcome
from healing.pipeline.failure import Failure
from healing.pipeline.pipeline import Tools, heal
from healing.policy.unsent import UnsentFiles
from healing.repair.agents.profiles import of_repository

Say = Callable[[str], Awaitable[None]]


@dataclass
class HealedClone(LocalRepo):
    """A clone whose failures can be fixed."""

    async def with_unproven_checks(
        self, code: Code, checks: tuple[Check, ...], checker: Checker, outcome: Outcome
    ) -> Outcome:
        """Returns the outcome. If it has no errors, checks that aren't proven to read these files are added as not
        checked."""
        if outcome.errors or outcome.not_looked:
            return outcome
        results = [await self.proven(check, await checker.run(check, code.tree), checker, code) for check in checks]
        doubts = tuple(
            NotChecked(what=check.title, why=result.problem, advice=result.advice)
            for check, result in zip(checks, results, strict=True)
            if result.problem
        )
        return outcome.model_copy(update={"not_looked": doubts, "verdict": "could-not-look"}) if doubts else outcome

    def failure(self, code: Code, checks: tuple[Check, ...], log: bytes | None = None) -> Failure:
        """Returns the engine's input for the working tree. The change, committed or not, is compared with the commit on
        which it is based."""
        jobs = (FailedJob("log", None, (), log),) if log is not None else ()
        read = read_repo_config(self.view(code).read(CONFIG_PATH))
        config = read.config
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
            agents=config.agents,
            specialists=of_repository(self.view(code).paths(), self.view(code).read)[0],
            policy=read.fix_policy(),
            autofix=config.autofix,
            unsent=UnsentFiles.of(self.view(code).read),
            search=config.search,
            environment=self.engine.environment,
        )

    def _changed(self, before: str | None, after: str) -> frozenset[str]:
        try:
            return frozenset(self.git.changed(before, after)) if before else frozenset()
        except NotEditable:  # a link or a submodule changed
            return frozenset()

    async def heal(self, code: Code, failure: Failure, checker: Checker, say: Say, overnight: bool = False) -> Outcome:
        """Fixes the failures, and saves run and proposals in the local store. `overnight`: models may be called in
        batches."""
        models = self.engine.models.under(failure.agents)
        async with models.model_set(self.store, code.run_id, None, overnight) as model_set:
            memory = self.store.memory(code.run_id)
            await keep(self.steps(code), failure)
            tools = Tools(
                self.git,
                self.steps(code),
                checker,
                model_set,
                time.monotonic,
                say,
                memory=memory,
                missing=models.missing,
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
        stored = tuple(StoredProposal.model_validate({"proposal": p, **about}) for p in outcome.proposals)
        await self.store.save_proposals(stored)
        for item in stored:  # found again for the current files, so it can be applied again
            await self.store.update_proposal(
                item, {"status": "pending", "reason": ""}, only=("rolled-back", "outdated")
            )
        return outcome

    async def _outdate(self, code: Code) -> None:
        """Marks pending proposals of earlier code as outdated if their lines were edited."""
        stored = await self.refreshed()
        states = self.states(stored)
        for item in stored:
            if item.status == "pending" and item.run_id != code.run_id and states[item.proposal.id].state == "edited":
                await self.mark(item, "outdated")


def clone_to_heal(
    path: Path, settings: Settings, now: Callable[[], float] = time.time, command: str = ""
) -> AbstractAsyncContextManager[HealedClone]:
    """Opens the clone around `path`; `command` is the one that the person typed, if any. Raises UserError if there is
    no clone, or on errors of git or Heal's own data."""
    return opened(HealedClone, path, settings, now, command)
