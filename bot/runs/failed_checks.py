"""Reads from GitHub what failed on a commit: jobs with their logs, checks of other Apps with their annotations, and the
report files that the workflow runs uploaded."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from bot.runs.trees import RunTrees
from bot.store.attempts import Origin
from handlers.model import GitHub, GreenJob, Job, Pull, Refused
from handlers.runs.asking import ELSEWHERE, NO_FAILURE
from healing.failed_jobs import Annotation, FailedJob, ReportFile, StepFact
from healing.logs.reading import checkout_sha
from healing.model import CiRun


@dataclass(frozen=True)
class RedCheck:
    """One failure: an Actions job with its log, or (without `job`) another App's check or a status."""

    name: str
    job: Job | None = None
    log: bytes | None = None
    green: GreenJob | None = None  # the same job when it last passed
    annotations: tuple[Annotation, ...] = ()
    elsewhere: bool = False  # CI saw it on another tree: a pull request's, or one with another base

    @property
    def on_merge(self) -> bool:
        """Whether it checked the merge of head and base."""
        return self.job is not None and self.job.event in ("pull_request", "merge_group")

    @property
    def queued(self) -> str | None:
        """The merge commit that GitHub's merge queue created for it, or None."""
        return self.job.head_sha if self.job is not None and self.job.event == "merge_group" else None

    def merge_sha(self, head: str) -> str | None:
        """Returns the merge commit that its log claims to have checked out, or None."""
        if not self.on_merge or self.log is None:
            return None
        sha = checkout_sha(self.log)
        return sha if sha and sha != head else None

    def failed_job(self) -> FailedJob:
        """Returns the failure in the form that the engine takes."""
        if self.job is None:
            return FailedJob(self.name, None, annotations=self.annotations, elsewhere=self.elsewhere)
        steps = tuple(StepFact(s.name, s.conclusion, s.started_at, s.completed_at) for s in self.job.steps)
        if self.elsewhere:
            return FailedJob(self.name, self.job.workflow_path, steps, elsewhere=True)
        ci_run = CiRun(id=self.job.run_id, attempt=self.job.run_attempt)
        quiet = self.green.log if self.green else None
        return FailedJob(self.name, self.job.workflow_path, steps, self.log, quiet, self.annotations, ci_run)


@dataclass(frozen=True)
class FailedChecks:
    """Reads the failures of one commit from GitHub."""

    github: GitHub
    pull: Pull | None

    async def checks(self, failures: Iterable[dict[str, object]]) -> tuple[RedCheck, ...]:
        """Returns the failed jobs ordered by id, whatever the order of the events; then, by name, failures that are no
        jobs."""
        jobs: dict[int, RedCheck] = {}
        others: dict[str, RedCheck] = {}
        for failure in failures:
            if failure.get("source") in NO_FAILURE:
                continue
            failed_jobs, elsewhere = await self._jobs(failure), failure.get(ELSEWHERE) is True
            for job in failed_jobs:
                if job.id not in jobs:
                    jobs[job.id] = RedCheck(job.name, job, elsewhere=True) if elsewhere else await self._job(job)
            if not failed_jobs:
                other = await self._other(failure, elsewhere)
                others.setdefault(other.name, other)
        return (*(jobs[id_] for id_ in sorted(jobs)), *(others[name] for name in sorted(others)))

    async def reports(self, checks: Iterable[RedCheck]) -> tuple[ReportFile, ...]:
        """Returns the report files of the workflow runs to which the jobs belong."""
        files: list[ReportFile] = []
        for run_id in dict.fromkeys(check.job.run_id for check in checks if check.job and not check.elsewhere):
            try:
                files += await self.github.reports(run_id)
            except Refused as refusal:
                files.append(ReportFile(f"artifacts of run {run_id}", problem=str(refusal)))
        return tuple(files)

    async def _jobs(self, failure: dict[str, object]) -> tuple[Job, ...]:
        run_id, check_id = failure.get("workflow_run_id"), failure.get("check_run_id")
        if failure.get("source") == "workflow_run" and isinstance(run_id, int):
            return await self.github.failed_jobs(run_id)
        job = await self.github.job(check_id) if isinstance(check_id, int) else None
        return (job,) if job else ()

    async def _job(self, job: Job) -> RedCheck:
        """Reads a job's log, or its annotations if the log no longer exists."""
        log = await self.github.job_log(job.id)
        if log is None:
            return RedCheck(job.name, job, annotations=await self.github.annotations(job.id))
        return RedCheck(job.name, job, log, await self._green(job))

    async def _other(self, failure: dict[str, object], elsewhere: bool) -> RedCheck:
        name, check_id = str(failure.get("name") or "a check"), failure.get("check_run_id")
        if elsewhere:
            return RedCheck(name, elsewhere=True)
        return RedCheck(name, annotations=await self.github.annotations(check_id) if isinstance(check_id, int) else ())

    async def _green(self, job: Job) -> GreenJob | None:
        """Returns the job when it last passed on the base branch, or on its own branch without a pull request; None if
        there is none or GitHub refuses."""
        branch = self.pull.base_ref if self.pull else job.branch
        try:
            return await self.github.green_job(job, branch) if branch else None
        except Refused:
            return None


async def of_this_base(
    sha: str, pull: Pull | None, checks: Sequence[RedCheck], github: GitHub, trees: RunTrees
) -> tuple[RedCheck, ...]:
    """Returns the checks; those that checked a merge with another branch than the pull request's current base are
    marked `elsewhere`, as only their command applies. CI doesn't run again when the base is changed."""
    if pull is None:
        return tuple(checks)
    claimed = {merge for check in checks if not check.queued and (merge := check.merge_sha(sha))}
    others = {merge for merge in claimed if await _is_of_another(merge, sha, pull, github, trees)}
    return tuple(
        replace(check, log=None, green=None, annotations=(), elsewhere=True)
        if check.merge_sha(sha) in others
        else check
        for check in checks
    )


async def _is_of_another(claimed: str, sha: str, pull: Pull, github: GitHub, trees: RunTrees) -> bool:
    merge = await trees.claimed_merge(claimed, sha)
    into = await trees.merged_into(merge) if merge else None
    if into in (None, pull.base_sha):
        return False
    return await github.merge_base(pull.base_ref, str(into)) not in (into, None)


async def origin_of(sha: str, pull: Pull | None, checks: Sequence[RedCheck], github: GitHub, trees: RunTrees) -> Origin:
    """Returns the head, and on pull requests the merge that CI built: the one of GitHub's merge queue, the one in the
    log, else head merged with base. The queue may have merged into a newer commit than the pull request's base."""
    if pull is None or not any(check.on_merge for check in checks):
        green = next((check.green.sha for check in checks if check.green and check.green.sha != sha), None)
        return Origin(head=sha, green=green and await trees.made(green))
    queued = next((check.queued for check in checks if check.queued), None)
    if queued and (merge := await trees.made(queued)):
        target = await trees.merged_into(merge) or pull.base_sha
    else:
        target = pull.base_sha
        merge = await trees.claimed_merge(next((m for check in checks if (m := check.merge_sha(sha))), None), sha)
    base = await github.merge_base(target, sha) or target
    return Origin(head=sha, base=base, target=target, merge=merge)
