"""One run, told: when what happened, how its errors hang together, what is offered and by which proof."""

from collections.abc import Sequence
from dataclasses import dataclass

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from bot.store.overview import UNFINISHED
from bot.store.run_story import Offer, RunStory, run_story
from bot.web.dashboard.agents import Agent, agents, timeline_of
from bot.web.dashboard.diffs import FileDiff, diffs
from bot.web.dashboard.joins import graph_of
from bot.web.dashboard.visits import NotThere, Visit
from healing.model import CIError, Outcome

MOST_ERRORS = 200
LONGEST_SHA = 64


@dataclass(frozen=True)
class ErrorRow:
    """An error with how it ended, in words."""

    error: CIError
    ending: str
    proposal_id: str | None


@dataclass(frozen=True)
class Fix:
    """A proposal with its diff."""

    offer: Offer
    files: tuple[FileDiff, ...]


async def show(visit: Visit) -> Response:
    story = await story_of(visit)
    name = visit.seen.repos[story.line.repo_id]
    outcome = story.outcome
    worked = await run_in_threadpool(agents, story)  # transcripts and colours take some time of the processor
    fixes = await run_in_threadpool(lambda: [Fix(offer, diffs(offer.proposal)) for offer in story.offers])
    values = _values(story, outcome, worked)
    return visit.render(
        "run.html",
        section="runs",
        name=name,
        run=story.line.model_copy(update={"full_name": name}),
        outcome=outcome,
        fixes=fixes,
        agents=worked,
        live=story.line.state in UNFINISHED,
        now=visit.desk.now(),
        **values,
    )


async def story_of(visit: Visit) -> RunStory:
    """The run of the address. Raises NotThere."""
    sha, attempt = visit.request.path_params["sha"], visit.request.path_params["attempt"]
    if len(sha) > LONGEST_SHA or attempt >= 2**31:
        raise NotThere
    story = await run_story(visit.desk.database, visit.repo, sha, attempt)
    if story is None:
        raise NotThere
    return story


def _values(story: RunStory, outcome: Outcome | None, worked: Sequence[Agent]) -> dict[str, object]:
    rows = _errors(outcome)
    return {
        "errors": rows[:MOST_ERRORS],
        "left_out": max(0, len(rows) - MOST_ERRORS),
        "timeline": timeline_of(story, worked),
        "graph": graph_of(outcome, story.offers) if outcome else "",
        "calls": story.calls,
        "lost": outcome.spending.lost if outcome else 0,
        "estimate": outcome.spending.estimate_dollars if outcome else 0.0,
    }


def _errors(outcome: Outcome | None) -> list[ErrorRow]:
    if outcome is None:
        return []
    endings = {one.error_id: one for one in outcome.resolutions}
    rows = []
    for error in outcome.errors:
        end = endings.get(error.id)
        rows.append(ErrorRow(error, end.how if end else "", end.proposal_id if end else None))
    return rows
