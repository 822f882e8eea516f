"""Whether fixes are verified in the repository's own CI (`verify`), and why not if they can't be."""

from dataclasses import dataclass

from bot.repo_config import ReadConfig
from bot.store.repo import RepoStore
from bot.trials import RunTrials, TrialContext
from handlers.model import Pull, Run
from healing.failed_jobs import Trees
from healing.git import Git
from healing.model import NotChecked
from healing.steps import Steps


@dataclass(frozen=True)
class CiJudge:
    """CI trial runs of one repository. Nothing is pushed for a fork, or while Heal only observes."""

    place: TrialContext
    store: RepoStore
    git: Git

    async def trials(
        self, config: ReadConfig, pull: Pull | None, attempt: int, run_id: str, trees: Trees, steps: Steps
    ) -> RunTrials | None:
        """Returns the trials of one run; None if they aren't allowed."""
        if config.config.verify == "local" or pull is None or pull.is_fork_of(self.place.repo.full_name):
            return None
        if await self.store.observing():
            return None
        return RunTrials(self.place, pull, attempt, run_id, trees, self.git, steps)

    async def missing(self, config: ReadConfig, pull: Pull | None, run: Run) -> tuple[NotChecked, ...]:
        """Returns a note if the repository wants fixes to be verified in CI, but they can't be."""
        if config.config.verify != "ci" or pull is None:
            return ()
        if pull.is_fork_of(run.full_name):
            why = "the pull request comes from a fork, and nothing of a fork is pushed into this repository"
        elif await self.store.observing():
            why = "Heal is in trial mode here until `/heal on`, and pushes nothing"
        else:
            return ()
        advice = "CI judges them once they are committed."
        return (NotChecked(what="the fixes in CI (verify: ci)", why=why, advice=advice),)
