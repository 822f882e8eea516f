"""What the engine is given: one red commit, with the trees that CI and the person's branch hold."""

from dataclasses import dataclass, field

from healing.agents.profiles import Profile
from healing.agents.rules import AgentRules
from healing.agents.unsent import Unsent
from healing.autofix.configured import NamedTool
from healing.checks.check import Check
from healing.logs.matchers import ProblemMatcher
from healing.model import CiRun, Frozen, Proposal
from healing.policy import FixPolicy


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


@dataclass(frozen=True)
class Failure:
    """One red commit."""

    run_id: str
    commit: str  # the head's commit
    trees: Trees
    jobs: tuple[FailedJob, ...] = ()
    checks: tuple[Check, ...] = ()  # commands named by a person: nothing has to be found
    changed_files: frozenset[str] = field(default_factory=frozenset)
    standing: tuple[Proposal, ...] = ()  # offered before and carried to this head: nothing of them is paid again
    hint: str = ""  # what a person wrote to steer the agents (`/heal retry …`)
    base_view_tree: str | None = None  # the base branch's tree: what this change renamed can be seen against it
    reports: tuple[ReportFile, ...] = ()  # what the workflow runs stored beside their logs
    matchers: tuple[ProblemMatcher, ...] = ()  # the repository's own ways to read logs
    agents: AgentRules = field(default_factory=AgentRules)  # what the repository says about its agents
    specialists: tuple[Profile, ...] = ()  # the repository's own
    policy: FixPolicy = field(default_factory=FixPolicy)  # what the repository forbids to fixes
    autofix: tuple[NamedTool, ...] = ()  # the repository's own tools that fix files
    unsent: Unsent = field(default_factory=Unsent)  # files that no model is shown
    search: bool = False  # whether repairs of failing tests may be searched for
    environment: str = ""  # content id of the environment that checks run in
    snapshots: bool = False  # whether a person asked for stale snapshots to be rewritten (`/heal snapshots`)
