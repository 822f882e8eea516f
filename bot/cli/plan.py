"""`heal plan`: check, then what Heal would do: causes, clusters, who would work on them and what it would cost."""

from pathlib import Path
from typing import TYPE_CHECKING

from bot.cli.check import checks_of, note_stored
from bot.cli.clone import open_clone
from bot.cli.options import HERE, AsJson, Command, Fresh, InJob, InStep, InWorkflow, Quiet, Where
from bot.cli.printing import first_line
from bot.cli.progress import Progress
from bot.cli.shell import EXIT_ERRORS_LEFT, EXIT_HEALTHY, CouldNotLook, put, put_json, wait_for

if TYPE_CHECKING:
    from bot.local_checks import Wanted
    from healing.baseline import Baseline
    from healing.model import Cluster, RootCause
    from healing.view import TreeView

AGENT = "generalist"  # who would get a cluster that autofix and fixers leave; there is one specialist so far


def plan(
    path: Where = HERE,
    run: Command = "",
    workflow: InWorkflow = "",
    job: InJob = "",
    step: InStep = "",
    fresh: Fresh = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> int:
    """Show root causes, clusters and the estimated cost of healing. Nothing is changed and nothing is spent.

    Example: heal plan --run "pytest -q"
    """
    from bot.local_checks import Wanted

    return wait_for(_plan(path, Wanted(run, workflow, job, step), fresh, Progress(quiet), as_json))


async def _plan(path: Path, wanted: "Wanted", fresh: bool, progress: Progress, as_json: bool) -> int:
    from healing.baseline import look

    with progress:
        async with open_clone(path) as repo:
            code = await repo.code()
            view = repo.view(code)
            found = checks_of(repo, code.tree, wanted, progress)
            await progress.say("Running " + ", ".join(c.title for c in found.checks))
            baseline = await look(repo.failure(code, found.checks), repo.git, await repo.checker(code, fresh))
            note_stored(repo, found.checks, progress)
            await progress.say("Finding root causes")
            causes, clusters, dollars, remark = _think(baseline, view)
    unlooked = [*found.problems, *(f"{n.what}: {n.why}" for n in baseline.not_looked)]
    if as_json:
        put_json(
            {
                "errors": [e.model_dump(mode="json") for e in baseline.errors],
                "causes": [c.model_dump(mode="json") for c in causes],
                "clusters": [c.model_dump(mode="json") | {"agent": AGENT} for c in clusters],
                "estimate_dollars": round(dollars, 4),
                "not_looked": unlooked,
            }
        )
    else:
        _tell(baseline, causes, clusters, dollars)
    if remark:
        progress.note(remark)
    if baseline.errors:
        if unlooked:
            progress.note("could not look at everything: " + "; ".join(unlooked))
        return EXIT_ERRORS_LEFT
    if unlooked:
        raise CouldNotLook("; ".join(unlooked))
    return EXIT_HEALTHY


def _think(baseline: "Baseline", view: "TreeView") -> "tuple[tuple[RootCause, ...], tuple[Cluster, ...], float, str]":
    from healing.agents.estimate import estimate
    from healing.causes import find_causes
    from healing.causes.hierarchy import explain
    from healing.clusters import make_clusters, remark
    from healing.graph import import_graph

    graph = import_graph(view)
    causes = explain(find_causes(baseline.errors, view), baseline.errors, graph)
    clusters = make_clusters(causes, baseline.errors, graph)
    return causes, clusters, estimate(clusters, baseline.errors, view), remark(graph, clusters)


def _tell(
    baseline: "Baseline", causes: "tuple[RootCause, ...]", clusters: "tuple[Cluster, ...]", dollars: float
) -> None:
    if not baseline.errors:
        put("nothing to heal: no check that was run shows an error")
        return
    behind = sum(bool(cause.explained_by) for cause in causes)
    explained = f" ({behind} more explained by them)" if behind else ""
    put(f"{len(baseline.errors)} errors, {len(causes) - behind} root causes{explained}, {len(clusters)} clusters")
    for cluster in clusters:
        put(f"cluster {cluster.id} ({cluster.phase} phase, {AGENT}): {', '.join(cluster.zone)}")
        for cause in cluster.causes:
            put(f"  {len(cause.error_ids):>3} × {first_line(cause.message) or cause.shape}")
    put(f"agents would cost about ${dollars:.2f}; autofix and fixers come first and cost nothing. Start: heal run")
