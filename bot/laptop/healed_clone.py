"""Heal on a laptop: the same engine and store on a person's own clone; nothing there changes until `heal apply`.

What only shows or applies proposals is in `local.py` and doesn't load the engine, which takes longer than its work.
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
from healing.checks.canary import INSTALL_ITSELF
from healing.checks.check import Check
from healing.checks.running import Checker
from healing.failed_jobs import FailedJob, Trees
from healing.git import NotEditable
from healing.model import NotChecked, Outcome
from healing.pipeline.failure import Failure
from healing.pipeline.pipeline import Tools, heal
from healing.policy.unsent import Unsent
from healing.repair.agents.profiles import of_repository

Say = Callable[[str], Awaitable[None]]


@dataclass
class HealedClone(LocalRepo):
    """A clone that can be healed."""

    async def believed(self, code: Code, checks: tuple[Check, ...], checker: Checker, outcome: Outcome) -> Outcome:
        """The outcome; where it found nothing wrong, only with checks that are shown to read these files."""
        if outcome.errors or outcome.not_looked:
            return outcome
        results = [await self.proven(one, await checker.run(one, code.tree), checker, code) for one in checks]
        doubts = tuple(
            NotChecked(what=check.title, why=result.problem, advice=INSTALL_ITSELF)
            for check, result in zip(checks, results, strict=True)
            if result.problem
        )
        return outcome.model_copy(update={"not_looked": doubts, "verdict": "could-not-look"}) if doubts else outcome

    def failure(self, code: Code, checks: tuple[Check, ...], log: bytes | None = None) -> Failure:
        """The working tree as the engine sees it; what this change did shows against the commit that it starts from,
        committed or not."""
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
            unsent=Unsent.of(self.view(code).read),
            search=config.search,
            environment=self.engine.environment,
        )

    def _changed(self, before: str | None, after: str) -> frozenset[str]:
        try:
            return frozenset(self.git.changed(before, after)) if before else frozenset()
        except NotEditable:  # a link or a submodule changed
            return frozenset()

    async def heal(self, code: Code, failure: Failure, checker: Checker, say: Say, overnight: bool = False) -> Outcome:
        """Heals and keeps run and proposals in the local store. `overnight`: models may be asked in batches."""
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


def clone_to_heal(
    path: Path, settings: Settings, now: Callable[[], float] = time.time, command: str = ""
) -> AbstractAsyncContextManager[HealedClone]:
    """Opens the clone around `path`; `command` is the one that the person typed, if any. Raises UserError where there
    is none, or where git or Heal's own data fail."""
    return opened(HealedClone, path, settings, now, command)
