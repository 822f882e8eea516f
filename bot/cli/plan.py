"""`heal plan`: runs checks and shows which errors belong together, which agents would fix them and what that costs."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bot.cli.check import checks_of, note_stored
from bot.cli.clone import checker_for, open_to_heal
from bot.cli.options import HERE, AsJson, Base, Commands, Fresh, InJob, InStep, InWorkflow, Quiet, Where
from bot.cli.printing import first_line, not_checked_line, plural
from bot.cli.progress import Progress
from bot.cli.shell import EXIT_ERRORS_LEFT, EXIT_HEALTHY, CouldNotReproduce, put, put_json, wait_for
from handlers.errors import UserError

if TYPE_CHECKING:
    from bot.laptop.clone import Code
    from bot.laptop.healed_clone import HealedClone
    from bot.laptop.wanted import WantedChecks
    from healing.llm.usage_records import SpendingLimit
    from healing.model import CIError
    from healing.pipeline.agent_work.planning import Plan
    from healing.pipeline.failure import Failure
    from healing.repair.agents.routing import Routing

PULL = "this pull request's"  # this limit only applies on GitHub


def plan(  # noqa: PLR0913, PLR0917  (one parameter an option)
    path: Where = HERE,
    run: Commands = None,
    workflow: InWorkflow = "",
    job: InJob = "",
    step: InStep = "",
    base: Base = "",
    fresh: Fresh = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> int:
    """Show which errors belong together and what AI would cost to fix them. Nothing is changed, nothing is spent.

    Example: heal plan --run "pytest -q"
    """
    from bot.laptop.wanted import WantedChecks

    wanted = WantedChecks(tuple(run or ()), workflow, job, step, verb="plan")
    return wait_for(_plan(path, wanted, base, fresh, Progress(quiet), as_json))


async def _plan(path: Path, wanted: "WantedChecks", base: str, fresh: bool, progress: Progress, as_json: bool) -> int:
    from healing.pipeline.reproducing import run_baseline

    with progress:
        async with open_to_heal(path, command=wanted.typed) as repo:
            code = await repo.code(base)
            found = checks_of(repo, code, wanted, progress)
            await progress.say("Running " + ", ".join(c.title for c in found.checks))
            failure = repo.failure(code, found.checks)
            baseline = await run_baseline(failure, repo.git, await checker_for(repo, code, fresh))
            note_stored(repo, found.checks, progress)
            await progress.say("Finding root causes")
            answer = PlanAnswer(
                baseline.errors,
                await _plan_for(repo, code, failure, baseline.errors),
                *await _limits(repo, code, failure),
            )
    not_run = [*found.problems, *(not_checked_line(reason, "plan") for reason in baseline.not_looked)]
    if as_json:
        put_json(answer.as_json() | {"not_looked": not_run})
    else:
        answer.print_result(not not_run)
    if answer.plan.remark:
        progress.note(answer.plan.remark)
    if baseline.errors:
        if not_run:
            progress.note("couldn't check everything: " + "; ".join(not_run))
        return EXIT_ERRORS_LEFT
    if not_run:
        raise CouldNotReproduce("; ".join(not_run))
    return EXIT_HEALTHY


async def _plan_for(repo: "HealedClone", code: "Code", failure: "Failure", errors: "tuple[CIError, ...]") -> "Plan":
    """The plan, using the stored results of this clone's specialists. Raises UserError for a model without a price."""
    from healing.llm.prices import UnknownModel, WrongPrices
    from healing.pipeline.agent_work.planning import plan as planned
    from healing.repair.agents.profiles import registry

    records = await repo.store.memory(code.run_id).records()
    profiles, models = registry(failure.specialists), repo.engine.models.under(failure.agents)
    try:
        return planned(errors, repo.view(code), failure.agents, profiles, models.main, records, models.second_model)
    except (UnknownModel, WrongPrices) as error:
        raise UserError(str(error)) from error


async def _limits(
    repo: "HealedClone", code: "Code", failure: "Failure"
) -> "tuple[str, tuple[SpendingLimit, ...], float]":
    """The main model, the limits of a local run, and the limit of a pull request, which only applies on GitHub."""
    models = repo.engine.models.under(failure.agents)
    return models.main, await repo.store.limits(code.run_id, None, models.caps()), models.caps().pull


@dataclass(frozen=True)
class PlanAnswer:
    """The result, which can be printed for people or for programs."""

    errors: "tuple[CIError, ...]"
    plan: "Plan"
    model: str
    limits: "tuple[SpendingLimit, ...]"
    pull_dollars: float

    def as_json(self) -> dict[str, object]:
        """The whole result as one object."""
        plan = self.plan
        return {
            "errors": [e.model_dump(mode="json") for e in self.errors],
            "causes": [c.model_dump(mode="json") for c in plan.causes],
            "clusters": [
                cluster.model_dump(mode="json")
                | {"agent": routing.chosen[0], "routing": _scores(routing), "estimate": one.model_dump(mode="json")}
                for cluster, routing, one in zip(plan.clusters, plan.routings, plan.estimates, strict=True)
            ],
            "model": self.model,
            "estimate_calls": plan.calls,
            "estimate_dollars": round(plan.dollars, 4),
            "limits": [*map(_limit, self.limits), {"whose": PULL, "dollars": self.pull_dollars, "applies": False}],
        }

    def print_result(self, whole: bool) -> None:
        """Prints it for people. `whole`: all checks were run, so that no error means that nothing needs fixing."""
        if not self.errors:
            if whole:
                put("nothing to fix: no check that was run shows an error")
            return
        plan = self.plan
        behind = sum(bool(cause.explained_by) for cause in plan.causes)
        counted = f"{plural(len(self.errors), 'error')} from {plural(len(plan.causes) - behind, 'cause')}"
        follow = f" ({plural(behind, 'more cause')} follow from these)" if behind else ""
        put(counted + follow)
        for cluster, routing, one in zip(plan.clusters, plan.routings, plan.estimates, strict=True):
            files = ", ".join(cluster.zone) or "errors that name no file"
            put(f"{files}: about {one.calls} model calls, ${one.dollars:.2f} ({_agent(routing)})")
            for cause in cluster.causes:
                put(f"  {len(cause.error_ids):>3} × {first_line(cause.message) or cause.shape}")
        put(
            f"AI agents would cost about ${plan.dollars:.2f} ({plan.calls} calls of {self.model}). Rules, the tools' "
            "own fixes and fixes that worked before are tried first and cost nothing. To start: heal run, with the "
            "same options"
        )
        left = ", ".join(f"${limit.room:.2f} of {limit.whose} ${limit.dollars:.2f}" for limit in self.limits)
        put(f"Budget left: {left}")


def _scores(routing: "Routing") -> dict[str, object]:
    """A routing decision with the scores that it is based on."""
    scores = [score.model_dump(mode="json") | {"confidence": score.confidence} for score in routing.scores]
    return {"chosen": list(routing.chosen), "complexity": routing.complexity, "scores": scores}


def _agent(routing: "Routing") -> str:
    return f"{routing.chosen[0].replace('_', ' ')} agent"


def _limit(limit: "SpendingLimit") -> dict[str, object]:
    spent = {"spent": round(limit.before, 4), "left": round(limit.room, 4)}
    return {"whose": limit.whose, "dollars": limit.dollars, **spent, "applies": True}
