"""CI's proof job by job: jobs that turn green with the fixes count as fixed, even if another one stays red."""

from collections.abc import Collection

from healing.failed_jobs import FailedJob
from healing.logs.reading import LogContext, read_log
from healing.logs.wording import shortened
from healing.model import CIError, Proposal
from healing.verify.trial import MAX_LOG, Trial, TriedJob, judge_trial


def healed_jobs(
    trial: Trial, failed: tuple[FailedJob, ...], others: tuple[FailedJob, ...] = ()
) -> tuple[FailedJob, ...]:
    """The jobs that had failed and are green in the trial, with all their tests; none if a job fails that had not
    failed. `others` had failed too."""
    names = {named(job) for job in (*failed, *others)}
    return tuple(job for job in failed if judge_trial(trial, (job,), names - {named(job)}).green)


def new_failure(trial: Trial, others: tuple[FailedJob, ...]) -> str:
    """A failure in the trial of one of these jobs, which had failed before too, that is new; empty where there is none.
    A tool without errors before may not have been reached then, so its errors prove nothing."""
    ran = {(job.workflow_path, job.name): job for job in trial.jobs}
    for job in others:
        after = ran.get(named(job))
        if after is not None and (found := _new(job, after)):
            return f"CI's job “{job.name}”, which failed before too, fails with it for one more reason: {found}"
    return ""


def _new(before: FailedJob, after: TriedJob) -> str:
    known = _errors(before.log or b"")
    tools = {error.tool for error in known}
    marks = {_mark(error) for error in known}
    late = (e for e in _errors((after.log or "").encode("utf-8", "replace")) if e.tool in tools)
    return next((e.test or shortened(e.message, 200) for e in late if _mark(e) not in marks), "")


def _errors(log: bytes) -> tuple[CIError, ...]:
    return tuple(read_log(log[-MAX_LOG:], LogContext()).errors)


def _mark(error: CIError) -> tuple[str, ...]:
    """A key that is the same for one problem before and after: its test, otherwise its message in a file, whatever the
    line."""
    return ("test", error.test) if error.test else (error.tool, error.file or "", error.code or "", error.message)


def limited_to_errors(proposals: tuple[Proposal, ...], error_ids: Collection[str], head: str) -> tuple[Proposal, ...]:
    """Those proposals, each on top of those before it, that fix one of these errors, limited to these errors. A
    proposal made on top of one that is left out is left out as well."""
    kept: list[Proposal] = []
    dropped = False
    for proposal in proposals:
        ids = tuple(id_ for id_ in proposal.error_ids if id_ in error_ids)
        if not ids or (dropped and proposal.base_tree != head):
            dropped = True
            continue
        kept_ids = {fix.id for fix in kept}
        needs = tuple(id_ for id_ in proposal.needs if id_ in kept_ids)
        kept.append(proposal.model_copy(update={"error_ids": ids, "needs": needs}))
    return tuple(kept)


def named(job: FailedJob) -> tuple[str, str]:
    """A job by workflow file and name."""
    return job.workflow_path or "", job.name
