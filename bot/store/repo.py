"""All stored data of one repository: implements `handlers.model.Store` on the database."""

from collections.abc import Callable

from sqlalchemy import delete, select

from bot.store.chat_messages import chat_messages
from bot.store.check_runs import CheckRunRows, check_runs
from bot.store.ci_waits import CIWaitRows, ci_waits
from bot.store.claims import StoredClaims, claims
from bot.store.cluster_tasks import cluster_tasks
from bot.store.database import Database
from bot.store.fixups import FixupRows, fixups
from bot.store.kinds import KindRows, proposal_kinds
from bot.store.memory import REMEMBERED, StoredMemory
from bot.store.outcomes import OutcomeRows, test_outcomes
from bot.store.pauses import PauseRows, pauses
from bot.store.proposals import ProposalRows, proposals, unfixables
from bot.store.pull_heads import PullHeadRows, pull_heads
from bot.store.pulls import PullRows, pulls
from bot.store.questions import QuestionRows, questions
from bot.store.repo_settings import SettingsRows, repo_settings
from bot.store.runs import RunRows, failures, runs, settled_suites
from bot.store.spending import SpendingRows, model_calls, spending_holds
from bot.store.steps import blobs, steps
from bot.store.switches import SwitchRows, switches
from bot.store.tries import tries
from bot.store.words import run_words
from handlers.comments import pauses as pauses_texts
from healing.repair.agents.memory import FailedFix, Lesson

OF_A_REPO = (
    failures,
    runs,
    settled_suites,
    pull_heads,
    pulls,
    run_words,
    proposals,
    proposal_kinds,
    fixups,
    unfixables,
    questions,
    test_outcomes,
    model_calls,
    spending_holds,
    *REMEMBERED,
    claims,
    cluster_tasks,
    check_runs,
    ci_waits,
    chat_messages,
    tries,
    pauses,
    switches,
    repo_settings,
    steps,
    blobs,
)


class RepoStore(
    RunRows,
    PullHeadRows,
    PullRows,
    CheckRunRows,
    ProposalRows,
    KindRows,
    FixupRows,
    CIWaitRows,
    QuestionRows,
    OutcomeRows,
    PauseRows,
    SwitchRows,
    SettingsRows,
    SpendingRows,
):
    """Bound to one repository: no call can read or write another's rows. `starts_on`: whether fixes may be offered
    there before somebody switched Heal on or off."""

    def __init__(
        self, database: Database, repo_id: int, full_name: str, now: Callable[[], float], starts_on: bool = True
    ) -> None:
        RunRows.__init__(self, database, repo_id, full_name, now)
        PullHeadRows.__init__(self, database, repo_id, now)
        PullRows.__init__(self, database, repo_id, now)
        CheckRunRows.__init__(self, database, repo_id, now)
        ProposalRows.__init__(self, database, repo_id, now)
        KindRows.__init__(self, database, repo_id, now)
        FixupRows.__init__(self, database, repo_id, now)
        QuestionRows.__init__(self, database, repo_id, now)
        OutcomeRows.__init__(self, database, repo_id, now)
        PauseRows.__init__(self, database, repo_id, now)
        SwitchRows.__init__(self, database, repo_id, now, starts_on)
        SettingsRows.__init__(self, database, repo_id, now)
        SpendingRows.__init__(self, database, repo_id, now)

    def memory(self, run_id: str, learns: bool = True) -> StoredMemory:
        """Returns the memory of agents, for one run; `learns`: whether the run adds to it."""
        return StoredMemory(self._db, self.repo_id, run_id, self._now, learns)

    async def learn(self, failed: tuple[FailedFix, ...]) -> None:
        """See `handlers.model.Store`."""
        await self.memory("").learn(Lesson(failed=failed))

    def claims(self, sha: str, attempt: int, holds: bool = True) -> StoredClaims:
        """Returns the run's claims; `holds`: whether other runs wait for this one."""
        return StoredClaims(self._db, self.repo_id, sha, attempt, self._now, holds)

    async def why_still(self, sha: str, attempt: int) -> str | None:
        """Returns why a run may spend nothing more: the operator's stop, a pause, a cancellation, or because it was
        superseded when the branch moved on or the pull request was closed. None: it may."""
        if why := await self.stopped():
            return why
        run = await self.run(sha, attempt)
        if run is not None and run.state == "superseded":
            return "the branch changed, or the pull request was closed, during this run."
        if why := await self.cancelled(sha, attempt):
            return why
        by = await self.paused_by(run.number) if run is not None and run.number else None
        return pauses_texts.still(by) if by is not None else None

    async def forget_repo(self) -> None:
        """Deletes all data of the repository (after an uninstall)."""
        async with self._db.write() as connection:
            for table in OF_A_REPO:
                await connection.execute(delete(table).where(table.c.repo_id == self.repo_id))


async def repos_of(database: Database, installation_id: int) -> tuple[int, ...]:
    """Returns the ids of one installation's repositories that have runs in the store."""
    query = select(runs.c.repo_id).where(runs.c.installation_id == installation_id).distinct()
    async with database.read() as connection:
        return tuple((await connection.execute(query)).scalars())
