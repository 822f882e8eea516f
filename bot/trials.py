"""Trials in the repository's own CI (`verify`): a tree on a branch of Heal's, what CI says of it, and never a
branch left behind."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass

from bot.github.reader import Reader
from bot.github.shapes import WorkflowRunNow
from bot.github.tries import PREFIX, TryBranches, TryPlan
from bot.store.tries import Tries, TryRow
from handlers.events import Repo
from handlers.model import Job, Pull, Refused
from healing.checks.running import clip
from healing.checks.triggers import starts_on_push
from healing.failed_jobs import FailedJob, Trees
from healing.git import Git
from healing.steps import Json, Steps
from healing.verify.trial import Trial, TriedJob, text_of

BEGIN_SECONDS = 120.0  # for CI to begin
END_SECONDS = 3600.0  # for CI to end
POLL_SECONDS = 10.0
STAY_SECONDS = 120.0  # that a run looks on before it gives its place to another
LONGEST_AWAY = 300.0  # seconds until it looks again
MOST_FILES = 300  # that are uploaded for one tree
LOG = 100_000  # characters of a job's log that are kept
NO_WORKFLOW = "Let it run for branches of Heal's: `on: push: branches: ['heal/try/**']` (docs/config.md, `verify`)."

log = logging.getLogger("heal.trials")


class AtWork(Refused):
    """CI is still running: whoever waits for it comes back later, and finds it by its branch."""

    def __init__(self, waited: float) -> None:
        super().__init__(202, "CI is still running", retry_after=min(max(waited / 2, POLL_SECONDS), LONGEST_AWAY))


class NoTrial(Exception):
    """Nothing was learnt; that is not remembered."""

    def __init__(self, trial: Trial) -> None:
        super().__init__(trial.problem)
        self.trial = trial


@dataclass(frozen=True)
class TrialPlace:
    """What trials of one repository need: reading, the branches, the notes of them, and one trial at a time."""

    installation_id: int
    repo: Repo
    reader: Reader
    branches: TryBranches
    tries: Tries
    one: Callable[[], AbstractAsyncContextManager[None]]


@dataclass
class RunTrials:
    """`healing.verify.trial.InCi` for the head of one pull request. `attempt` 0: a proof that is no run's."""

    place: TrialPlace
    pull: Pull
    attempt: int
    run_id: str
    trees: Trees
    git: Git
    steps: Steps

    async def trial(self, tree: str, wanted: tuple[FailedJob, ...]) -> Trial:
        """See InCi. What CI reported on a tree is remembered; what could not be learnt is asked again. Raises Refused
        for a rate limit, and AtWork where CI takes long: come back later."""

        place = self.place
        branch = f"{PREFIX}{self.run_id}/{self.attempt}-{tree[:12]}"

        async def really() -> Json:
            trial = await self._try(tree, branch, wanted)
            if trial.problem:
                raise NoTrial(trial)
            return trial.model_dump(mode="json")

        names = sorted([job.workflow_path or "", job.name] for job in wanted)
        async with place.one(), AsyncExitStack() as stack:
            stack.push_async_callback(self._tidy, branch)  # what CI reported is stored by then: it is not needed again
            try:
                return Trial.model_validate(await self.steps.run("trial", [tree, *names], really))
            except NoTrial as none:
                return none.trial
            except AtWork:
                stack.pop_all()
                raise

    async def _tidy(self, branch: str) -> None:
        place = self.place
        if await place.tries.since(place.repo.id, branch) is not None:
            await remove(place.branches, place.tries, place.repo.id, branch)

    async def _try(self, tree: str, branch: str, wanted: tuple[FailedJob, ...]) -> Trial:
        if not wanted:
            return Trial(tree=tree, problem="no job of CI is known that had failed")
        if lacking := next((job for job in wanted if not job.workflow_path), None):
            problem = f"“{lacking.name}” is no job of a workflow here, so CI can't be asked for it"
            return Trial(tree=tree, problem=problem)
        if idle := self._not_started(tree, branch, wanted):
            return Trial(tree=tree, problem=f"{idle} does not run for branches of Heal's", advice=NO_WORKFLOW)
        repo, now = self.place.repo, self.place.tries.now()
        sha, attempt = self.pull.head_sha, self.attempt
        await self.place.tries.begin(
            TryRow(repo.id, branch, repo.full_name, self.place.installation_id, sha, attempt, now)
        )
        try:
            return await self._judged(tree, branch, wanted)
        except Refused as refusal:
            if refusal.retry_after is not None:
                raise
            advice = "The App needs `contents: write`, and no rule may forbid branches `heal/try/**`."
            return Trial(tree=tree, problem=f"the branch {branch} can't be had: {refusal.message}", advice=advice)

    async def _judged(self, tree: str, branch: str, wanted: tuple[FailedJob, ...]) -> Trial:
        plan = await asyncio.to_thread(self._plan, tree, branch)
        if plan is None:
            return Trial(tree=tree, problem=f"the merge with the base differs in more than {MOST_FILES} files")
        sha = await self.place.branches.show(plan)
        paths = {job.workflow_path or "" for job in wanted}
        runs = await self._runs(sha, paths, branch)
        if isinstance(runs, str):
            advice = NO_WORKFLOW if "no workflow" in runs else ""
            return Trial(tree=tree, branch=branch, problem=runs, advice=advice)
        names = {(job.workflow_path, job.name) for job in wanted}
        jobs = [await self._job(job, run, names) for run in runs for job in await self.place.reader.jobs_of(run.id)]
        return Trial(tree=tree, branch=branch, jobs=tuple(jobs))

    def _not_started(self, tree: str, branch: str, wanted: tuple[FailedJob, ...]) -> str:
        """A workflow file with a job that is wanted and that no push to the branch starts; empty where there is none:
        else a branch would be made for nothing."""
        view = self.git.view(tree)
        files = {job.workflow_path: view.read(job.workflow_path) for job in wanted if job.workflow_path}
        return next((path for path, data in files.items() if data and not starts_on_push(path, data, branch)), "")

    def _plan(self, tree: str, branch: str) -> TryPlan | None:
        """The commit, with as little to upload as can be: a merge differs little from one of its parents."""
        ways = [(self.pull.head_sha, self.trees.head)]
        if self.trees.target is not None:
            ways.append((self.pull.base_sha, self.trees.target))
        changed = [(sha, base, self.git.changed(base, tree)) for sha, base in ways]
        sha, _, files = min(changed, key=lambda way: len(way[2]))
        if len(files) > MOST_FILES:
            return None
        view = self.git.view(tree)
        changes = {
            name: None if new is None else (view.mode(name) or "100644", new) for name, (_, new) in files.items()
        }
        parents = (sha, *(other for other, _ in ways if other != sha))
        message = f"Heal: try a fix of {self.pull.head_sha[:12]}\n\nThis branch is removed as soon as CI has judged it."
        return TryPlan(branch, tree, parents, changes, message)

    async def _runs(self, sha: str, paths: set[str], branch: str) -> tuple[WorkflowRunNow, ...] | str:
        """All workflow runs of the commit, once they are over; or why not. Raises AtWork."""
        tries, entered = self.place.tries, self.place.tries.now()
        begun = await tries.since(self.place.repo.id, branch) or entered
        while True:
            runs = await self.place.reader.runs_at(sha)
            waited = tries.now() - begun
            missing = sorted(paths - {run.path for run in runs})
            if not missing and all(run.completed for run in runs):
                return runs
            if missing and waited >= BEGIN_SECONDS:
                return f"no workflow run of {', '.join(missing)} began within {BEGIN_SECONDS / 60:.0f} minutes"
            if waited >= END_SECONDS:
                return f"CI did not end within {END_SECONDS / 60:.0f} minutes"
            if over := await self._over():
                return over
            if tries.now() - entered >= STAY_SECONDS:
                raise AtWork(waited)
            await self.place.branches.client.transport.sleep(POLL_SECONDS)

    async def _over(self) -> str:
        """Why CI's word is no longer wanted; empty where it is."""
        pull = await self.place.reader.pull(self.pull.number)
        if pull is None or pull.state == "closed":
            return "the pull request was closed while CI ran"
        return "" if pull.head_sha == self.pull.head_sha else "the branch changed while CI ran"

    async def _job(self, job: Job, run: WorkflowRunNow, wanted: set[tuple[str | None, str]]) -> TriedJob:
        conclusion = job.conclusion or "cancelled"
        needed = (run.path, job.name) in wanted or conclusion not in ("success", "skipped", "neutral")
        raw = await self.place.reader.job_log(job.id) if needed and conclusion != "skipped" else None
        text = None if raw is None else clip(await asyncio.to_thread(text_of, raw), LOG)
        return TriedJob(workflow_path=run.path, name=job.name, conclusion=conclusion, url=run.url, log=text)


async def remove(branches: TryBranches, tries: Tries, repo_id: int, branch: str) -> None:
    """Removes a branch, after CI's runs on it were cancelled; what GitHub doesn't let us now, the sweep tries again."""
    try:
        if why := await branches.stop_ci(branch):
            log.info("CI's runs on %s end by themselves, because the App may not cancel them: %s", branch, why)
        await branches.remove(branch)
    except Refused as refusal:
        log.warning("the branch %s could not be removed yet: %s", branch, refusal)
        return
    await tries.end(repo_id, branch)
