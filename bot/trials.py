"""Trial runs in the repository's own CI (`verify`): pushes a tree to a trial branch, reads CI's result, and always
removes the branch."""

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
STAY_SECONDS = 120.0  # that a run polls CI before it is postponed, so that other runs get its place
MAX_AWAY = 300.0  # seconds until it is resumed at the latest
MAX_FILES = 300  # uploaded for one tree
LOG = 100_000  # characters of a job's log that are kept
NO_WORKFLOW = "Let it run for branches of Heal's: `on: push: branches: ['heal/try/**']` (docs/config.md, `verify`)."

log = logging.getLogger("heal.trials")


class CIStillRunning(Refused):
    """CI is still running: the run is postponed and later finds the trial by its branch."""

    def __init__(self, waited: float) -> None:
        super().__init__(202, "CI is still running", retry_after=min(max(waited / 2, POLL_SECONDS), MAX_AWAY))


class TrialFailed(Exception):
    """The trial gave no result; it is not stored as a durable step."""

    def __init__(self, trial: Trial) -> None:
        super().__init__(trial.problem)
        self.trial = trial


@dataclass(frozen=True)
class TrialContext:
    """What trials of one repository need: a reader, the branches, their records, and `one`, a lock that allows one
    trial at a time."""

    installation_id: int
    repo: Repo
    reader: Reader
    branches: TryBranches
    tries: Tries
    one: Callable[[], AbstractAsyncContextManager[None]]


@dataclass
class RunTrials:
    """`healing.verify.trial.InCi` for the head of one pull request. `attempt` 0: a proof outside of a run."""

    place: TrialContext
    pull: Pull
    attempt: int
    run_id: str
    trees: Trees
    git: Git
    steps: Steps

    async def trial(self, tree: str, wanted: tuple[FailedJob, ...]) -> Trial:
        """See InCi. A result of CI is stored as a durable step; a trial without a result is repeated when asked again.
        Raises Refused for a rate limit, and CIStillRunning if CI takes long and the run should be resumed later."""

        place = self.place
        branch = f"{PREFIX}{self.run_id}/{self.attempt}-{tree[:12]}"

        async def run_trial() -> Json:
            trial = await self._try(tree, branch, wanted)
            if trial.problem:
                raise TrialFailed(trial)
            return trial.model_dump(mode="json")

        names = sorted([job.workflow_path or "", job.name] for job in wanted)
        async with place.one(), AsyncExitStack() as stack:
            stack.push_async_callback(self._tidy, branch)  # CI's result is stored by then, so the branch isn't needed
            try:
                return Trial.model_validate(await self.steps.run("trial", [tree, *names], run_trial))
            except TrialFailed as none:
                return none.trial
            except CIStillRunning:
                stack.pop_all()
                raise

    async def _tidy(self, branch: str) -> None:
        place = self.place
        if await place.tries.since(place.repo.id, branch) is not None:
            await remove(place.branches, place.tries, place.repo.id, branch)

    async def _try(self, tree: str, branch: str, wanted: tuple[FailedJob, ...]) -> Trial:
        if not wanted:
            return Trial(tree=tree, problem="no job of CI is known that had failed")
        if unnamed := next((job for job in wanted if not job.workflow_path), None):
            problem = f"“{unnamed.name}” is no job of a workflow here, so CI can't be asked for it"
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
            return Trial(tree=tree, problem=f"the merge with the base differs in more than {MAX_FILES} files")
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
        """Returns a workflow file with a wanted job that a push to the branch doesn't start, for which the branch would
        be useless; empty if there is none."""
        view = self.git.view(tree)
        files = {job.workflow_path: view.read(job.workflow_path) for job in wanted if job.workflow_path}
        return next((path for path, data in files.items() if data and not starts_on_push(path, data, branch)), "")

    def _plan(self, tree: str, branch: str) -> TryPlan | None:
        """Plans the commit relative to the parent from which it differs least, to upload as few files as possible.
        Returns None if more than MAX_FILES differ."""
        ways = [(self.pull.head_sha, self.trees.head)]
        if self.trees.target is not None:
            ways.append((self.pull.base_sha, self.trees.target))
        changed = [(sha, base, self.git.changed(base, tree)) for sha, base in ways]
        sha, _, files = min(changed, key=lambda way: len(way[2]))
        if len(files) > MAX_FILES:
            return None
        view = self.git.view(tree)
        changes = {
            name: None if new is None else (view.mode(name) or "100644", new) for name, (_, new) in files.items()
        }
        parents = (sha, *(other for other, _ in ways if other != sha))
        message = f"Heal: try a fix of {self.pull.head_sha[:12]}\n\nThis branch is removed as soon as CI has judged it."
        return TryPlan(branch, tree, parents, changes, message)

    async def _runs(self, sha: str, paths: set[str], branch: str) -> tuple[WorkflowRunNow, ...] | str:
        """Returns all workflow runs of the commit once they are completed, or why there are none. Raises
        CIStillRunning."""
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
                raise CIStillRunning(waited)
            await self.place.branches.client.transport.sleep(POLL_SECONDS)

    async def _over(self) -> str:
        """Returns why CI's result is no longer needed; empty if it is."""
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
    """Removes a branch, after cancelling CI's runs on it. If GitHub refuses to delete it now, the sweep tries again."""
    try:
        if why := await branches.stop_ci(branch):
            log.info("CI's runs on %s end by themselves, because the App may not cancel them: %s", branch, why)
        await branches.remove(branch)
    except Refused as refusal:
        log.warning("the branch %s could not be removed yet: %s", branch, refusal)
        return
    await tries.end(repo_id, branch)
