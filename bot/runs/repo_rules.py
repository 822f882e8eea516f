"""A repository's rules for Heal: `.github/heal.yml`, its problem matchers and its own specialists."""

import asyncio
from dataclasses import dataclass

from bot.repo_config import CONFIG_PATH, ReadConfig, read_repo_config
from bot.runs.trees import RunTrees
from healing.logs.matchers import ProblemMatcher
from healing.model import NotChecked
from healing.policy.unsent import UNSENT_PATH, UnsentFiles
from healing.repair.agents.profiles import Profile, of_repository
from healing.view import TreeView

FOLDER = ".github/"  # where the rules are, except `.healignore` and problem matchers with other paths


@dataclass(frozen=True)
class RepoRules:
    """The rules at one commit; `unusable` are problem matcher files that can't be used."""

    read: ReadConfig
    matchers: tuple[ProblemMatcher, ...]
    unusable: tuple[NotChecked, ...]
    view: TreeView

    async def specialists(self) -> tuple[tuple[Profile, ...], tuple[NotChecked, ...]]:
        """Returns the repository's own specialists, and notes on those that can't be used."""
        return await asyncio.to_thread(of_repository, self.view.paths(), self.view.read)

    @property
    def unsent(self) -> UnsentFiles:
        """The files that are never sent to a model."""
        return UnsentFiles.of(self.view.read)


async def rules_at(trees: RunTrees, sha: str) -> RepoRules:
    """Returns the rules at a commit, fetching only the files that they need. Raises GitError."""
    view = await trees.reading(sha, lambda path: path.startswith(FOLDER) or path == UNSENT_PATH)
    read = read_repo_config(view.read(CONFIG_PATH))
    elsewhere = {path for path in read.config.problem_matchers if isinstance(path, str) and not path.startswith(FOLDER)}
    if elsewhere:
        view = await trees.reading(sha, elsewhere.__contains__)
    return RepoRules(read, *read.matchers(view.read), view)
