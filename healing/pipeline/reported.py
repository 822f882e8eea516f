"""What CI itself reported of a failure: its logs, annotations and report files, read and triaged."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from healing.failed_jobs import Annotation, FailedJob, ReportFile
from healing.logs.blame import blamed
from healing.logs.findings import as_error
from healing.logs.format import Finding
from healing.logs.matchers import ProblemMatcher
from healing.logs.matching import Matching
from healing.logs.paths import Paths
from healing.logs.previous import Noise
from healing.logs.reading import LogContext, LogReport, read_log
from healing.logs.triage import TAIL_CHARS, Triage, triage
from healing.logs.twins import Twins
from healing.model import Category, CIError, CiRun, NotChecked, Severity
from healing.pipeline.failure import Failure
from healing.view import TreeView

LEVELS = {"failure": Severity.ERROR, "warning": Severity.WARNING, "notice": Severity.NOTE}


@dataclass
class Reported:
    """`jobs`: for each failed job the errors that code may be to blame for, those of report files last. `given_up`:
    jobs (name, errors) whose cause lies elsewhere, with what it is. `all_errors`: all of them. `unlogged`: ids of those
    that only annotations and report files have. `retryable`: runs of jobs whose cause lies elsewhere and may be
    gone."""

    jobs: list[tuple[CIError, ...]] = field(default_factory=list)
    all_errors: list[CIError] = field(default_factory=list)
    given_up: list[tuple[str, tuple[CIError, ...], Triage]] = field(default_factory=list)
    unlogged: set[str] = field(default_factory=set)
    not_looked: list[NotChecked] = field(default_factory=list)
    retryable: list[CiRun] = field(default_factory=list)

    def open_errors(self) -> list[CIError]:
        """Each error once."""
        return list({e.id: e for errors in self.jobs for e in errors}.values())


def read_reported(failure: Failure, view: TreeView, scripts: Sequence[str]) -> Reported:
    """Reads all that CI reported. `view` is the tree that it built, `scripts` are the commands of its jobs: the problem
    matchers that they add count from the start, since GitHub keeps such commands out of the log."""
    reading = _Reading(view, frozenset(view.paths()), failure.matchers, tuple(scripts))
    for job in failure.jobs:
        reading.job(job)
    reading.reports(failure.reports)
    reading.found.not_looked += reading.matching.not_looked.values()
    return reading.found


@dataclass
class _Reading:
    view: TreeView
    known: Collection[str]
    matchers: tuple[ProblemMatcher, ...]
    scripts: tuple[str, ...]
    found: Reported = field(default_factory=Reported)

    def __post_init__(self) -> None:
        self.matching = Matching(self.matchers, self.view.read, self.scripts)
        self.formats = (self.matching.format(),)

    def job(self, job: FailedJob) -> None:
        """One job: its log, or what else it reported where GitHub has none."""
        if job.elsewhere:
            self.found.jobs.append(())
            return
        noted = annotated(job.name, job.annotations, self.known)
        self.found.all_errors += noted
        self.found.unlogged |= {e.id for e in noted}
        if job.log is None:
            if not noted:
                self.not_looked(job.name, "GitHub has no log for it", "Re-run the job.")
            self.found.jobs.append(noted)
            return
        report = self.log(job, job.log)
        if report.problem:
            self.not_looked(f"log of {job.name}", report.problem, "Re-run the job.")
        self.found.all_errors += report.errors
        kind = triage(report, job.log[-TAIL_CHARS:].decode("utf-8", "replace"))
        if kind.kind in ("code", "flaky"):
            self.found.jobs.append(blamed(report.errors))
        else:
            self.found.jobs.append(())
            self.found.given_up.append((job.name, report.errors, kind))
            if kind.retryable and job.ci_run:
                self.found.retryable.append(job.ci_run)

    def log(self, job: FailedJob, log: bytes) -> LogReport:
        """What a job's log tells, without what it reported when it was green."""
        failed = next((s for s in job.steps if s.conclusion in ("failure", "timed_out")), None)
        context = LogContext(
            known_files=self.known,
            step=failed.name if failed else None,
            step_started=failed.started_at if failed else None,
            step_finished=failed.completed_at if failed else None,
            formats=self.formats,
        )
        report = read_log(log, context)
        if not job.green_log or not report.errors:
            return report
        green = Noise(read_log(job.green_log, LogContext(known_files=self.known, formats=self.formats)).errors)
        return replace(report, errors=green.without(report.errors))

    def reports(self, files: Iterable[ReportFile]) -> None:
        """The report files. What they tell wins over the same error in a log; what only they tell, and no log, counts
        for tests, and for all else where the logs tell nothing: a scan's report is full of what fails no job."""
        written: list[CIError] = []
        for file in files:
            report = LogReport() if file.problem else read_log(file.data, LogContext(known_files=self.known))
            if problem := file.problem or report.problem:
                self.not_looked(f"report {file.name}", problem, "Look at the artifact itself.")
            written += (e.model_copy(update={"source": "report"}) for e in blamed(report.errors))
        twins = Twins(written)
        silent = not self.found.all_errors
        self.found.jobs = [tuple(twins.of(e) or e for e in errors) for errors in self.found.jobs]
        taken = {e.id for errors in self.found.jobs for e in errors}
        elsewhere = Twins(e for _, errors, _ in self.found.given_up for e in errors)
        new = [e for e in written if e.id not in taken and not elsewhere.of(e) and (e.test or silent)]
        self.found.all_errors = [twins.of(e) or e for e in self.found.all_errors] + new
        self.found.unlogged |= {e.id for e in new}
        self.found.jobs.append(tuple(new))

    def not_looked(self, what: str, why: str, advice: str) -> None:
        self.found.not_looked.append(NotChecked(what=what, why=why, advice=advice))


def annotated(check: str, annotations: Iterable[Annotation], known: Collection[str]) -> tuple[CIError, ...]:
    """The errors that a check run's annotations tell; `check`, its name, stands for the tool."""
    paths = Paths(known)
    return tuple(_of_annotation(check, one, paths) for one in annotations if one.message.strip())


def _of_annotation(check: str, one: Annotation, paths: Paths) -> CIError:
    finding = Finding(
        tool=check,
        code=one.title or None,
        category=Category.LINT,
        severity=LEVELS.get(one.level, Severity.ERROR),
        message=one.message.strip(),
        file=one.path if one.path != ".github" else None,  # where Actions puts what has no place
        line=one.start_line,
        end_line=one.end_line,
        log_line=0,
        excerpt=one.message,
    )
    return as_error(finding, paths, 1.0).model_copy(update={"source": "annotation", "log_line": None})
