"""One run of the engine, phase by phase: takes a red commit, returns proven proposals and reports.

It depends on no GitHub, web or database code; its tools are passed in. Everything expensive is a durable step and the
rest is deterministic, so after a crash the same call simply runs again and reuses the stored results.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from healing.checks.running import Checker
from healing.git import Git
from healing.graph import Cache, import_graph
from healing.model import CIError, Culprit, NotChecked, Outcome, Unfixable
from healing.pipeline.agent_work.agent_pool import AgentPool
from healing.pipeline.agent_work.keyless import NoModel, missing_key
from healing.pipeline.agent_work.model_set import ModelSet
from healing.pipeline.agent_work.rounds import Rounds
from healing.pipeline.agent_work.sharing import share
from healing.pipeline.agent_work.spreading import Distributor, NoDistributor
from healing.pipeline.baseline import ADVICE, Baseline, unfixable
from healing.pipeline.claims import Claims
from healing.pipeline.culprit import find_culprits, notes_on
from healing.pipeline.drift import drifted_error_ids
from healing.pipeline.failure import Failure
from healing.pipeline.free import Free
from healing.pipeline.interrupted import Interrupted
from healing.pipeline.remaining import Remaining
from healing.pipeline.reproducing import run_baseline
from healing.pipeline.resolving import settle, verdict_of
from healing.pipeline.tool_errors import deferred_to_fixers
from healing.repair.agents.memory import Memory
from healing.repair.agents.profiles import registry
from healing.repair.search import search
from healing.repair.snapshots import SnapshotUpdate
from healing.repair.tools import commit_message
from healing.repair.tools.tidying import Tidy
from healing.spans import begin
from healing.steps import Steps
from healing.verify.protection import Protection
from healing.verify.verifier import Verifier

AUTHOR = "Heal <heal@localhost>"
Progress = Callable[[str], Awaitable[None]]


def utc_now() -> datetime:
    """The current time, for commits."""
    return datetime.now(UTC)


@dataclass
class Tools:
    """What a run needs. `checker` None: no sandbox works here. `model_set` None: no model, so nothing is spent."""

    git: Git
    steps: Steps
    checker: Checker | None
    model_set: ModelSet | None
    clock: Callable[[], float]  # seconds, monotonic
    progress: Progress
    now: Callable[[], datetime] = utc_now
    memory: Memory | None = None  # past results of the repository's agents
    claims: Claims | None = None  # what the repository's other runs are working on
    spread: Distributor = field(default_factory=NoDistributor)  # where else its clusters can be worked on
    missing: NoModel = field(default_factory=missing_key)  # why there is no model, where there is none


async def heal(failure: Failure, tools: Tools) -> Outcome:
    """Repairs one failure as far as can be proven (the loop of docs/design.md). If `tools.progress` raises Interrupted,
    the run ends with what it has found; at the very beginning, Interrupted is raised."""
    watch = Stopwatch(tools.clock)
    await tools.progress("Reading the logs and running the failed checks on the untouched tree")
    imports = Cache()
    view = tools.git.view(failure.trees.head)
    baseline = await run_baseline(failure, tools.git, tools.checker, lambda: import_graph(view, imports))
    watch.lap("look")
    if tools.checker is None or not baseline.failing:
        return _without_checks(failure, baseline, watch)
    verifier = _verifier(failure, tools.git, tools.checker, baseline)
    protection = Protection(verifier)
    baseline.only_report(failure.policy, baseline.open_errors())
    remaining = Remaining(verifier, baseline.open_errors(), baseline.preexisting)

    free = Free(verifier, baseline.not_looked, failure.base_view_tree, failure.changed_files, failure.autofix, imports)
    agent_pool = _agent_pool(failure, tools, free)
    rounds = Rounds(free, agent_pool, protection, remaining, watch.lap)
    base, culprits = failure.commit, tuple[Culprit, ...]()
    try:
        base = await _repair_for_free(failure, tools, free, protection, remaining, watch)
        left = await _left_to_pay(tools, free, protection, remaining)
        watch.lap("waiting")
        if left:
            await tools.progress("Finding which of the change's lines broke it")
        culprits = await find_culprits(verifier, left, failure.base_view_tree)
        watch.lap("culprits")
        verifier.reviewer = tools.model_set.reviewer(tools.steps, agent_pool.texts.shown) if tools.model_set else None
        agent_pool.notes |= notes_on(culprits, free.beyond)
        left = await rounds.work(left)
    except Interrupted as interrupted:
        await protection.settle()
        left = await remaining()
        agent_pool.reports += _unreported(left, agent_pool.reports, str(interrupted))
    await protection.check_all_together()
    baseline.not_looked += _remarks(rounds, protection)
    drift = await drifted_error_ids(baseline, verifier, left)
    await settle(baseline, verifier, agent_pool.reports, left, remaining)
    return Outcome(
        verdict=verdict_of(baseline, verifier, left),
        run_id=failure.run_id,
        errors=_all_errors(baseline, remaining),
        causes=rounds.causes,
        clusters=rounds.clusters,
        routings=tuple(routing.model_dump(mode="json") for routing in agent_pool.routings),
        culprits=culprits,
        proposals=tuple(verifier.accepted),
        unfixables=tuple(baseline.unfixables),
        resolutions=tuple(baseline.resolutions),
        not_looked=tuple(baseline.not_looked),
        spending=agent_pool.spending(),
        seconds=watch.laps,
        regressions_prevented=verifier.prevented,
        base=base,
        sightings=baseline.sightings,
        reporting_jobs=baseline.reporting_jobs,
        retryable=baseline.retryable_runs(),
        drifted=drift,
    )


def _unreported(left: tuple[CIError, ...], reports: tuple[Unfixable, ...], why: str) -> tuple[Unfixable, ...]:
    """The report of an interrupted run for errors that have none yet."""
    reported_ids = {id_ for report in reports for id_ in report.error_ids}
    errors = [error for error in left if error.id not in reported_ids]
    return (unfixable(errors, "stopped", why, "what the run had time for", "`/heal` runs again."),) if errors else ()


def _agent_pool(failure: Failure, tools: Tools, free: Free) -> AgentPool:
    profiles = registry(failure.specialists)
    pool = AgentPool(
        free.verifier,
        tools.model_set,
        tools.steps,
        tools.progress,
        failure.hint,
        failure.agents,
        tools.memory,
        profiles,
    )
    pool.missing, pool.spread, pool.beyond = tools.missing, tools.spread, free.beyond
    return pool


def _verifier(failure: Failure, git: Git, checker: Checker, baseline: Baseline) -> Verifier:
    verifier = Verifier(
        git,
        checker,
        failure.trees,
        baseline.checks,
        {e.id: e for e in baseline.errors},
        shown_by=baseline.shown_by(),
        unsent=failure.unsent,
        policy=failure.policy,
    )
    verifier.tidier = Tidy(verifier)
    return verifier


def _remarks(rounds: Rounds, protection: Protection) -> list[NotChecked]:
    """What agents could not be given, or could not continue."""
    what_ended = {"how the files hang together": rounds.remark, "further fixes by agents": protection.undone}
    reviewer = rounds.agent_pool.verifier.reviewer
    return [
        *(NotChecked(what=what, why=why) for what, why in what_ended.items() if why),
        *(reviewer.remarks() if reviewer else ()),
    ]


async def _repair_for_free(
    failure: Failure, tools: Tools, free: Free, protection: Protection, remaining: Remaining, watch: "Stopwatch"
) -> str:
    """Runs what costs no tokens, most certain first. Returns the commit that agents start from."""
    await free.resubmit_offered(failure.standing, await remaining())
    await tools.progress("Repairing what the repository's own tools can repair")
    errors = await remaining()
    waiting = deferred_to_fixers(errors)
    await free.autofix(tuple(e for e in errors if e not in waiting))
    base = await _commit_base(failure, tools, free.verifier)
    watch.lap("autofix")
    if failure.snapshots:
        await tools.progress("Updating stale snapshots, as requested")
        await SnapshotUpdate(free.verifier, free.not_looked).run(await remaining())
        watch.lap("snapshots")
    await tools.progress("Trying rule-based fixes")
    await free.fix(remaining)
    await free.suggest(remaining)
    await free.remember(remaining, tools.memory, tools.steps)
    await free.autofix(await remaining())  # errors held back before, and lines that two tools changed
    await protection.settle()
    watch.lap("fixers")
    if failure.search:
        await tools.progress("Searching for small repairs of the failing tests")
        await search(free.verifier, await remaining(), free.before)
        await protection.settle()
        watch.lap("search")
    return base


async def _left_to_pay(tools: Tools, free: Free, protection: Protection, remaining: Remaining) -> tuple[CIError, ...]:
    """The errors that agents would be paid for. Where another run is working on the same errors, its fixes are tried
    first."""
    if tools.model_set is None or tools.claims is None:
        left = await remaining.after("free")
        free.note_changed(left)
        return left

    async def replay(turn: int) -> None:
        await free.remember(remaining, tools.memory, tools.steps, turn)

    return await share(tools.claims, free, protection, remaining, tools.steps, tools.progress, replay)


async def _commit_base(failure: Failure, tools: Tools, verifier: Verifier) -> str:
    """The commit that agents start from: the head, plus the changes of the repository's tools as one commit."""
    used = [p.source.removeprefix("autofix:") for p in verifier.accepted if p.source.startswith("autofix:")]
    if not used:
        return failure.commit

    async def moment() -> str:
        return tools.now().isoformat()

    when = datetime.fromisoformat(await tools.steps.run("commit-time", "autofix", moment))
    message = commit_message(used)
    return await asyncio.to_thread(tools.git.commit, verifier.integration, [failure.commit], message, AUTHOR, when)


