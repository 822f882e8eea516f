"""`heal plan`: check, then what Heal would do: causes, clusters and what agents would cost."""

from pathlib import Path

import typer

from bot.cli.shell import EXIT_ERRORS_LEFT, EXIT_HEALTHY, JSON_OPTION, print_json, wait_for


def plan(
    path: Path = typer.Argument(Path(), help="A clone."),
    run: str = typer.Option("", "--run", metavar="CMD", help="The failing command; else the workflows' checks."),
    as_json: bool = JSON_OPTION,
) -> int:
    """Show root causes, clusters and the estimated cost of healing, without changing or spending anything."""
    return wait_for(_plan(path, run, as_json))


async def _plan(path: Path, run: str, as_json: bool) -> int:
    from bot.cli.check import named_checks
    from bot.local import local_repo
    from bot.settings import read_settings
    from healing.agents.estimate import estimate
    from healing.causes import find_causes
    from healing.clusters import make_clusters
    from healing.graph import import_graph

    async with local_repo(path, read_settings()) as repo:
        view = repo.view()
        checks = named_checks(view, run)
        await repo.engine.need_sandbox()
        checker = await repo.engine.checker(repo.run_id, repo.git, repo.steps())
        assert checker is not None
        results = [await checker.run(check, repo.tree) for check in checks]
        errors = tuple({e.id: e for r in results for e in r.errors}.values())
        causes = find_causes(errors, view)
        clusters = make_clusters(causes, errors, import_graph(view))
        dollars = estimate(clusters, errors, view)
    if as_json:
        print_json(
            {
                "errors": [e.model_dump(mode="json") for e in errors],
                "causes": [c.model_dump(mode="json") for c in causes],
                "clusters": [c.model_dump(mode="json") for c in clusters],
                "estimate_dollars": round(dollars, 4),
            }
        )
    else:
        print(f"{len(errors)} errors, {len(causes)} root causes, {len(clusters)} clusters")
        for cluster in clusters:
            print(f"cluster {cluster.id} ({cluster.phase}): {', '.join(cluster.zone)}")
            for cause in cluster.causes:
                print(
                    f"  {len(cause.error_ids):>3} × {cause.message.splitlines()[0] if cause.message else cause.shape}"
                )
        print(f"agents would cost about ${dollars:.2f}; autofix and fixers come first and cost nothing")
    return EXIT_ERRORS_LEFT if errors else EXIT_HEALTHY
