"""The one program that `npm test` or `make test` runs, as if it had been called by itself."""

from collections.abc import Mapping

from healing.checks.makefiles import make_recipe
from healing.checks.narrowing.words import assignments, simple
from healing.checks.npm_scripts import RUNNERS, Read, script_called

NONE: Mapping[str, str] = {}
MAX_DEPTH = 4  # nested scripts and recipes


def spelled_out(
    words: list[str], cwd: str, read: Read, variables: Mapping[str, str] = NONE, depth: int = 0
) -> list[str] | None:
    """The words of the program that a script or a recipe runs, with the runner of a script's before them; the same
    words where they call neither. None: it is more than one plain command, or pre and post scripts run around it.
    `variables` are those of the call's environment."""
    recipe = make_recipe(words, cwd, read, variables)
    if recipe is not None:
        only = simple(recipe[0]) if len(recipe) == 1 and depth < MAX_DEPTH else None
        return spelled_out(only, cwd, read, variables, depth + 1) if only else None
    call = script_called(words)
    if call is None:
        return words
    script = simple(call.script(cwd, read))
    if not script:
        return None
    split = len(assignments(script))
    return [*script[:split], *RUNNERS[call.tool], *script[split:], *call.more]
