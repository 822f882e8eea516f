"""`heal agents`: lists the AI agents and what each is for."""

from pathlib import Path
from typing import TYPE_CHECKING

from bot.cli.clone import open_clone
from bot.cli.options import HERE, AsJson, Where
from bot.cli.shell import EXIT_HEALTHY, note, put, put_json, wait_for

if TYPE_CHECKING:
    from healing.repair.agents.profiles import Profile

MAX_RULES = 8  # in the text output; `--json` has all


def agents(path: Where = HERE, as_json: AsJson = False) -> int:
    """List the AI agents that errors are given to, with what each can do, this clone's own included.

    Example: heal agents --json
    """
    return wait_for(_agents(path, as_json))


async def _agents(path: Path, as_json: bool) -> int:
    from healing.repair.agents.profiles import of_repository, registry

    async with open_clone(path) as repo:
        view = repo.view(await repo.code())
        own, wrong = of_repository(view.paths(), view.read)
    for profile in registry(own):
        shown = {"own": profile in own, **profile.model_dump(mode="json", exclude={"instructions"})}
        if as_json:
            put_json(shown)
        else:
            put("\n".join(_lines(profile, profile in own)))
    for one in wrong:
        note(f"{one.what} is not used: {one.why}. {one.advice}")
    return EXIT_HEALTHY


def _lines(profile: "Profile", own: bool) -> list[str]:
    kinds = ", ".join(category.value for category in profile.categories)
    rules = [*profile.rules[:MAX_RULES], *(["…"] if len(profile.rules) > MAX_RULES else [])]
    return [
        f"{profile.name}{' (of this repository)' if own else ''}: {profile.purpose}",
        f"  errors:   {kinds}" + (f"; rules {' '.join(rules)}" if rules else ""),
        f"  fits:     {', '.join(profile.complexity)} ones, expected to succeed in {profile.confidence:.0%}",
        f"  tools:    {' '.join(profile.tools)}",
    ]
