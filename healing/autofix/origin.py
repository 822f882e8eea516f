"""Says whose code a tool's program, plug-ins and configuration are: Heal's own environment's, or the branch's.

What a tool changed passes the same guard either way. This only decides how sure Heal calls it, and what a person is
told: a program, a plug-in or a configuration file that runs can write whatever it likes.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from healing.autofix.runner import Runner
from healing.checks.check import Check

SUREST = 99  # a tool of Heal's environment that only reads data of the repository
INSTALLED = 90  # the same tool where the repository's set-up may have put another program in its place
OF_THE_BRANCH = 70  # programs, plug-ins or configuration of the branch have run
DATA_ONLY = frozenset({"ruff", "ruff-format", "black", "isort", "gofmt", "goimports", "rustfmt"})
RUNS = re.compile(  # files that are run, or that name what is run, when npm's tools or cargo work
    r"(?:^|/)(?:node_modules/|\.?venv/|eslint\.config\.|\.eslintrc|\.prettierrc|prettier\.config\.|\.?biome\.jsonc?$"
    r"|package\.json$|\.cargo/|build\.rs$|\.pre-commit-config\.yaml$)"
)
LOOKED_UP = re.compile(r"PATH$|^(?:BASH_ENV|ENV|PYTHON\w*|LD_\w+|NODE_OPTIONS|HOME)$")  # decide which program is run
MOST_NAMED = 3


@dataclass(frozen=True)
class Origin:
    """How sure a tool's output is called, what people read about it, and what they should look at."""

    confidence: int
    explanation: str
    flags: tuple[str, ...] = ()


def origin_of(runner: Runner, check: Check | None, changed: Iterable[str]) -> Origin:
    """Where `runner` comes from when it is called in the place of `check`; `changed` are the files that the pull
    request changes."""
    name = runner.name
    if name not in DATA_ONLY:
        touched = sorted(path for path in changed if RUNS.search(path))[:MOST_NAMED]
        return Origin(
            OF_THE_BRANCH,
            f"This is what {name} changes. Its program, plug-ins and configuration are code of this branch.",
            tuple(f"{path}: can decide what {name} writes, and this pull request changes it" for path in touched),
        )
    explanation = f"This is what {name} itself changes, with the settings of this repository."
    replaced = check is not None and (bool(check.setup) or any(map(LOOKED_UP.search, check.step.env)))
    return Origin(INSTALLED if replaced else SUREST, explanation)
