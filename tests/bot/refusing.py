"""A pull request with Heal at work on it, on a GitHub that refuses a kind of write."""

import re
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from copy import deepcopy
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bot.contexts import Contexts
from bot.durable.engine import DurableEngine
from bot.durable.work import Work
from bot.maintenance.sweeping import sweep_checks
from bot.store.attempts import ref_of
from bot.store.check_runs import GRACE_SECONDS
from bot.store.database import Database
from handlers import router
from handlers.events import CheckFailed, CommentCreated, Person
from handlers.model import Run
from healing.model import Edit, content_id
from lab.localhub import pulls
from lab.localhub.bare import Bare
from lab.localhub.faults import RecordedRequest
from tests.bot.conftest import Clock
from tests.bot.given_healer import FAR, NEAR, GivenHealer
from tests.bot.hub import Place, place
from tests.migrated import new_store


def fix_id(edit: Edit) -> str:
    return content_id(edit.model_dump())[:8]


FINAL = (401, 403, 404, 409, 410, 422)
WORDS = "These are words that only GitHub says"
MONA = Person(login="mona", id=1)
COMMIT = "createCommitOnBranch"
STORE = "heal.db"
WAITS = 2  # of a run on a GitHub that is out of order, before it is given up


@dataclass(frozen=True)
class Write:
    """A kind of outward write: what is the same about it in every run."""

    method: str
    path: str  # a regular expression
    contains: str = ""

    @property
    def is_check(self) -> bool:
        return "/check-runs" in self.path or "/check-suites" in self.path

    @property
    def decorates(self) -> bool:
        """Nothing is lost without it: a label, an edited text, a branch that is of no use any more, 👀."""
        return any(part in self.path for part in ("/labels$", "/reactions$")) or self.method == "DELETE"


def kind_of(seen: RecordedRequest) -> Write | None:
    reads = seen.path.endswith("/graphql") and b"mutation" not in seen.body
    if seen.method == "GET" or "access_tokens" in seen.path or reads:
        return None
    path = re.sub(r"[0-9a-f]{40}|\d+", r"[0-9a-f]+", re.sub(r"^.*?/repos/[^/]+/[^/]+", "", seen.path)) + "$"
    kinds = ('"in_progress"', '"completed"') if "/check-runs" in path else (COMMIT, "resolveReviewThread")
    output = [word for word in kinds if word.encode() in seen.body]
    return Write(seen.method, path, output[0] if output else "")


class Play:
    """A pull request with Heal at work on it."""

    def __init__(self, here: Place, database: Database, clock: Clock) -> None:
        self.here = here
        self.clock = clock
        self.database = database
        self.contexts = here.contexts
        self.work = Work(database, self.contexts, 30)
        self.sha = here.pull.head_sha

    async def heard(self) -> None:
        about = {"installation_id": self.here.installation.id, "repo": self.here.event_repo(), "sender": MONA}
        event = CheckFailed(
            **about, sha=self.sha, source="check_run", name="test", check_run_id=11, app_slug="github-actions",
            head_branch="topic#1", pull_numbers=(self.here.pull.number,),
        )  # fmt: skip
        async with self.contexts.open(self.here.installation.id, self.here.event_repo(), "delivery/1") as world:
            await router.handle(event, world)

    async def heals(self) -> Run:
        """One run, from the failure that is heard of to its end."""
        await self.heard()
        store = self.contexts.store(self.here.repo.id, self.here.repo.full_name)
        run = await store.run(self.sha, 1)
        assert run is not None
        await self.work.gather(ref_of(run), at_once=True)
        for waited in range(WAITS):
            if await self.work.healing(ref_of(run), waited) is None:
                break
        else:
            await self.work.no_healing(ref_of(run))
        ended = await store.run(self.sha, 1)
        assert ended is not None
        return ended

    async def says(self, text: str) -> str:
        """Mona's command; gives Heal's answer."""
        return await self.hears(self.comments(text), text)

    def comments(self, text: str) -> int:
        """Mona says it; gives the comment's id."""
        return pulls.comment(self.here.hub, "mona", self.here.pull, text).id

    async def hears(self, comment: int, text: str) -> str:
        """Heal does what the comment says, perhaps not for the first time; gives its answer."""
        output = CommentCreated(
            installation_id=self.here.installation.id, repo=self.here.event_repo(), sender=MONA,
            number=self.here.pull.number, comment_id=comment, where="issue", body=text,
        )  # fmt: skip
        async with self.contexts.open(
            self.here.installation.id, self.here.event_repo(), f"delivery/{comment}"
        ) as world:
            await router.handle(output, world)
        return next((body for body in self.here.bot_comments() if f"answer=issue-{comment} " in body), "")

    def refuse(self, write: Write, status: int) -> None:
        """From now on GitHub refuses it, with words of its own."""
        body = {"message": WORDS}
        if write.path == "/api/graphql$" and status < 500:
            status, body = 200, {"data": None, "errors": [{"type": "UNPROCESSABLE", "message": WORDS}]}
        self.here.local.faults.answer(write.method, write.path, status, body, times=10_000, contains=write.contains)

    async def github_recovers(self) -> None:
        """GitHub takes everything again, and Heal makes up for what it could not write."""
        self.here.local.faults.clear()
        self.clock.at += 2 * GRACE_SECONDS
        await sweep_checks(self.contexts, self.database)

    def moment(self) -> "Moment":
        """Where others can begin."""
        return Moment(self, self.here.settings.data / STORE)

    def open_checks(self) -> list[str]:
        runs = self.here.hub.check_runs.values()
        return [f"{run.external_id}: {run.status}" for run in runs if run.status != "completed"]

    def doubled(self) -> list[str]:
        """What is there more than once."""
        hub = self.here.hub
        things = [f"check run {run.external_id}" for run in hub.check_runs.values()]
        things += [f"review {r.body}" for r in hub.reviews.values()]
        things += [
            f"comment {re.findall('<!--.*?-->', c.body)}" for c in hub.comments.values() if c.author.login != "mona"
        ]
        things += [f"fixup {p.head_ref}" for p in hub.pulls_of(self.here.repo) if p.state == "open"]
        fixes = [c.body for c in hub.review_comments.values()]
        fixes += [p.body or "" for p in hub.pulls_of(self.here.repo) if p.state == "open"]
        things += [
            f"offer of {edit.new_string}"
            for edit in (NEAR, FAR)
            for text in fixes
            if f"Write {edit.new_string} " in text
        ]
        return [thing for thing, count in Counter(things).items() if count > 1]


