"""A trial: what the repository's own CI says of a tree that was shown to it on a branch of Heal's (`verify`).

Heal never believes a summary: the verdict is computed here, from the conclusions of the jobs and from their logs.
"""

from collections.abc import Awaitable, Callable, Collection
from typing import Protocol

from healing.failed_jobs import FailedJob
from healing.logs.blame import blamed
from healing.logs.lines import clean
from healing.logs.reading import LogContext, read_log
from healing.logs.redaction import redact
from healing.model import Frozen
from healing.verify.guard.counts import lost

PASSING = ("success", "skipped", "neutral")
MOST_LOG = 4 << 20  # bytes of a job's log that are looked at for the reason


class TriedJob(Frozen):
    """A job of a trial: where it is defined, how it ended, and its log's text where that was wanted and is there."""

    workflow_path: str
    name: str
    conclusion: str
    url: str = ""
    log: str | None = None


class Trial(Frozen):
    """What CI reported. `problem` is not empty where nothing was learnt; then `advice` says what would help."""

    tree: str
    branch: str = ""
    jobs: tuple[TriedJob, ...] = ()
    problem: str = ""
    advice: str = ""

    @property
    def url(self) -> str:
        """Where to look at it."""
        return next((job.url for job in self.jobs if job.url), "")


class TrialVerdict(Frozen):
    """`green`: all jobs that had failed are green now, and none fails. Else `why`; `looked` is whether CI judged."""

    green: bool
    looked: bool = True
    why: str = ""
    advice: str = ""


class InCi(Protocol):
    """Shows trees to the repository's own CI, one after the other."""

    async def trial(self, tree: str, wanted: tuple[FailedJob, ...]) -> Trial:
        """What CI says of `tree` (as CI would build it); `wanted` are the jobs that have to run there. The same tree
        again is answered from what is known. Never raises for what GitHub refuses: that is a `problem`."""
        ...


Progress = Callable[[str], Awaitable[None]]


def judge_trial(trial: Trial, failed: tuple[FailedJob, ...], others: Collection[tuple[str, str]] = ()) -> TrialVerdict:
    """What a trial means for a change that is to heal these jobs. `others`, by workflow file and name, had failed too
    and are not asked for: they may fail again."""
    if trial.problem:
        return TrialVerdict(green=False, looked=False, why=trial.problem, advice=trial.advice)
    if not failed:
        return TrialVerdict(green=False, looked=False, why="no job of CI is known that had failed")
    ran: dict[tuple[str, str], TriedJob] = {(job.workflow_path, job.name): job for job in trial.jobs}
    for one in failed:
        job = ran.get((one.workflow_path or "", one.name))
        if job is None or job.conclusion == "skipped":
            what = "was skipped" if job else "did not run"
            advice = (
                "Look at its `if:` and at what it needs: on a branch of Heal's it has to run as on the pull request."
            )
            return TrialVerdict(green=False, looked=False, why=f"CI's job “{one.name}” {what} there", advice=advice)
        if job.conclusion == "success" and (gone := _tests_lost(one, job)):
            return TrialVerdict(green=False, why=f"CI's job “{one.name}” is green, but {gone}")
    fails = (job for job in trial.jobs if job.conclusion not in PASSING)
    bad = [job for job in fails if (job.workflow_path, job.name) not in others]
    if bad:
        return TrialVerdict(green=False, why="; ".join(_red(job) for job in bad[:3]))
    return TrialVerdict(green=True)


def _red(job: TriedJob) -> str:
    first = first_errors(job.log or "")
    detail = f": {first}" if first else ""
    return f"CI's job “{job.name}” ends as {job.conclusion}{detail}"


def first_errors(log: str) -> str:
    """The first of what a log blames for the failure, in a line."""
    errors = blamed(read_log(log.encode("utf-8", "replace")[:MOST_LOG], LogContext()).errors)
    first_errors = [f"{e.file}:{e.line} {e.message}" if e.file else e.message for e in errors[:2]]
    return "; ".join(text[:200] for text in first_errors)


def _tests_lost(before: FailedJob, after: TriedJob) -> str:
    """A job that is green because tests are gone is not healed."""
    return "; ".join(lost(text_of(before.log or b""), after.log or ""))


def text_of(log: bytes) -> str:
    """A log as people read it, without secrets; of a long one the end, where results stand."""
    return redact(clean(log[-MOST_LOG:]))
