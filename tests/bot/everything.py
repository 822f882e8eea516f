"""A row of everything that is kept about a repository."""

from bot.store.chat_messages import StoredChat
from bot.store.cluster_tasks import ClusterTaskRows, TaskKey
from bot.store.database import Database
from bot.store.repo import RepoStore
from bot.store.spending import Caps
from bot.store.steps import StoredSteps
from bot.store.tries import Tries, TryRow
from handlers.model import ChatMessage, CIWait, Fixup, ProposalStatus, Settings, StoredProposal
from handlers.model.plans import CheckPlan
from healing.llm.protocol import Usage
from healing.llm.usage_records import Booking
from healing.logs import flakes
from healing.model import Edit, Proposal, Unfixable
from healing.repair.agents.memory import Ended, FailedFix, Lesson, WorkedFix
from healing.repair.agents.trajectory import Trajectory
from tests.bot.conftest import Clock
from tests.web.rows import pull

SHA = "a" * 40
LESSON = Lesson(
    failed=(FailedFix(cause="c1", edit="e1", specialist="s", edits=(), message="m"),),
    worked=(WorkedFix(cause="c1", shape="x", proposal="p1", specialist="s", title="t", edits=()),),
    ended=(Ended(cause="c1", specialist="s"),),
)
TRAJECTORY = Trajectory(cluster="C1", specialist="s", model="m", steps=(), ending="whole")


def proposal(name: str = "p1") -> Proposal:
    edit = Edit(file="a.py", old_string="x\n", new_string="y\n")
    return Proposal(
        id=name, source="autofix:ruff", phase="free", title="t", explanation="e", confidence=90, error_ids=("E1",),
        edits=(edit,), wide=(edit,), reverse=(edit,), evidence=(), base_tree="0" * 40,
    )  # fmt: skip


def stored(name: str = "p1", run_id: str = "r1", status: ProposalStatus = "pending") -> StoredProposal:
    return StoredProposal(proposal=proposal(name), run_id=run_id, attempt=1, number=3, status=status)


async def keep_a_row_of_everything(database: Database, one: RepoStore, clock: Clock) -> None:
    """As a run of commit SHA would leave it, in each table."""
    plan = CheckPlan(sha=SHA, external_id="heal:1", status="queued", conclusion=None, title="t", summary="s")
    await one.note_check(plan, 1)
    run = await one.open_attempt("k", 5, SHA, {})
    await one.save_run(run.model_copy(update={"branch": "main"}))
    await one.settle(SHA, 1)
    await one.save_proposals((stored(),))
    await one.save_kinds(3, {"p1": ("fixer:a ruff F821",)})
    await one.await_ci(CIWait(number=3, sha=SHA))
    await StoredChat(database, one.repo_id, clock).post(ChatMessage(sha=SHA, outcome="fix", text="t"))
    await one.save_fixup(Fixup(number=9, target=3, branch="heal/r1/1", head_sha=SHA))
    report = Unfixable(id="u1", error_ids=(), reason="no-key", tried="", why="", advice="")
    await one.save_unfixables(3, "r1", (report,))
    await one.allow(1, "q", 10, 3600)
    await one.pause(3, "maya")
    await one.note_head(3, "0" * 40)
    await one.note_head(3, SHA)
    await one.note_pull(pull(3))
    await one.switch(True, "maya")
    await one.save_settings(Settings(settings=()), "main", SHA)
    await one.claims(SHA, 1).claim(("x",))
    await one.save_test_outcomes((flakes.RecordedOutcome("t", SHA, passed=False),))
    await one.memory("r1").learn(LESSON)
    await one.memory("r1").save(TRAJECTORY)
    await one.hold_room("r1", 3, Caps())
    await one.usage_records("r1", 3).book(Booking(key="k", model="m", usage=Usage(), dollars=1.0))
    await StoredSteps(database, one.repo_id, "r1", clock).run("model", 1, _big)
    await ClusterTaskRows(database, clock).ask(TaskKey(one.repo_id, SHA, 1, "c1"), "{}")
    await Tries(database, clock).begin(TryRow(one.repo_id, "heal/try/r1/1", one.full_name, 5, SHA, 1, 0.0))


async def _big() -> str:
    return "x" * 100_000
