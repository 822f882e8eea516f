"""Autofix, the first free step: the repo's own tools fix what they can before anything is paid for."""

from collections.abc import Iterable

from healing.repair.tools.biome import Biome
from healing.repair.tools.black import Black
from healing.repair.tools.configured import Configured, NamedTool
from healing.repair.tools.eslint import Eslint
from healing.repair.tools.eslint_inside import SEMISTANDARD, STANDARD, TS_STANDARD, XO
from healing.repair.tools.gofmt import Gofmt, Goimports
from healing.repair.tools.isort import Isort
from healing.repair.tools.prettier import Prettier
from healing.repair.tools.prose import MARKDOWNLINT, MARKDOWNLINT_CLI2, Codespell, Stylelint
from healing.repair.tools.ruff import RuffCheck, RuffFormat
from healing.repair.tools.runner import Runner
from healing.repair.tools.rust import Clippy, Rustfmt

# In the order in which they run: a formatter last, so that what a linter rewrote is formatted too.
RUNNERS: tuple[Runner, ...] = (
    Codespell(),
    *(RuffCheck(), Isort(), RuffFormat(), Black()),
    *(Eslint(), XO, STANDARD, SEMISTANDARD, TS_STANDARD, Biome()),
    *(Stylelint(), MARKDOWNLINT, MARKDOWNLINT_CLI2, Prettier()),
    *(Goimports(), Gofmt()),
    *(Clippy(), Rustfmt()),
)


def commit_message(tools: Iterable[str]) -> str:
    """The subject of the commit with the fixes by `tools`: `chore: autofix [black, ruff]`."""
    return f"chore: autofix [{', '.join(sorted(set(tools)))}]"


__all__ = ["RUNNERS", "Configured", "NamedTool", "Runner", "commit_message"]
