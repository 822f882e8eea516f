"""What CI reported about a red commit: its failed jobs, their logs and annotations, and the trees that CI built."""

from dataclasses import dataclass

from healing.model import CiRun, Frozen


@dataclass(frozen=True)
class StepFact:
    """A step as CI reported it; times are ISO 8601 UTC."""

    name: str
    conclusion: str | None
    started_at: str | None = None
    completed_at: str | None = None


class Annotation(Frozen):
    """One annotation of a check run; `level` is `failure`, `warning` or `notice`, `details` is raw text."""

    path: str
    start_line: int
    end_line: int
    level: str
    message: str
    title: str | None = None
    details: str | None = None


@dataclass(frozen=True)
class ReportFile:
    """A file stored by a workflow run that looks like a tool's report (JUnit, SARIF). `name` is the artifact's name
    with the file's own; `problem` says why the file could not be fetched, if so."""

    name: str
    data: bytes = b""
    problem: str = ""


@dataclass(frozen=True)
class FailedJob:
    """A failed job, or a failed check of another App: its name as shown, its workflow file, what CI reported about its
    steps, and its log (None: no log exists, and `annotations` may hold the errors).

    `green_log` is the log of the same job when it last passed on the base branch: what it also prints is noise.
    """

    name: str
    workflow_path: str | None
    steps: tuple[StepFact, ...] = ()
    log: bytes | None = None
    green_log: bytes | None = None
    annotations: tuple[Annotation, ...] = ()
    ci_run: CiRun | None = None  # the run to re-run for it, where that is possible
    elsewhere: bool = False  # it failed on another commit: only its command counts here, nothing that it reported


@dataclass(frozen=True)
class Trees:
    """Tree ids. `head` is the branch that fixes go to. For pull requests CI builds the merge of head and `target`: then
    `merge_base` and `target` are set and `built` is that merge. Otherwise `built` is the head, and `green` is the
    newest commit of its branch on which the failed job was green, if there is one."""

    head: str
    built: str
    target: str | None = None
    merge_base: str | None = None
    green: str | None = None

    @property
    def before(self) -> str | None:
        """The tree that the same checks run on to separate what the change broke from what was broken before, or only
        fails here."""
        return self.target or self.merge_base or self.green