def _without_checks(failure: Failure, baseline: Baseline, watch: "Stopwatch") -> Outcome:
    """The outcome where no red check could be run: everything was flaky, could not be checked, or is green if CI
    reported no failure."""
    if not baseline.errors and not baseline.not_looked:
        if not failure.jobs:
            return Outcome(verdict="healed", run_id=failure.run_id, seconds=watch.laps)
        why = "it passes here on the tree that CI built, and CI's log shows no error that could be looked for"
        if all(job.elsewhere for job in failure.jobs):
            why = "it passes on this commit's tree; CI saw it fail on another one"
        baseline.not_looked.append(NotChecked(what="what failed in CI", why=why, advice=ADVICE["flaky"]))
        baseline.retryable = tuple(job.ci_run for job in failure.jobs if job.ci_run)
    baseline.give_up(baseline.open_errors(), "could-not-look", "no check of it could be run here")
    flaky = bool(baseline.resolutions) and all(r.how == "flaky" for r in baseline.resolutions)
    return Outcome(
        verdict="not-healed" if flaky else "could-not-look",
        run_id=failure.run_id,
        errors=baseline.errors,
        unfixables=tuple(baseline.unfixables),
        resolutions=tuple(baseline.resolutions),
        not_looked=tuple(baseline.not_looked),
        seconds=watch.laps,
        sightings=baseline.sightings,
        reporting_jobs=baseline.reporting_jobs,
        retryable=baseline.retryable_runs(),
    )


def _all_errors(baseline: Baseline, remaining: Remaining) -> tuple[CIError, ...]:
    return tuple({e.id: e for e in (*baseline.errors, *remaining.revealed)}.values())


class Stopwatch:
    """Measures seconds per phase."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock = clock
        self.last = clock()
        self.laps: dict[str, float] = {}
        self._span = begin("phase")

    def lap(self, name: str) -> None:
        """Ends a phase, or a further round of it."""
        now = self.clock()
        self.laps[name] = round(self.laps.get(name, 0.0) + now - self.last, 3)
        self.last = now
        self._span.end(f"phase {name}", {})
        self._span = begin("phase")