# What of a hub is not its state: where it is served, and who listens to it.
STANDING = ("folder", "now", "signing_now", "url", "blob_url", "lock", "listeners", "redeliver", "unanswered")


class Moment:
    """A play as it is now. Others begin there, one after the other on the same GitHub, and need not play what came
    before: that takes far longer than what they are about."""

    def __init__(self, play: Play, store: Path) -> None:
        self._play = play
        self._store = store
        self._kept = store.with_suffix(".kept")
        self._copy(store, self._kept)
        self._at = play.clock.at
        self._refs = self._bare.refs()
        self._hub = self._state()

    def again(self) -> Play:
        """A play that begins then; the one before is over."""
        here = self._play.here
        here.local.faults.clear()
        vars(here.hub).update(deepcopy(self._hub))
        here.repo = here.hub.repos[here.repo.id]
        here.pull = here.hub.pull(here.repo, here.pull.number)
        here.app = here.hub.apps[here.app.id]
        here.installation = here.hub.installations[here.installation.id]
        self._move_refs()
        self._copy(self._kept, self._store)
        clock, database = Clock(), self._play.database
        clock.at = self._at
        here.hub.now = lambda: datetime.fromtimestamp(clock(), UTC)
        contexts = Contexts(here.settings, database, DurableEngine(stepped=True), GivenHealer, clock, clock.sleep)
        return Play(replace(here, contexts=contexts), database, clock)

    @property
    def _bare(self) -> Bare:
        return self._play.here.hub.bare(self._play.here.repo)

    def _state(self) -> dict[str, Any]:
        return deepcopy({name: held for name, held in vars(self._play.here.hub).items() if name not in STANDING})

    def _move_refs(self) -> None:
        """Objects may stay: what no ref reaches is as good as not there."""
        now = self._bare.refs()
        for ref in now.keys() | self._refs:
            if now.get(ref) != self._refs.get(ref):
                self._bare.set_ref(ref, self._refs.get(ref))

    @staticmethod
    def _copy(source: Path, target: Path) -> None:
        """Pages, also those that lie in a log beside the file; whoever has the target open sees them from then on."""
        with closing(sqlite3.connect(source)) as read, closing(sqlite3.connect(target)) as written:
            read.backup(written)


@asynccontextmanager
async def play(folder: Path) -> AsyncIterator[Play]:
    clock = Clock()
    new_store(folder / STORE)
    database = await Database.open(f"sqlite+aiosqlite:///{folder / STORE}")
    try:
        async with place(folder, database, clock, GivenHealer, start="on") as here:
            yield Play(here, database, clock)
    finally:
        await database.close()
