"""Autofix, the first free tier: the repo's own tools fix what they can before anything is paid for."""

from collections.abc import Iterable

from healing.autofix.biome import Biome
from healing.autofix.black import Black
from healing.autofix.configured import Configured, NamedTool
from healing.autofix.eslint import Eslint
from healing.autofix.eslint_inside import SEMISTANDARD, STANDARD, TS_STANDARD, XO
from healing.autofix.gofmt import Gofmt, Goimports
from healing.autofix.isort import Isort
from healing.autofix.prettier import Prettier
from healing.autofix.ruff import RuffCheck, RuffFormat
from healing.autofix.runner import Runner
from healing.autofix.rust import Clippy, Rustfmt

# In the order in which they run: a formatter last, so that what a linter rewrote is formatted too.
RUNNERS: tuple[Runner, ...] = (
    *(RuffCheck(), Isort(), RuffFormat(), Black()),
    *(Eslint(), XO, STANDARD, SEMISTANDARD, TS_STANDARD, Biome(), Prettier()),
    *(Goimports(), Gofmt()),
    *(Clippy(), Rustfmt()),
)


def commit_message(tools: Iterable[str]) -> str:
    """The subject of the commit that holds what `tools` fixed: `chore: autofix [black, ruff]`."""
    return f"chore: autofix [{', '.join(sorted(set(tools)))}]"


__all__ = ["RUNNERS", "Configured", "NamedTool", "Runner", "commit_message"]
