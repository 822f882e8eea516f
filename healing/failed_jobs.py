"""What CI reported of a red commit: its failed jobs, their logs and annotations, and the trees that CI built."""

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
    """One annotation of a check run; `level` is `failure`, `warning` or `notice`, `details` are raw text."""

    path: str
    start_line: int
    end_line: int
    level: str
    message: str
    title: str | None = None
    details: str | None = None


@dataclass(frozen=True)
class ReportFile:
    """A file that a workflow run stored and that looks like a tool's report (JUnit, SARIF). `name` is its artifact's
    with its own; `problem` says why it could not be had, where that is so."""

    name: str
    data: bytes = b""
    problem: str = ""


@dataclass(frozen=True)
class FailedJob:
    """A job, or a check of another App, that failed: its name as shown, its workflow file, what CI reported on its
    steps, and its log (None: there is none, then `annotations` may tell something).

    `green_log` is that of the same job when it last passed on the base branch: what it says too is noise."""

    name: str
    workflow_path: str | None
    steps: tuple[StepFact, ...] = ()
    log: bytes | None = None
    green_log: bytes | None = None
    annotations: tuple[Annotation, ...] = ()
    ci_run: CiRun | None = None  # what to run again for it, where that can be done
    elsewhere: bool = False  # it failed on another commit: here only its command counts, nothing that it reported


@dataclass(frozen=True)
class Trees:
    """Tree ids. `head` is the branch that fixes go to. On pull requests CI builds the merge of head and `target`: then
    `merge_base` and `target` are set, and `built` is that merge; else `built` is the head, and `green` the newest
    commit of its branch with which the failed job was green, where there is one."""

    head: str
    built: str
    target: str | None = None
    merge_base: str | None = None
    green: str | None = None

    @property
    def before(self) -> str | None:
        """What the same checks are run on, to tell what the change did from what was there, or is only here."""
        return self.target or self.merge_base or self.green
