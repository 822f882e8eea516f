"""Reads and triages what CI reported about a failure: its logs, annotations and report files."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from healing.failed_jobs import Annotation, FailedJob, ReportFile
from healing.logs.blame import without_incidental
from healing.logs.findings import as_error
from healing.logs.format import Finding
from healing.logs.matchers import ProblemMatcher
from healing.logs.matching import Matching
from healing.logs.paths import Paths
from healing.logs.previous import Noise
from healing.logs.reading import LogContext, LogReport, read_log
from healing.logs.triage import TAIL_CHARS, Triage, triage
from healing.logs.twins import CounterpartIndex
from healing.model import Category, CIError, CiRun, NotChecked, Severity
from healing.pipeline.failure import Failure
from healing.view import TreeView

LEVELS = {"failure": Severity.ERROR, "warning": Severity.WARNING, "notice": Severity.NOTE}


@dataclass
class Reported:
    """Everything that CI reported, sorted. `jobs`: for each failed job the errors that the code may be to blame for,
    with those of report files last. `given_up`: jobs (name, errors) whose cause lies elsewhere, with that cause.
    `all_errors`: all of them. `unlogged`: ids of those that only annotations and report files have. `retryable`: runs
    of jobs whose cause lies elsewhere and may be gone."""

    jobs: list[tuple[CIError, ...]] = field(default_factory=list)
    all_errors: list[CIError] = field(default_factory=list)
    given_up: list[tuple[str, tuple[CIError, ...], Triage]] = field(default_factory=list)
    unlogged: set[str] = field(default_factory=set)
    not_looked: list[NotChecked] = field(default_factory=list)
    retryable: list[CiRun] = field(default_factory=list)

    def open_errors(self) -> list[CIError]:
        """The errors of `jobs`, each once."""
        return list({e.id: e for errors in self.jobs for e in errors}.values())


def read_reported(failure: Failure, view: TreeView, scripts: Sequence[str]) -> Reported:
    """Reads everything that CI reported. `view` is the tree that it built; `scripts` are the commands of its jobs:
    problem matchers that they add apply from the start, since GitHub keeps such commands out of the log."""
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
        """Reads one job: its log, or its annotations where GitHub has no log."""
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
            self.found.jobs.append(without_incidental(report.errors))
        else:
            self.found.jobs.append(())
            self.found.given_up.append((job.name, report.errors, kind))
            if kind.retryable and job.ci_run:
                self.found.retryable.append(job.ci_run)

    def log(self, job: FailedJob, log: bytes) -> LogReport:
        """Reads a job's log, without the errors that it also reported when it was green."""
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
        """Reads the report files. They replace the same error in a log. Errors that are in no log count if they are of
        tests; others count only if the logs have no errors at all, because a scan's report lists much that fails no
        job."""
        report_errors: list[CIError] = []
        for file in files:
            report = LogReport() if file.problem else read_log(file.data, LogContext(known_files=self.known))
            if problem := file.problem or report.problem:
                self.not_looked(f"report {file.name}", problem, "Look at the artifact itself.")
            report_errors += (e.model_copy(update={"source": "report"}) for e in without_incidental(report.errors))
        twins = CounterpartIndex(report_errors)
        silent_logs = not self.found.all_errors
        self.found.jobs = [tuple(twins.of(e) or e for e in errors) for errors in self.found.jobs]
        taken_ids = {e.id for errors in self.found.jobs for e in errors}
        elsewhere = CounterpartIndex(e for _, errors, _ in self.found.given_up for e in errors)
        new = [e for e in report_errors if e.id not in taken_ids and not elsewhere.of(e) and (e.test or silent_logs)]
        self.found.all_errors = [twins.of(e) or e for e in self.found.all_errors] + new
        self.found.unlogged |= {e.id for e in new}
        self.found.jobs.append(tuple(new))

    def not_looked(self, what: str, why: str, advice: str) -> None:
        self.found.not_looked.append(NotChecked(what=what, why=why, advice=advice))


def annotated(check: str, annotations: Iterable[Annotation], known: Collection[str]) -> tuple[CIError, ...]:
    """The errors in a check run's annotations; the check's name stands for the tool."""
    paths = Paths(known)
    return tuple(_error_of(check, annotation, paths) for annotation in annotations if annotation.message.strip())


def _error_of(check: str, one: Annotation, paths: Paths) -> CIError:
    finding = Finding(
        tool=check,
        code=one.title or None,
        category=Category.LINT,
        severity=LEVELS.get(one.level, Severity.ERROR),
        message=one.message.strip(),
        file=one.path if one.path != ".github" else None,  # Actions' path for annotations without a place
        line=one.start_line,
        end_line=one.end_line,
        log_line=0,
        excerpt=one.message,
    )
    return as_error(finding, paths, 1.0).model_copy(update={"source": "annotation", "log_line": None})
