"""Whatever single write GitHub refuses, at whatever step: nothing stays open, nothing is posted twice, and what GitHub
said is told."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from bot.contexts import Contexts
from bot.durable.engine import DurableEngine
from bot.durable.work import Work
from bot.github.transport import Unsure
from bot.maintenance.sweeping import CI_SECONDS, sweep_fixups
from bot.store.attempts import ref_of
from handlers.model import Refused
from handlers.runs.healing_run import OVER
from tests.bot.given_healer import NEAR, GivenHealer
from tests.bot.refusing import COMMIT, FINAL, WORDS, Moment, Play, Write, fix_id, kind_of, play


async def writes_of_a_healing(one: Play) -> list[Write]:
    """Every kind of write of a whole run that nothing disturbs."""
    run = await one.heals()
    assert run.state == "done"
    assert one.open_checks() == []
    found = dict.fromkeys(kind_of(seen) for seen in one.here.local.log)
    return [write for write in found if write is not None]


# GH-11, GH-14, GH-4
@pytest.mark.parametrize("status", [404, 500, *(pytest.param(s, marks=pytest.mark.slow) for s in FINAL if s != 404)])
async def test_a_run_ends_whole_whatever_write_github_refuses(tmp_path: Path, status: int) -> None:
    async with play(tmp_path) as first:
        moment = first.moment()
        writes = await writes_of_a_healing(first)
        assert len(writes) >= 9, "a review, a fixup pull request, a summary and the check run"
        for write in writes:
            one = moment.again()
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
    async with play(tmp_path) as first:
        moment = first.moment()
        for write in await writes_of_a_healing(first):
            one = moment.again()
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
    async with play(tmp_path) as one:
        await one.heard()
        assert [line.partition(": ")[2] for line in one.open_checks()] == ["queued"]
        store = one.contexts.store(one.here.repo.id, one.here.repo.full_name)
        run = await store.run(one.sha, 1)
        assert run is not None
        await one.work.gather(ref_of(run), at_once=True)
        # The next process has to ask GitHub who it is, and isn't answered.
        fresh = Contexts(
            one.here.settings, one.database, DurableEngine(stepped=True), GivenHealer, one.clock, one.clock.sleep
        )
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
        assert ("**Stopped: GitHub could not be reached.**" in (ended.reason or "")) == waits
        await one.github_recovers()
        assert one.open_checks() == []


# GH-14, SC-2
async def test_apply_that_github_refuses_becomes_a_pull_request_with_githubs_words(tmp_path: Path) -> None:
    async with play(tmp_path) as first:
        await first.heals()
        moment = first.moment()
        for status in FINAL:
            one = moment.again()
            one.here.local.faults.answer("POST", r"/graphql$", status, {"message": WORDS}, times=10_000)
            answer = await one.says(f"/heal apply {fix_id(NEAR)}")
            assert WORDS in answer, status
            assert "is in pull request #3. Merge it to apply the fix." in answer, status
            assert "/heal rollback" not in answer, "there is nothing to revert before it is merged"
            assert one.doubled() == [], status


COMMANDS = {  # what is said before, what is said, and how that is answered
    "apply": ((), f"/heal apply {fix_id(NEAR)}", "committed as"),
    "rollback": ((f"/heal apply {fix_id(NEAR)}",), f"/heal rollback {fix_id(NEAR)}", "Reverted"),
    "reject": ((), "/heal reject all", "Rejected"),
}


class Conversation(NamedTuple):
    """A command in a pull request for which Heal has fixes already."""

    moment: Moment
    command: str
    done: str  # how its answer says that it was done
    writes: list[Write]  # every kind of write of the command where nothing disturbs it


@asynccontextmanager
async def conversation(folder: Path, name: str) -> AsyncIterator[Conversation]:
    before, command, done = COMMANDS[name]
    async with play(folder) as one:
        await one.heals()
        for text in before:
            assert "committed as" in await one.says(text)
        moment = one.moment()
        logged = len(one.here.local.log)
        assert done in await one.says(command)
        found = dict.fromkeys(kind_of(seen) for seen in one.here.local.log[logged:])
        writes = [write for write in found if write is not None]
        assert len(writes) >= 4, "the reaction, the answer, the summary, the suggestion's comment; a commit"
        yield Conversation(moment, command, done, writes)


# GH-14, SC-2, SC-4, SC-5
@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("status", [404, *(pytest.param(s, marks=pytest.mark.slow) for s in FINAL if s != 404)])
async def test_a_command_ends_whole_whatever_write_github_refuses(tmp_path: Path, status: int, name: str) -> None:
    async with conversation(tmp_path, name) as (moment, command, done, writes):
        for write in writes:
            one = moment.again()
            one.refuse(write, status)
            answer = await one.says(command)
            what = f"{write} answered with {status}"
            if write.contains == COMMIT:
                assert WORDS in answer, what
            elif write.path != r"/issues/[0-9a-f]+/comments$":
                assert done in answer, what
            assert one.open_checks() == [], what
            assert one.doubled() == [], what


# GH-4, SC-2, SC-4, SC-5
@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("lost", [True, False], ids=["its answer is lost", "GitHub is out of order"])
async def test_a_command_that_is_interrupted_ends_whole_when_it_is_received_again(
    tmp_path: Path, name: str, lost: bool
) -> None:
    async with conversation(tmp_path, name) as (moment, command, done, writes):
        for write in writes:
            one = moment.again()
            times = 1 if lost else 4  # more than a write that may be repeated is tried
            one.here.local.faults.answer(
                write.method, write.path, 502, after=lost, contains=write.contains, times=times
            )
            asked = one.comments(command)
            answer = ""
            for _ in range(4):
                try:
                    answer = await one.hears(asked, command)
                except Unsure:
                    continue  # its delivery is begun again
                break
            assert done in answer, write
            assert one.open_checks() == [], write
            assert one.doubled() == [], write
            assert [body for body in one.here.bot_comments() if "Something went wrong" in body] == [], write


# GH-14, GH-5
async def test_a_fixup_that_github_lets_nobody_mark_as_ready_says_so_once(tmp_path: Path) -> None:
    async with play(tmp_path) as one:
        await one.heals()
        one.refuse(Write("POST", "/api/graphql$"), 422)
        for _ in range(2):
            one.clock.at += 2 * CI_SECONDS
            await sweep_fixups(one.contexts, one.database)
        (comment,) = [body for body in one.here.bot_comments() if "fixup-state" in body]
        assert "mark it as ready by hand" in comment
        assert WORDS in comment
        assert len(one.here.local.faults.requests("POST", "/graphql$")) == 1


# GH-14
async def test_push_protection_leaves_patches_and_its_own_words(tmp_path: Path) -> None:
    async with play(tmp_path) as one:
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
