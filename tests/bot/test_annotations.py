"""GitHub only ever adds annotations: each of ours is there once, whatever is lost, repeated or breaks off."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.github.transport import Unsure
from bot.store.database import Database
from handlers.model import Refused
from handlers.model.plans import CheckPlan
from healing.failed_jobs import Annotation
from tests.bot.conftest import Clock
from tests.bot.hub import Place, place

PATCH = r"/check-runs/\d+$"


@pytest.fixture
async def here(tmp_path: Path, database: Database, clock: Clock) -> AsyncIterator[Place]:
    async with place(tmp_path, database, clock) as made:
        yield made


def note(line: int, message: str = "bad") -> Annotation:
    return Annotation(
        path="a.txt", start_line=line, end_line=line, level="failure", message=message, title="ruff F821", details="raw"
    )


def plan(here: Place, notes: tuple[Annotation, ...], summary: str = "All of it") -> CheckPlan:
    sha = here.pull.head_sha
    return CheckPlan(
        sha=sha,
        external_id=f"heal:{sha}:1",
        status="completed",
        conclusion="neutral",
        title="Done",
        summary=summary,
        annotations=notes,
    )


NOTES = tuple(note(1 + at % 40, f"error {at}") for at in range(120))


async def posted(here: Place, wanted: CheckPlan) -> list[str]:
    """Posts the check run; gives the messages of its annotations in their order."""
    async with here.world() as world:
        await world.publisher.check(wanted)
    return annotations(here)


def annotations(here: Place) -> list[str]:
    (run,) = here.hub.check_runs.values()
    return [one["message"] for one in run.annotations]


# GH-3
async def test_more_than_fifty_annotations_take_several_requests(here: Place) -> None:
    assert await posted(here, plan(here, NOTES)) == [one.message for one in NOTES]
    sent = here.local.faults.requests("PATCH", PATCH)
    assert len(sent) == 3
    (run,) = here.hub.check_runs.values()
    assert (run.status, run.conclusion, run.summary) == ("completed", "neutral", "All of it")
    assert run.annotations[0] == {
        "path": "a.txt",
        "start_line": 1,
        "end_line": 1,
        "annotation_level": "failure",
        "message": "error 0",
        "title": "ruff F821",
        "raw_details": "raw",
    }


# GH-3
async def test_what_is_there_already_is_not_posted_again(here: Place) -> None:
    await posted(here, plan(here, NOTES[:60]))
    assert await posted(here, plan(here, NOTES, "More of it")) == [one.message for one in NOTES]
    assert await posted(here, plan(here, NOTES, "The end")) == [one.message for one in NOTES]
    (run,) = here.hub.check_runs.values()
    assert run.summary == "The end"


# GH-3
@pytest.mark.parametrize("nth", [1, 2, 3])
@pytest.mark.parametrize("performed", [True, False])
async def test_a_lost_answer_neither_doubles_nor_loses_an_annotation(here: Place, nth: int, performed: bool) -> None:
    here.local.faults.answer("PATCH", PATCH, 502, after=performed, nth=nth)
    assert await posted(here, plan(here, NOTES)) == [one.message for one in NOTES]
    (run,) = here.hub.check_runs.values()
    assert (run.status, run.summary) == ("completed", "All of it")


# GH-3, OP-3
@pytest.mark.parametrize("performed", [True, False])
async def test_a_run_that_broke_off_between_two_requests_is_taken_up_where_it_was(here: Place, performed: bool) -> None:
    here.local.faults.answer("PATCH", PATCH, 502, after=performed, nth=2, times=9 if not performed else 1)
    here.local.faults.answer("GET", "/annotations$", 502, times=9)
    with pytest.raises(Unsure):
        await posted(here, plan(here, NOTES))
    assert len(annotations(here)) == (100 if performed else 50)
    here.local.faults.clear()
    assert await posted(here, plan(here, NOTES)) == [one.message for one in NOTES]


# GH-3
async def test_a_rate_limit_in_the_middle_is_told_and_doubles_nothing(here: Place, clock: Clock) -> None:
    here.local.faults.secondary_limit("PATCH", PATCH, 60, nth=2)
    with pytest.raises(Refused) as refused:
        await posted(here, plan(here, NOTES))
    assert refused.value.retry_after == 60
    clock.at += 60
    assert await posted(here, plan(here, NOTES)) == [one.message for one in NOTES]


# GH-3
async def test_annotations_that_github_refuses_dont_cost_the_summary(here: Place) -> None:
    assert await posted(here, plan(here, (note(0),))) == []
    (run,) = here.hub.check_runs.values()
    assert (run.status, run.summary) == ("completed", "All of it")
