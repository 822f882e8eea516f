"""A trial run: how the repository's own CI judges a tree that was pushed to one of Heal's branches (`verify`).

A summary alone never counts: the verdict is computed here from the jobs' conclusions and logs.
"""

from collections.abc import Awaitable, Callable, Collection
from typing import Protocol

from healing.failed_jobs import FailedJob
from healing.logs.blame import without_incidental
from healing.logs.lines import clean
from healing.logs.reading import LogContext, read_log
from healing.logs.redaction import redact
from healing.model import Frozen
from healing.verify.guard.counts import why_fewer_pass

PASSING = ("success", "skipped", "neutral")
MAX_LOG = 4 << 20  # bytes of a job's log that are read to find the reason


class TriedJob(Frozen):
    """A job of a trial run: where it is defined, its conclusion, and its log's text if that was requested and is
    available."""

    workflow_path: str
    name: str
    conclusion: str
    url: str = ""
    log: str | None = None


class Trial(Frozen):
    """What CI reported. If it reported nothing, `problem` says why, and `advice` what would help."""

    tree: str
    branch: str = ""
    jobs: tuple[TriedJob, ...] = ()
    problem: str = ""
    advice: str = ""

    @property
    def url(self) -> str:
        """The link to the trial run: that of its first job with one."""
        return next((job.url for job in self.jobs if job.url), "")


class TrialVerdict(Frozen):
    """`green`: all jobs that had failed are green now, and no other fails. Otherwise `why` says what failed; `looked`
    is whether CI judged at all."""

    green: bool
    looked: bool = True
    why: str = ""
    advice: str = ""


class InCi(Protocol):
    """Runs trees in the repository's own CI, one after the other."""

    async def trial(self, tree: str, wanted: tuple[FailedJob, ...]) -> Trial:
        """What CI reports for `tree` (as CI would build it); `wanted` are the jobs that have to run there. The result
        for a tree is cached. Never raises when GitHub refuses something: that is a `problem`."""
        ...


Progress = Callable[[str], Awaitable[None]]


def judge_trial(trial: Trial, failed: tuple[FailedJob, ...], others: Collection[tuple[str, str]] = ()) -> TrialVerdict:
    """Judges a trial run of a change that is to fix the `failed` jobs. `others`, by workflow file and name, had failed
    too and may fail again."""
    if trial.problem:
        return TrialVerdict(green=False, looked=False, why=trial.problem, advice=trial.advice)
    if not failed:
        return TrialVerdict(green=False, looked=False, why="no job of CI is known that had failed")
    ran: dict[tuple[str, str], TriedJob] = {(job.workflow_path, job.name): job for job in trial.jobs}
    for wanted in failed:
        job = ran.get((wanted.workflow_path or "", wanted.name))
        if job is None or job.conclusion == "skipped":
            what = "was skipped" if job else "did not run"
            advice = (
                "Look at its `if:` and at what it needs: on a branch of Heal's it has to run as on the pull request."
            )
            return TrialVerdict(green=False, looked=False, why=f"CI's job “{wanted.name}” {what} there", advice=advice)
        if job.conclusion == "success" and (lost_tests := _tests_lost(wanted, job)):
            return TrialVerdict(green=False, why=f"CI's job “{wanted.name}” is green, but {lost_tests}")
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
    """The first errors that a log blames for the failure, in one line."""
    errors = without_incidental(read_log(log.encode("utf-8", "replace")[:MAX_LOG], LogContext()).errors)
    messages = [f"{e.file}:{e.line} {e.message}" if e.file and e.line else e.message for e in errors[:2]]
    return "; ".join(text[:200] for text in messages)


def _tests_lost(before: FailedJob, after: TriedJob) -> str:
    """The tests that are missing after the change: a job that is green because tests are gone is not fixed."""
    return "; ".join(why_fewer_pass(text_of(before.log or b""), after.log or ""))


def text_of(log: bytes) -> str:
    """A log as readable text, without secrets; of a long one only the end, where the results are."""
    return redact(clean(log[-MAX_LOG:]))
