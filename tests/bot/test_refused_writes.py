"""Whatever single write GitHub refuses, at whatever step: nothing stays open, nothing is posted twice, and what GitHub
said is told."""

import re
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.durable.attempts import ref_of
from bot.durable.direct import DirectQueue
from bot.durable.sweeping import CI_SECONDS, sweep_checks, sweep_fixups
from bot.durable.work import Work
from bot.localhub import pulls
from bot.localhub.faults import Seen
from bot.store.check_runs import GRACE_SECONDS
from bot.store.database import Database
from bot.world import Worlds
from handlers import router
from handlers.events import CheckFailed, Person, Said
from handlers.ports import Refused, Run
from handlers.runs.healing_run import OVER
from tests.bot.conftest import Clock
from tests.bot.given_healer import FAR, NEAR, GivenHealer
from tests.bot.hub import Place, place

FINAL = (401, 403, 404, 409, 410, 422)
WORDS = "These are words that only GitHub says"
MONA = Person(login="mona", id=1)
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


def kind_of(seen: Seen) -> Write | None:
    if seen.method == "GET" or "access_tokens" in seen.path:
        return None
    path = re.sub(r"[0-9a-f]{40}|\d+", r"[0-9a-f]+", re.sub(r"^.*?/repos/[^/]+/[^/]+", "", seen.path)) + "$"
    said = [word for word in ('"in_progress"', '"completed"') if word.encode() in seen.body]
    return Write(seen.method, path, said[0] if "/check-runs" in path and said else "")


class Play:
    """A pull request with Heal at work on it."""

    def __init__(self, here: Place, database: Database, clock: Clock) -> None:
        self.here = here
        self.clock = clock
        self.database = database
        self.worlds = here.worlds
        self.work = Work(database, self.worlds, 30)
        self.sha = here.pull.head_sha

    async def heard(self) -> None:
        about = {"installation_id": self.here.installation.id, "repo": self.here.event_repo(), "sender": MONA}
        event = CheckFailed(
            **about, sha=self.sha, source="check_run", name="test", check_run_id=11, app_slug="github-actions",
            head_branch="topic#1", pull_numbers=(self.here.pull.number,),
        )  # fmt: skip
        async with self.worlds.open(self.here.installation.id, self.here.event_repo(), "delivery/1") as world:
            await router.handle(event, world)

    async def heals(self) -> Run:
        """One run, from the failure that is heard of to its end."""
        await self.heard()
        store = self.worlds.store(self.here.repo.id, self.here.repo.full_name)
        run = await store.run(self.sha, 1)
        assert run is not None
        await self.work.end_gathering(ref_of(run))
        for waited in range(WAITS):
            if await self.work.healing(ref_of(run), waited) is None:
                break
        else:
            await self.work.no_healing(ref_of(run))
        ended = await store.run(self.sha, 1)
        assert ended is not None
        return ended

    async def says(self, text: str) -> str:
        """Mona's command, done again where that has to wait; gives Heal's answer."""
        asked = pulls.comment(self.here.hub, "mona", self.here.pull, text)
        said = Said(
            installation_id=self.here.installation.id, repo=self.here.event_repo(), sender=MONA,
            number=self.here.pull.number, comment_id=asked.id, where="issue", body=text,
        )  # fmt: skip
        async with self.worlds.open(self.here.installation.id, self.here.event_repo(), f"delivery/{asked.id}") as world:
            await router.handle(said, world)
        return next((body for body in self.here.bot_comments() if f"answer=issue-{asked.id} " in body), "")

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
        await sweep_checks(self.worlds, self.database)

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


@asynccontextmanager
async def play(folder: Path) -> AsyncIterator[Play]:
    clock = Clock()
    folder.mkdir()
    database = await Database.open(f"sqlite+aiosqlite:///{folder / 'heal.db'}")
    try:
        async with place(folder, database, clock, GivenHealer, start="on") as here:
            yield Play(here, database, clock)
    finally:
        await database.close()


async def writes_of_a_healing(folder: Path) -> list[Write]:
    """Every kind of write of a whole run that nothing disturbs."""
    async with play(folder) as one:
        run = await one.heals()
        assert run.state == "done"
        assert one.open_checks() == []
        found = dict.fromkeys(kind_of(seen) for seen in one.here.local.log)
    return [write for write in found if write is not None]


# GH-11, GH-14, GH-4
@pytest.mark.parametrize("status", [404, 500, *(pytest.param(s, marks=pytest.mark.slow) for s in FINAL if s != 404)])
async def test_a_run_ends_whole_whatever_write_github_refuses(tmp_path: Path, status: int) -> None:
    writes = await writes_of_a_healing(tmp_path / "whole")
    assert len(writes) >= 9, "a review, a fixup pull request, a summary and the check run"
    for number, write in enumerate(writes):
        async with play(tmp_path / str(number)) as one:
            one.refuse(write, status)
            run = await one.heals()
            what = f"{write} answered with {status}"
            assert run.state in OVER, what
            if not write.is_check:
                assert one.open_checks() == [], what
            if not write.is_check and not write.decorates:
                (check,) = one.here.hub.check_runs.values()
                assert WORDS in (check.summary or ""), what
            await one.github_recovers()
            assert one.open_checks() == [], what
            assert one.doubled() == [], what


