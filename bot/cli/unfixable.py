"""`heal unfixable`: prints why errors have no fix, and what a person can do."""

from pathlib import Path

from bot.cli.clone import open_clone
from bot.cli.options import HERE, AsJson, Clone
from bot.cli.printing import not_looked_lines, unfixable_lines
from bot.cli.shell import EXIT_HEALTHY, put, put_json, wait_for


def unfixable(repo: Clone = HERE, as_json: AsJson = False) -> int:
    """Print what the last `heal run` could not fix, why, and what to do next.

    Example: heal unfixable
    """
    return wait_for(_unfixable(repo, as_json))


async def _unfixable(path: Path, as_json: bool) -> int:
    async with open_clone(path) as repo:
        run = await repo.newest_run()
    outcome = run.outcome if run else None
    reports, culprits = (outcome.unfixables, outcome.culprits) if outcome else ((), ())
    errors = {error.id: error for error in outcome.errors} if outcome else {}
    for one in reports:
        its_errors = [errors[i] for i in one.error_ids if i in errors]
        if as_json:
            put_json(one.model_dump(mode="json") | {"errors": [error.model_dump(mode="json") for error in its_errors]})
        else:
            put("\n".join(unfixable_lines(one, its_errors, culprits)))
    not_looked = outcome.not_looked if outcome else ()
    if not as_json:
        for line in not_looked_lines(not_looked):
            put(line)
        if run is None:
            put("no `heal run` has ended on this clone yet")
        elif not reports and not not_looked:
            put("nothing was left by the last `heal run` on this clone")
    return EXIT_HEALTHY
