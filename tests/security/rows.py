"""Two tenants in one database: the same keys everywhere, and words that belong to one of them alone."""

from bot.store.chat_messages import StoredChat
from bot.store.cluster_tasks import ClusterTaskRows, TaskKey
from bot.store.database import Database
from bot.store.repo import RepoStore
from bot.store.spending import Caps
from bot.store.steps import StoredSteps
from bot.store.tries import Tries, TryRow
from handlers.model import ChatMessage, CIWait, Fixup, Settings, StoredProposal
from handlers.model.plans import CheckPlan
from healing.llm.protocol import Usage
from healing.llm.usage_records import Booking
from healing.logs import flakes
from healing.model import Unfixable
from healing.repair.agents.memory import Ended, FailedFix, Lesson, WorkedFix
from tests.bot.conftest import Clock
from tests.web.rows import outcome, proposal, pull, trajectory

SHA = "a" * 40
RUN_ID = "r1"


def store_of(database: Database, repo_id: int, clock: Clock) -> RepoStore:
    return RepoStore(database, repo_id, f"owner{repo_id}/demo", clock)


def offered(word: str) -> StoredProposal:
    made = proposal("0a1b2c3d4e5f6071", ("E1",), title=word, explanation=word)
    return StoredProposal(proposal=made, run_id=RUN_ID, attempt=1, number=3, status="pending")


def lesson(word: str) -> Lesson:
    return Lesson(
        failed=(FailedFix(cause="c1", edit="e1", specialist=word, edits=(), message=word),),
        worked=(WorkedFix(cause="c1", shape="x", proposal="0a1b2c3d4e5f6071", specialist=word, title=word, edits=()),),
        ended=(Ended(cause="c1", specialist=word),),
    )


def check_of(sha: str, word: str) -> CheckPlan:
    """What a check run of this commit says at its end."""
    return CheckPlan(
        sha=sha, external_id=f"heal:{sha}:1", status="completed", conclusion="neutral", title=word, summary=word
    )


async def fill(store: RepoStore, word: str, clock: Clock) -> None:
    """A row of this repository in every table, with `word` wherever a table takes words."""
    database = store._db
    run = await store.open_attempt("k", store.repo_id, SHA, {"name": word})
    await store.end_debouncing(SHA, 1, quiet=0)
    await store.settle(SHA, 1)
    await store.save_proposals((offered(word),))
    await store.save_kinds(3, {"0a1b2c3d4e5f6071": (word,)})
    await store.note_head(3, SHA)
    await store.note_pull(pull(3, title=word, head_ref=word, author=word))
    await store.note_check(check_of(SHA, word), 1)
    await store.await_ci(CIWait(number=3, sha=SHA))
    await StoredChat(store._db, store.repo_id, clock).post(ChatMessage(sha=SHA, outcome="fix", text=word))
    await store.save_fixup(Fixup(number=9, target=3, branch=f"heal/{word}", head_sha=SHA))
    report = Unfixable(id="u1", error_ids=(), reason="no-key", tried=word, why=word, advice=word)
    await store.save_unfixables(3, RUN_ID, (report,))
    await store.allow(1, "q", 10, 3600)
    await store.pause(4, word)
    await store.switch(True, word)
    await store.save_settings(Settings(settings=()), word, SHA)
    await store.claims(SHA, 1).claim((word,))
    await store.save_test_outcomes(
        (flakes.RecordedOutcome("t", SHA, passed=False), flakes.RecordedOutcome("t", SHA, passed=True))
    )
    await store.memory(RUN_ID).learn(lesson(word))
    await store.memory(RUN_ID).save(trajectory().model_copy(update={"specialist": word}))
    await store.hold_room(RUN_ID, 3, Caps())
    await store.usage_records(RUN_ID, 3).book(Booking(key="k", model=word, usage=Usage(), dollars=1.0))

    async def big() -> str:
        return word * 10_000

    await StoredSteps(database, store.repo_id, RUN_ID, clock).run("model", 1, big)
    row = TryRow(store.repo_id, "heal/try/r1/1", store.full_name, store.repo_id, SHA, 1, clock())
    await ClusterTaskRows(database, clock).ask(TaskKey(store.repo_id, SHA, 1, word), f'{{"cluster": "{word}"}}')
    await Tries(database, clock).begin(row)
    await store.cancel(SHA, 1, word)
    ended = outcome(RUN_ID, errors=(), causes=(), clusters=(), unfixables=(), resolutions=(), not_looked=())
    done = {"state": "done", "number": 3, "run_id": RUN_ID, "branch": word, "reason": word}
    done["outcome"] = ended.model_copy(update={"base": word})
    await store.save_run(run.model_copy(update=done))
