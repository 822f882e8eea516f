"""A repository's rules for Heal: `.github/heal.yml`, its problem matchers and its own specialists."""

import asyncio
import json
from dataclasses import dataclass

from bot.repo_config import CONFIG_PATH, ReadConfig, RepoConfig, read_repo_config
from bot.runs.trees import RunTrees
from handlers.model import Setting
from handlers.model import Settings as GivenSettings
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

    def as_settings(self) -> GivenSettings:
        """Returns the settings one by one, for display."""
        now, default = (config.model_dump(mode="json") for config in (self.read.config, RepoConfig()))
        given = self.read.config.model_fields_set
        return GivenSettings(
            settings=tuple(Setting(key=k, value=json.dumps(now[k]), given=k in given) for k in default),
            problems=tuple(f"line {problem.line}: {problem.reason}" for problem in self.read.problems),
        )


async def rules_at(trees: RunTrees, sha: str) -> RepoRules:
    """Returns the rules at a commit, fetching only the files that they need. Raises GitError."""
    view = await trees.reading(sha, lambda path: path.startswith(FOLDER) or path == UNSENT_PATH)
    read = read_repo_config(view.read(CONFIG_PATH))
    elsewhere = {path for path in read.config.problem_matchers if isinstance(path, str) and not path.startswith(FOLDER)}
    if elsewhere:
        view = await trees.reading(sha, elsewhere.__contains__)
    return RepoRules(read, *read.matchers(view.read), view)
