"""What the engine is given: one red commit, with the trees that CI and the person's branch hold."""

from dataclasses import dataclass, field

from healing.checks.check import Check
from healing.failed_jobs import FailedJob, ReportFile, Trees
from healing.logs.matchers import ProblemMatcher
from healing.model import Proposal
from healing.policy.fixes import FixPolicy
from healing.policy.unsent import Unsent
from healing.repair.agents.profiles import Profile
from healing.repair.agents.rules import AgentRules
from healing.repair.tools.configured import NamedTool


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
