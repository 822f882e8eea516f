"""`heal unfixable`: why errors were left, and what a person could do."""

from pathlib import Path

from bot.cli.apply import PATH
from bot.cli.shell import EXIT_HEALTHY, JSON_OPTION, print_json, wait_for


def unfixable(path: Path = PATH, as_json: bool = JSON_OPTION) -> int:
    """Print the reports on errors that were not cured."""
    return wait_for(_unfixable(path, as_json))


async def _unfixable(path: Path, as_json: bool) -> int:
    from bot.local import NUMBER, local_repo
    from bot.settings import read_settings

    async with local_repo(path, read_settings()) as repo:
        reports = await repo.store.unfixables(NUMBER)
    for one in reports:
        if as_json:
            print_json(one.model_dump(mode="json"))
        else:
            print(f"{one.id}  {one.reason}: {one.why}\n    tried: {one.tried}\n    next: {one.advice}")
    if not reports and not as_json:
        print("nothing was left")
    return EXIT_HEALTHY
