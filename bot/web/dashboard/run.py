"""The page of one run: its timeline, how its errors are related, the offered fixes and their proofs."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from bot.store.commit_now import commit_now
from bot.store.pull_now import pull_now
from bot.store.run_story import Offer, RunStory, run_story
from bot.web.dashboard.agents import Agent, agents, timeline_of
from bot.web.dashboard.asked_for import asked_word
from bot.web.dashboard.diffs import FileDiff, diffs
from bot.web.dashboard.joins import graph_of
from bot.web.dashboard.visits import PageNotFound, Visit
from handlers.comments.reports import Reason, reason_of
from handlers.model import ASKED, UNFINISHED
from handlers.runs.finding import default_branch_of
from healing.model import CIError, Outcome, Resolution, Unfixable

MAX_ERRORS = 200
MAX_SHA = 64


# The failed checks that a run is about, with the path of each one's page and log.
LIMIT = 100


class StoredFailure(BaseModel):
    """The used fields of a stored failure."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    source: str = ""
    name: str = ""
    check_run_id: int | None = None
    workflow_run_id: int | None = None
    pull_numbers: tuple[int, ...] = ()
    by: str = ""
    where: str = ""


@dataclass(frozen=True)
class FailedCheck:
    """`address` is a path on GitHub, below the repository; empty if GitHub has no page for the check."""

    name: str
    address: str


def failures_of(bodies: Iterable[str]) -> tuple[StoredFailure, ...]:
    """Parses stored failures; invalid ones are left out."""
    failures = []
    for body in bodies:
        try:
            failures.append(StoredFailure.model_validate(json.loads(body)))
        except (ValueError, ValidationError):
            continue
    return tuple(failures)


def failed_checks(failures: Iterable[StoredFailure]) -> tuple[FailedCheck, ...]:
    """Returns the distinct checks. Their addresses contain only numeric ids, no text of the check."""
    checks = [FailedCheck(f.name or "check", _address(f)) for f in failures if f.source in _SOURCES]
    return tuple(dict.fromkeys(checks))[:LIMIT]


_SOURCES = ("check_run", "workflow_run", "status")


def _address(failure: StoredFailure) -> str:
    if failure.check_run_id and failure.workflow_run_id:
        return f"actions/runs/{failure.workflow_run_id}/job/{failure.check_run_id}"
    if failure.check_run_id:
        return f"runs/{failure.check_run_id}"  # for an Actions job GitHub redirects to the job's log
    return f"actions/runs/{failure.workflow_run_id}" if failure.workflow_run_id else ""


@dataclass(frozen=True)
class ErrorRow:
    """An error with its resolution (`Resolution.how`)."""

    error: CIError
    ending: str
    anchor: str  # of the fix or the report below, if there is one


@dataclass(frozen=True)
class Unfixed:
    """A report on why there is no fix, with its errors."""

    report: Unfixable
    words: Reason
    errors: tuple[CIError, ...]


@dataclass(frozen=True)
class Buttons:
    """The commands that the user may send now. `standing` are the ids of undecided fixes."""

    retry: bool = False
    cancel: bool = False
    standing: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Fix:
    """A proposal with its diff."""

    offer: Offer
    files: tuple[FileDiff, ...]


async def show(visit: Visit) -> Response:
    story = await story_of(visit)
    name = visit.visible.repos[story.line.repo_id]
    outcome = story.outcome
    worked = await run_in_threadpool(agents, story)  # rendering transcripts takes some CPU time
    fixes = await run_in_threadpool(lambda: [Fix(offer, diffs(offer.proposal)) for offer in story.offers])
    values = _values(story, outcome, worked)
    failures = failures_of(story.failed)
    return visit.render(
        "run.html",
        section="runs",
        name=name,
        run=visit.named(story.line),
        outcome=outcome,
        fixes=fixes,
        agents=worked,
        live=story.line.state in UNFINISHED,
        checks=failed_checks(failures),
        wish=next((failure for failure in failures if failure.source == ASKED), None),
        number=number_of(story),
        buttons=await _buttons(visit, story),
        asked=asked_word(visit),
        now=visit.services.now(),
        **values,
    )


