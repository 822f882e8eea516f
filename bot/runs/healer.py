"""Implements `handlers.model.Healer` for one repository: fetches code, fixes failures, verifies fixes again."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial

from bot.cluster_tasks import ClusterTask, ClusterTaskDistributor, ClusterTasks, load_cluster_order
from bot.runs.carry_over import CarryOver
from bot.runs.ci_judge import CiJudge
from bot.runs.engine import CANARIES, Engine
from bot.runs.failed_checks import FailedChecks, RedCheck, of_this_base, origin_of
from bot.runs.recording import keep
from bot.runs.repo_rules import RepoRules, rules_at
from bot.runs.trees import RunTrees
from bot.store.attempts import Origin, ref_of
from bot.store.repo import RepoStore
from bot.trials import TrialContext
from handlers.model import GitHub, Pull, Run, Settings, StoredProposal, Verified
from handlers.model.repo_policy import RepoPolicy
from handlers.model.wishes import find_request
from healing.checks.running import Checker
from healing.failed_jobs import Trees
from healing.git import Git
from healing.git.run_id import run_id
from healing.git.transport import Transport
from healing.model import Edit, NotChecked, Outcome, Proposal
from healing.pipeline.agent_work.ahead import Prefetcher
from healing.pipeline.agent_work.spreading import NoDistributor
from healing.pipeline.ci.by_ci import ByCi
from healing.pipeline.ci.unreproduced import prove_unreproduced
from healing.pipeline.failure import Failure
from healing.pipeline.head_lines import head_lines
from healing.pipeline.pipeline import Progress, Tools, heal
from healing.steps import Steps


@dataclass(frozen=True)
class PreparedAttempt:
    """An attempt whose code and failures are fetched. `rules_sha` is the commit whose rules apply: the base branch's,
    since a pull request must not decide what is run for it."""

    run: Run
    pull: Pull | None
    red: tuple[RedCheck, ...]
    origin: Origin
    trees: Trees
    run_id: str
    rules_sha: str
    rules: RepoRules

    @property
    def of_fork(self) -> bool:
        return self.pull is not None and self.pull.is_fork_of(self.run.full_name)

    @property
    def number(self) -> int | None:
        return self.pull.number if self.pull else None


@dataclass
class RepoHealer:
    """Implements `handlers.model.Healer`. `transport` opens git for reading; `store` is the repository's."""

    slug: str
    engine: Engine
    github: GitHub
    transport: Callable[[], Awaitable[Transport]]
    store: RepoStore
    steps: Callable[[str], Steps]  # by run key
    git: Git
    now: Callable[[], float]  # Unix time
    trials: TrialContext
    cluster_tasks: ClusterTasks | None

    async def heal(self, run: Run, pull: Pull | None, progress: Progress) -> Outcome:
        """Executes one attempt, from the stored failures to the outcome, in durable steps."""
        begun = await self._begin(run, pull)
        ident, trees, read = begun.run_id, begun.trees, begun.rules.read
        steps = self.steps(ident)
        rules = read.check_rules(begun.of_fork, begun.number)
        shown = self.steps(CANARIES)
        checker = await self.engine.checker(ident, self.git, steps, begun.rules.matchers, rules, shown)
        failure, wrong = await self._failure(begun, checker.environment if checker else "")
        in_ci = await self._ci.trials(read, pull, run.attempt, ident, trees, steps)
        by_ci = None if in_ci is None else ByCi(self.git, failure, in_ci, progress, checker)
        if by_ci is not None and checker is None:
            outcome = await by_ci.heal()
        else:
            outcome = await self._heal_here(begun, failure, checker, steps, progress)
            if by_ci is not None:
                always = read.config.verify == "ci"
                outcome = await (by_ci.prove(outcome) if always else prove_unreproduced(by_ci, outcome))
        only_here = await self._ci.missing(read, pull, run)
        return await self._with_notes(outcome, begun, (*read.not_looked(), *begun.rules.unusable, *wrong, *only_here))

    async def _begin(self, run: Run, pull: Pull | None) -> PreparedAttempt:
        failed = await FailedChecks(self.github, pull).checks(await self.store.failures(run.sha, run.attempt))
        red = await of_this_base(run.sha, pull, failed, self.github, self._trees)
        origin = await origin_of(run.sha, pull, red, self.github, self._trees)
        trees = await self._trees.of(origin)
        ident = run_id(trees.head, run.sha)
        await self.store.name_run(run.sha, run.attempt, ident)
        rules_sha = pull.base_sha if pull else run.sha
        rules = await self._rules_of(pull.base_ref if pull else run.branch or "", rules_sha)
        return PreparedAttempt(run, pull, red, origin, trees, ident, rules_sha, rules)

    async def _rules_of(self, branch: str, sha: str) -> RepoRules:
        """Returns the rules that hold for a branch, and stores its settings for the dashboard."""
        rules = await rules_at(self._trees, sha)
        await self.store.save_settings(rules.read.as_settings(), branch, sha)
        return rules

    async def _failure(self, begun: PreparedAttempt, environment: str) -> tuple[Failure, tuple[NotChecked, ...]]:
        """Returns the engine's input, and notes on specialists of the repository that can't be used."""
        run, pull, config = begun.run, begun.pull, begun.rules.read.config
        files = await self.github.changed_files(pull.number) if pull else ()
        specialists, wrong = await begun.rules.specialists()
        wish = find_request(await self.store.failures(run.sha, run.attempt)) or {}  # who asked for it, and how
        failure = Failure(
            run_id=begun.run_id,
            commit=run.sha,
            trees=begun.trees,
            jobs=tuple(check.failed_job() for check in begun.red),
            reports=await FailedChecks(self.github, pull).reports(begun.red),
            checks=begun.rules.read.checks(),
            matchers=begun.rules.matchers,
            changed_files=frozenset(f.path for f in files),
            hint=str(wish.get("how") or ""),
            snapshots=wish.get("snapshots") is True,
            standing=await self._standing(pull),
            base_view_tree=begun.trees.merge_base,
            agents=config.agents,
            specialists=specialists,
            policy=begun.rules.read.fix_policy(),
            autofix=config.autofix,
            unsent=begun.rules.unsent,
            search=config.search,
            environment=environment,
        )
        return failure, wrong

    async def _heal_here(
        self, begun: PreparedAttempt, failure: Failure, checker: Checker | None, steps: Steps, progress: Progress
    ) -> Outcome:
        """Executes the attempt with this machine's sandbox and the operator's models."""
        run, number, ident = begun.run, begun.number, begun.run_id
        why_not = partial(self.store.why_still, run.sha, run.attempt)
        overnight = begun.pull is None and begun.rules.read.config.agents.overnight
        models = self.engine.models.under(failure.agents)
        async with models.model_set(self.store, ident, number, overnight, why_not) as model_set:
            memory = self.store.memory(ident, learns=not begun.of_fork)
            claims = self.store.claims(run.sha, run.attempt, holds=not begun.of_fork)
            hands = (self.git, steps, checker, model_set, time.monotonic, progress)
            names = {"run": ref_of(run), "number": number, "origin": begun.origin, "run_id": ident}
            like = ClusterTask.model_validate({**names, "rules_sha": begun.rules_sha, "of_fork": begun.of_fork})
            spread = ClusterTaskDistributor(self.cluster_tasks, steps, like) if self.cluster_tasks else NoDistributor()
            tools = Tools(*hands, memory=memory, claims=claims, spread=spread, missing=models.missing)
            await keep(steps, failure)
            return await heal(failure, tools)

    async def _with_notes(self, outcome: Outcome, begun: PreparedAttempt, first: tuple[NotChecked, ...]) -> Outcome:
        """Adds what could not be checked before the engine began, the errors' lines on the head, and the durations."""
        lines = await asyncio.to_thread(head_lines, outcome.errors, self.git, begun.trees)
        not_looked = (*first, *outcome.not_looked)
        changes = {"not_looked": not_looked, "head_lines": lines, "seconds": self._seconds(begun.run, outcome)}
        return outcome.model_copy(update=changes)

    def _seconds(self, run: Run, outcome: Outcome) -> dict[str, float]:
        """Returns the seconds of the phases in this process, and the total since the run started, including
        restarts."""
        begun = run.started_at
        return outcome.seconds if begun is None else {**outcome.seconds, "total": round(self.now() - begun, 3)}

    async def _standing(self, pull: Pull | None) -> tuple[Proposal, ...]:
        stored = await self.store.proposals(pull.number) if pull else ()
        return tuple(item.proposal for item in stored if item.status == "offered" and not item.proposal.needs)

    @property
    def _trees(self) -> RunTrees:
        return RunTrees(self.git, self.transport)

    @property
    def _ci(self) -> CiJudge:
        return CiJudge(self.trials, self.store, self.git)

    @property
    def _carry_over(self) -> CarryOver:
        return CarryOver(self.git, self.github, self._trees, self.engine, self._ci, self.steps)

    async def run_cluster_task(self, cluster_task: ClusterTask) -> None:
        """See `bot.cluster_tasks.ClusterTaskRunner`."""
        steps = self.steps(cluster_task.run_id)
        order, trees = await load_cluster_order(steps, cluster_task), await self._trees.of(cluster_task.origin)
        repo = await rules_at(self._trees, cluster_task.rules_sha)
        rules = repo.read.check_rules(cluster_task.of_fork, cluster_task.number)
        checker = await self.engine.checker(cluster_task.run_id, self.git, steps, repo.matchers, rules)
        why_not = partial(self.store.why_still, cluster_task.run.sha, cluster_task.run.attempt)
        usage_records = self.store.usage_records(cluster_task.run_id, cluster_task.number)
        model_set = self.engine.models.under(repo.read.config.agents).lent_model_set(
            order.dollars, usage_records, why_not
        )
        if checker is None or model_set is None or trees != order.trees:
            return
        checker.gate = self.engine.gate
        await Prefetcher(self.git, checker, model_set, repo.unsent, repo.read.fix_policy()).work(order)

    async def policy(self, sha: str, pull: Pull | None) -> RepoPolicy:
        """Returns the policy of `.github/heal.yml` on the base branch: a pull request can't change it for itself."""
        return (await rules_at(self._trees, pull.base_sha if pull else sha)).read.repo_policy()

    async def settings(self, pull: Pull, of_head: bool = False) -> Settings:
        """Returns the settings of the base branch, or of the head."""
        if of_head:
            return (await rules_at(self._trees, pull.head_sha)).read.as_settings()
        return (await self._rules_of(pull.base_ref, pull.base_sha)).read.as_settings()

    async def carry_over(self, pull: Pull, old: StoredProposal) -> Proposal | NotChecked:
        """Returns the proposal on the pull request's new head, verified there without a model, or why it no longer
        holds."""
        return await self._carry_over.carry_over(pull, old)

    async def try_edits(self, pull: Pull, edits: tuple[Edit, ...], proposal: Proposal, verify: bool) -> Verified:
        """Applies edits to the head's tree; with `verify` the proposal must also pass its checks there."""
        return await self._carry_over.try_edits(pull, edits, proposal, verify)

    async def try_together(self, pull: Pull, proposals: tuple[Proposal, ...]) -> Verified:
        """Verifies fixes that were tested together on the head with all of them."""
        return await self._carry_over.try_together(pull, proposals)

    async def files(self, sha: str, paths: frozenset[str]) -> dict[str, bytes | None] | None:
        """Returns these files at a commit or tree; None if it no longer exists."""
        return await self._carry_over.files(sha, paths)