# GH-4, GH-11
async def test_a_run_ends_whole_whatever_answer_is_lost(tmp_path: Path) -> None:
    writes = await writes_of_a_healing(tmp_path / "whole")
    for number, write in enumerate(writes):
        async with play(tmp_path / str(number)) as one:
            one.here.local.faults.answer(write.method, write.path, 502, after=True, contains=write.contains)
            run = await one.heals()
            assert run.state == "done", write
            assert one.open_checks() == [], write
            assert one.doubled() == [], write


# GH-11
@pytest.mark.parametrize("waits", [False, True], ids=["for good", "for so long that it is given up"])
async def test_a_run_whose_app_github_does_not_know_any_more_leaves_no_open_check_run(
    tmp_path: Path, waits: bool
) -> None:
    async with play(tmp_path / "one") as one:
        await one.heard()
        assert [line.partition(": ")[2] for line in one.open_checks()] == ["queued"]
        store = one.worlds.store(one.here.repo.id, one.here.repo.full_name)
        run = await store.run(one.sha, 1)
        assert run is not None
        await one.work.end_gathering(ref_of(run))
        # The next process has to ask GitHub who it is, and isn't answered.
        fresh = Worlds(one.here.settings, one.database, DirectQueue(), GivenHealer, one.clock, one.clock.sleep)
        one.here.local.faults.answer("GET", "/app$", 500 if waits else 401, {"message": WORDS}, times=10_000)
        work = Work(one.database, fresh, 30)
        if waits:
            assert await work.healing(ref_of(run)) is not None
            await work.no_healing(ref_of(run))
        else:
            with pytest.raises(Refused):
                await work.healing(ref_of(run))
        ended = await store.run(one.sha, 1)
        assert ended is not None
        assert ended.state == "stopped"
        await one.github_recovers()
        assert one.open_checks() == []


# GH-14, SC-2
@pytest.mark.parametrize("status", FINAL)
@pytest.mark.parametrize("commits", [r"/graphql$"])
async def test_apply_that_github_refuses_becomes_a_pull_request_with_githubs_words(
    tmp_path: Path, status: int, commits: str
) -> None:
    async with play(tmp_path / "one") as one:
        await one.heals()
        one.here.local.faults.answer("POST", commits, status, {"message": WORDS}, times=10_000)
        answer = await one.says(f"/heal apply {fix_id(NEAR)}")
        assert WORDS in answer
        assert "is in pull request #3: merge that one." in answer
        assert one.doubled() == []


# GH-14, SC-2, SC-4
@pytest.mark.parametrize("status", [404, *(pytest.param(s, marks=pytest.mark.slow) for s in FINAL if s != 404)])
async def test_a_command_ends_whole_whatever_write_github_refuses(tmp_path: Path, status: int) -> None:
    command = f"/heal apply {fix_id(NEAR)}"
    async with play(tmp_path / "whole") as one:
        await one.heals()
        before = len(one.here.local.log)
        assert "committed as" in await one.says(command)
        found = dict.fromkeys(kind_of(seen) for seen in one.here.local.log[before:])
    writes = [write for write in found if write is not None]
    assert len(writes) >= 4, "the reaction, the commit, the answer, the summary"
    for number, write in enumerate(writes):
        async with play(tmp_path / str(number)) as one:
            await one.heals()
            one.refuse(write, status)
            answer = await one.says(command)
            what = f"{write} answered with {status}"
            if write.path == "/api/graphql$":
                assert WORDS in answer, what
            elif write.path != r"/issues/[0-9a-f]+/comments$":
                assert "committed as" in answer, what
            assert one.open_checks() == [], what
            assert one.doubled() == [], what


# GH-14, GH-5
async def test_a_fixup_that_github_lets_nobody_mark_as_ready_says_so_once(tmp_path: Path) -> None:
    async with play(tmp_path / "one") as one:
        await one.heals()
        one.refuse(Write("POST", "/api/graphql$"), 422)
        for _ in range(2):
            one.clock.at += 2 * CI_SECONDS
            await sweep_fixups(one.worlds, one.database)
        (comment,) = [body for body in one.here.bot_comments() if "fixup-state" in body]
        assert "mark it as ready by hand" in comment
        assert WORDS in comment
        assert len(one.here.local.faults.requests("POST", "/graphql$")) == 1


def fix_id(edit: object) -> str:
    from healing.model import content_id

    return content_id(edit.model_dump())[:8]  # type: ignore[attr-defined]


# GH-14
async def test_push_protection_leaves_patches_and_its_own_words(tmp_path: Path) -> None:
    async with play(tmp_path / "one") as one:
        one.here.repo.secrets |= {"line seventeen", "line 5"}
        run = await one.heals()
        (check,) = one.here.hub.check_runs.values()
        assert (run.state, check.status) == ("done", "completed")
        assert "Secret detected in content" in (check.summary or "")
        assert "Push protection found what looks like a secret" in (check.summary or "")
        answer = await one.says(f"/heal apply {fix_id(NEAR)}")
        assert "Secret detected in content" in answer
        assert "Its patch is below" in answer
        assert [p.number for p in one.here.hub.pulls_of(one.here.repo)] == [1]
        assert not one.here.hub.bare(one.here.repo).refs("refs/heads/heal/")
