"""The engine's input: one red commit, with the tree that CI built and the tree of the branch."""

from dataclasses import dataclass, field

from healing.checks.check import Check
from healing.failed_jobs import FailedJob, ReportFile, Trees
from healing.logs.matchers import ProblemMatcher
from healing.model import Proposal
from healing.policy.fixes import FixPolicy
from healing.policy.unsent import UnsentFiles
from healing.repair.agents.profiles import Profile
from healing.repair.agents.rules import AgentRules
from healing.repair.tools.configured import NamedTool


@dataclass(frozen=True)
class Failure:
    """One red commit, and the repository's settings that apply to it."""

    run_id: str
    commit: str  # the head's commit
    trees: Trees
    jobs: tuple[FailedJob, ...] = ()
    checks: tuple[Check, ...] = ()  # commands named by a person; checks are then not searched for
    changed_files: frozenset[str] = field(default_factory=frozenset)
    standing: tuple[Proposal, ...] = ()  # offered before and rebased to this head: not paid for again
    hint: str = ""  # a person's hint to the agents (`/heal retry …`)
    base_view_tree: str | None = None  # the base branch's tree, to see what this change renamed
    reports: tuple[ReportFile, ...] = ()  # files that the workflow runs stored beside their logs
    matchers: tuple[ProblemMatcher, ...] = ()  # the repository's own problem matchers
    agents: AgentRules = field(default_factory=AgentRules)  # the repository's settings for agents
    specialists: tuple[Profile, ...] = ()  # the repository's own
    policy: FixPolicy = field(default_factory=FixPolicy)  # what the repository forbids to fixes
    autofix: tuple[NamedTool, ...] = ()  # the repository's own tools that fix files
    unsent: UnsentFiles = field(default_factory=UnsentFiles)  # files that no model is shown
    search: bool = False  # whether to search for small repairs of failing tests
    environment: str = ""  # content id of the environment that checks run in
    snapshots: bool = False  # whether a person asked for stale snapshots to be rewritten (`/heal snapshots`)
