"""What a repository says about its healing: `.github/heal.yml`, its problem matchers and its own specialists."""

import asyncio
import json
from dataclasses import dataclass

from bot.repo_config import CONFIG_PATH, ReadConfig, RepoConfig, read_repo_config
from bot.runs.trees import RunTrees
from handlers.model import Setting
from handlers.model import Settings as GivenSettings
from healing.logs.matchers import ProblemMatcher
from healing.model import NotChecked
from healing.policy.unsent import UNSENT_PATH, Unsent
from healing.repair.agents.profiles import Profile, of_repository
from healing.view import TreeView

FOLDER = ".github/"  # where the rules are, but for `.healignore`, and matchers that are named elsewhere


@dataclass(frozen=True)
class RepoRules:
    """As one commit has them; `unusable` are matchers' files that can't be read."""

    read: ReadConfig
    matchers: tuple[ProblemMatcher, ...]
    unusable: tuple[NotChecked, ...]
    view: TreeView

    async def specialists(self) -> tuple[tuple[Profile, ...], tuple[NotChecked, ...]]:
        """The repository's own specialists, and what is wrong with those that can't be used."""
        return await asyncio.to_thread(of_repository, self.view.paths(), self.view.read)

    @property
    def unsent(self) -> Unsent:
        """The files that no model is shown."""
        return Unsent.of(self.view.read)

    def as_settings(self) -> GivenSettings:
        """Setting by setting, for people."""
        now, default = (one.model_dump(mode="json") for one in (self.read.config, RepoConfig()))
        given = self.read.config.model_fields_set
        return GivenSettings(
            settings=tuple(Setting(key=k, value=json.dumps(now[k]), given=k in given) for k in default),
            problems=tuple(f"line {problem.line}: {problem.reason}" for problem in self.read.problems),
        )


async def rules_at(trees: RunTrees, sha: str) -> RepoRules:
    """The rules that a commit has; its other files need not be fetched for them. Raises GitError."""
    view = await trees.reading(sha, lambda path: path.startswith(FOLDER) or path == UNSENT_PATH)
    read = read_repo_config(view.read(CONFIG_PATH))
    elsewhere = {one for one in read.config.problem_matchers if isinstance(one, str) and not one.startswith(FOLDER)}
    if elsewhere:
        view = await trees.reading(sha, elsewhere.__contains__)
    return RepoRules(read, *read.matchers(view.read), view)