async def story_of(visit: Visit) -> RunStory:
    """Returns the run in the URL. Raises PageNotFound."""
    sha, attempt = visit.request.path_params["sha"], visit.request.path_params["attempt"]
    if len(sha) > MAX_SHA or attempt >= 2**31:
        raise PageNotFound
    story = await run_story(visit.services.database, visit.repo, sha, attempt)
    if story is None:
        raise PageNotFound
    return story


def number_of(story: RunStory) -> int | None:
    """Returns the pull request's number. A run in its debounce window may not have it yet; its failures may."""
    numbers = (number for failure in failures_of(story.failed) for number in failure.pull_numbers)
    return story.line.number or next(numbers, None) or None


def is_of_default_branch(story: RunStory) -> bool:
    """Whether the run's commit is on the default branch, according to its failures."""
    bodies = tuple(body for body in map(_fields, story.failed) if body)
    return number_of(story) is None and default_branch_of(bodies, story.line.repo_id) is not None


def _fields(body: str) -> dict[str, object]:
    try:
        values = json.loads(body)
    except ValueError:
        return {}
    return values if isinstance(values, dict) else {}


async def _buttons(visit: Visit, story: RunStory) -> Buttons:
    number, line = number_of(story), story.line
    if not visit.may_write(line.repo_id):
        return Buttons()
    if number is None:
        return await _buttons_of_commit(visit, story) if is_of_default_branch(story) else Buttons()
    now = await pull_now(visit.services.database, line.repo_id, number)
    if line.state in UNFINISHED:
        return Buttons(cancel=not line.cancelled, standing=now.standing if now.open else frozenset())
    newest = now.newest == (line.sha, line.attempt) and now.head in ("", line.sha)
    again = newest and line.state in ("done", "stopped") and not (now.at_work or now.paused)
    return Buttons(retry=now.open and again, standing=now.standing if now.open else frozenset())


async def _buttons_of_commit(visit: Visit, story: RunStory) -> Buttons:
    """Returns the buttons for a commit without a pull request; its fixes are decided on in their fixup pull
    requests."""
    line = story.line
    if line.state in UNFINISHED:
        return Buttons(cancel=not line.cancelled)
    now = await commit_now(visit.services.database, line.repo_id, line.sha)
    return Buttons(retry=line.attempt == now.newest and not now.at_work)


def _values(story: RunStory, outcome: Outcome | None, worked: Sequence[Agent]) -> dict[str, object]:
    rows = _errors(outcome)
    return {
        "errors": rows[:MAX_ERRORS],
        "unfixed": _unfixed(outcome),
        "left_out": max(0, len(rows) - MAX_ERRORS),
        "timeline": timeline_of(story, worked),
        "graph": graph_of(outcome, story.offers) if outcome else "",
        "calls": story.calls,
        "lost": outcome.spending.lost if outcome else 0,
        "estimate": outcome.spending.estimate_dollars if outcome else 0.0,
    }


def _errors(outcome: Outcome | None) -> list[ErrorRow]:
    if outcome is None:
        return []
    endings = {resolution.error_id: resolution for resolution in outcome.resolutions}
    rows = []
    for error in outcome.errors:
        end = endings.get(error.id)
        rows.append(ErrorRow(error, end.how if end else "", _anchor(end) if end else ""))
    return rows


def _anchor(end: Resolution) -> str:
    kind, _, name = end.how.partition(":")
    if end.proposal_id:
        return f"fix-{end.proposal_id}"
    return f"unfixed-{name}" if kind == "unfixable" else ""


def _unfixed(outcome: Outcome | None) -> list[Unfixed]:
    if outcome is None:
        return []
    errors = {error.id: error for error in outcome.errors}
    return [
        Unfixed(report, reason_of(report), tuple(errors[i] for i in report.error_ids if i in errors))
        for report in outcome.unfixables
    ]
